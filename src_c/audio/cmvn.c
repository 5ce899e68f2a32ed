// Cepstral mean and variance normalisation.

#include <math.h>

#include "cmvn.h"

#define EPSILON (0x1p-30f)

// The mean of (x - offset)^power over the window around a row. Mirrored at both ends, x repeats after
// 2 * rows.
static float window_mean(const float *x, size_t rows, size_t stride, size_t row, size_t window, float offset, int power) {
    size_t period = 2 * rows;
    size_t at = (row + period - window / 2 % period) % period;
    float sum = 0.0f;
    for (size_t i = 0; i < window; ++i) {
        float v = x[(at < rows ? at : period - 1 - at) * stride] - offset;
        sum += power == 2 ? v * v : v;
        at = at + 1 == period ? 0 : at + 1;
    }
    return sum / window;
}

void cmvn(const float *in, float *out, size_t rows, size_t stride, size_t window, bool variance, float *scratch) {
    for (size_t i = 0; i < rows; ++i) {
        scratch[i] = in[i * stride] - window_mean(in, rows, stride, i, window, 0.0f, 1);
    }
    for (size_t i = 0; i < rows; ++i) {
        float scale = 1.0f;
        if (variance) {
            float mean = window_mean(scratch, rows, 1, i, window, 0.0f, 1);
            scale = sqrtf(window_mean(scratch, rows, 1, i, window, mean, 2)) + EPSILON;
        }
        out[i * stride] = scratch[i] / scale;
    }
}
