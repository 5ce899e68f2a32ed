// Cepstral mean and variance normalisation.

#include <math.h>

#include "cmvn.h"

// The mean of (x - offset)^power over the window around a row. Mirrored at both ends, x repeats after
// 2 * rows: what a longer window has several times is summed up once. Means are taken of differences
// to the row itself, so that equal numbers have none.
static float window_mean(const float *x, size_t rows, size_t row, size_t window, float offset, int power) {
    size_t period = 2 * rows, rest = window % period;
    size_t at = (row + period - window / 2 % period) % period;
    float sum = 0.0f, part = 0.0f;
    for (size_t i = 0; i < window && i < period; ++i) {
        float v = x[at < rows ? at : period - 1 - at] - offset;
        part = i == rest ? sum : part;
        sum += power == 2 ? v * v : v;
        at = at + 1 == period ? 0 : at + 1;
    }
    return (window < period ? sum : sum * (float)(window / period) + part) / (float)window;
}

float cmvn_centred(const float *x, size_t rows, size_t row, size_t window) {
    return 0.0f - window_mean(x, rows, row, window, x[row], 1);
}

float cmvn_deviation(const float *x, size_t rows, size_t row, size_t window) {
    float mean = x[row] + window_mean(x, rows, row, window, x[row], 1);
    return sqrtf(window_mean(x, rows, row, window, mean, 2));
}
