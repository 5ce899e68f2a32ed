// Cepstral mean and variance normalisation over a sliding window, as speechpy's cmvnw(), of one column.

#ifndef MICROLITE_AUDIO_CMVN_H
#define MICROLITE_AUDIO_CMVN_H

#include <stddef.h>

// A number less the mean of those in the window around it. window is odd. Rows beyond the ends are
// those within, mirrored. At most 2 * rows numbers are looked at, however long the window is.
float cmvn_centred(const float *x, size_t rows, size_t row, size_t window);

// The standard deviation in the same window.
float cmvn_deviation(const float *x, size_t rows, size_t row, size_t window);

#endif
