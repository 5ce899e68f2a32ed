// Depthwise convolution of float32, see depthwise.h. Four channels go over a window at a time.

#include "depthwise.h"

typedef struct {
    float s0, s1, s2, s3;
} sums_t;

// The part of a window that lies within the image, in four channels: inputs of the first, second and so
// on lie at x[0], x[i1], x[i2] and x[i3], weights at w[0] ... w[3].
static __attribute__((noinline)) sums_t four_sums(const window_t *window, const window_part_t *part,
    const float *x, const float *w, int32_t i1, int32_t i2, int32_t i3) {
    const int32_t x_step = window_step(window), w_step = window->out_c;
    const int32_t x_rest = window_row(window) - part->columns * x_step;
    const int32_t w_rest = (window->filter_w - part->columns) * w_step;
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int32_t j = part->rows; j > 0; --j, x += x_rest, w += w_rest) {
        for (int32_t i = part->columns; i > 0; --i, x += x_step, w += w_step) {
            s0 += x[0] * w[0];
            s1 += x[i1] * w[1];
            s2 += x[i2] * w[2];
            s3 += x[i3] * w[3];
        }
    }
    return (sums_t) { s0, s1, s2, s3 };
}

static __attribute__((noinline)) float one_sum(const window_t *window, const window_part_t *part,
    const float *x, const float *w) {
    float sum = 0;
    for (int32_t j = 0; j < part->rows; ++j) {
        for (int32_t i = 0; i < part->columns; ++i) {
            sum += x[j * window_row(window) + i * window_step(window)]
                * w[(j * window->filter_w + i) * window->out_c];
        }
    }
    return sum;
}

void depthwise_f32(const window_t *window, float least, float most, const float *in, const float *weights,
    const float *bias, float *out) {
    const int32_t each = window->out_c / window->in_c;
    const int32_t n = window_pixels(window);
    for (int32_t pixel = 0; pixel < n; ++pixel) {
        const window_part_t part = window_part(window, pixel);
        const float *x = in + part.in, *w = weights + part.tap * window->out_c;
        for (int32_t c = 0, step; c < window->out_c; c += step) {
            float sums[4];
            const int32_t first = c / each;
            step = window->out_c - c < 4 ? 1 : 4;
            if (step == 4) {
                const sums_t four = four_sums(window, &part, x + first, w + c, (c + 1) / each - first,
                    (c + 2) / each - first, (c + 3) / each - first);
                sums[0] = four.s0, sums[1] = four.s1, sums[2] = four.s2, sums[3] = four.s3;
            } else {
                sums[0] = one_sum(window, &part, x + first, w + c);
            }
            for (int32_t i = 0; i < step; ++i) {
                const float sum = sums[i] + (bias ? bias[c + i] : 0);
                *out++ = sum < least ? least : sum > most ? most : sum;
            }
        }
    }
}
