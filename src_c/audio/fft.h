// The spectrum of real numbers in float32.

#ifndef MICROLITE_AUDIO_FFT_H
#define MICROLITE_AUDIO_FFT_H

#include <stddef.h>

// A quarter of a wave: cos(2 pi k / n) for k = 0 to n / 4.
#define FFT_QUARTER_SIZE(n) ((n) / 4 + 1)
void fft_make_quarter(float *quarter, size_t n);

// cos(2 pi k / n), 0 <= k < n
float fft_cos(const float *quarter, size_t n, size_t k);

// In place. n is a power of two, at least 4. Numbers 0 and 1 become the first and the last value of the
// spectrum, which are real; the others follow as pairs of a real and an imaginary part.
void fft_real(float *x, size_t n, const float *quarter);

// Squares of the magnitudes, n / 2 + 1 of them, from what fft_real() left. May be in place.
void fft_power(const float *x, size_t n, float *power);

#endif
