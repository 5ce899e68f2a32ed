// Cepstral mean and variance normalisation over a sliding window, as speechpy's cmvnw().

#ifndef MICROLITE_AUDIO_CMVN_H
#define MICROLITE_AUDIO_CMVN_H

#include <stdbool.h>
#include <stddef.h>

// One column of a matrix with rows of stride numbers. window is odd; scratch has room for rows. Rows
// beyond the ends are those within, mirrored. Without variance only the mean is taken away.
void cmvn(const float *in, float *out, size_t rows, size_t stride, size_t window, bool variance, float *scratch);

#endif
