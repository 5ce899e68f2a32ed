// Convolution of float32, see conv.h. Four channels at a time: each input that is loaded serves four
// products.

#include "conv.h"

typedef struct {
    float s0, s1, s2, s3;
} sums_t;

// The part of a window that lies within the image, times the filters of four channels, stride weights
// apart; where stride is 0 all four are the same.
static __attribute__((noinline)) sums_t window_sums(const window_t *window, const window_part_t *part,
    const float *in, const float *w0, int32_t stride) {
    const bool in_a_row = window->dilation_w == 1 && window->depth == window->in_c;
    const int32_t runs = in_a_row ? 1 : part->columns;
    const int32_t size = in_a_row ? part->columns * window->depth : window->depth;
    const int32_t rest = (window->filter_w - part->columns) * window->depth;
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    const float *w1 = w0 + stride, *w2 = w1 + stride, *w3 = w2 + stride;
    for (int32_t j = 0; j < part->rows; ++j, in += window_row(window)) {
        for (int32_t i = 0; i < runs; ++i) {
            const float *x = in + i * window_step(window);
            for (int32_t k = size; k > 0; --k) {
                const float input = *x++;
                s0 += input * *w0++;
                s1 += input * *w1++;
                s2 += input * *w2++;
                s3 += input * *w3++;
            }
        }
        w0 += rest, w1 += rest, w2 += rest, w3 += rest;
    }
    return (sums_t) { s0, s1, s2, s3 };
}

void conv_f32(const window_t *window, float least, float most, const float *in, const float *weights,
    const float *bias, float *out) {
    const int32_t size = window->filter_h * window->filter_w * window->depth;
    const int32_t group = window->out_c / (window->in_c / window->depth);
    const int32_t n = window_pixels(window);
    for (int32_t pixel = 0; pixel < n; ++pixel) {
        const window_part_t part = window_part(window, pixel);
        for (int32_t c = 0, step; c < window->out_c; c += step) {
            step = group - c % group < 4 ? 1 : 4;
            const sums_t sums = window_sums(window, &part, in + part.in + c / group * window->depth,
                weights + c * size + part.tap * window->depth, step == 4 ? size : 0);
            const float each[4] = { sums.s0, sums.s1, sums.s2, sums.s3 };
            for (int32_t i = 0; i < step; ++i) {
                const float sum = each[i] + (bias ? bias[c + i] : 0);
                *out++ = sum < least ? least : sum > most ? most : sum;
            }
        }
    }
}
