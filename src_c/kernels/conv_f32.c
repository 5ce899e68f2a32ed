// Convolution of float32, see conv.h. Four channels at a time: each input that is loaded serves four
// products. About 3.3 instructions per MAC on a Cortex-M4F.

#include "conv.h"

typedef struct {
    float sum[4];
} sums_t;

// Adds n products of inputs in a row with each of four filters, stride floats apart.
static inline void add_products(sums_t *sums, const float *in, const float *w, int32_t stride, int32_t n) {
    const float *w1 = w + stride, *w2 = w1 + stride, *w3 = w2 + stride;
    float s0 = sums->sum[0], s1 = sums->sum[1], s2 = sums->sum[2], s3 = sums->sum[3];
    for (int32_t i = 0; i < n; ++i) {
        const float x = in[i];
        s0 += x * w[i];
        s1 += x * w1[i];
        s2 += x * w2[i];
        s3 += x * w3[i];
    }
    *sums = (sums_t) { { s0, s1, s2, s3 } };
}

// The window with its top left at y, x of an image. Where stride is 0 all four sums are the same.
static sums_t window_sums(const window_t *window, const float *image, int32_t y, int32_t x, const float *w,
    int32_t stride) {
    const int32_t first = window_first(x, window->dilation_w);
    const int32_t end = window_end(x, window->dilation_w, window->filter_w, window->in_w);
    const int32_t end_y = window_end(y, window->dilation_h, window->filter_h, window->in_h);
    const bool in_a_row = window->dilation_w == 1 && window->depth == window->in_c;
    const int32_t step = in_a_row ? end - first : 1;
    sums_t sums = { { 0 } };
    for (int32_t j = window_first(y, window->dilation_h); j < end_y; ++j) {
        const float *row = image + (y + j * window->dilation_h) * window->in_w * window->in_c;
        for (int32_t i = first; i < end; i += step) {
            add_products(&sums, row + (x + i * window->dilation_w) * window->in_c,
                w + (j * window->filter_w + i) * window->depth, stride, step * window->depth);
        }
    }
    return sums;
}

void conv_f32(const window_t *window, float least, float most, const float *in, const float *weights,
    const float *bias, float *out) {
    const int32_t size = window->filter_h * window->filter_w * window->depth;
    const int32_t group = window->out_c / (window->in_c / window->depth);
    const int32_t n = window_pixels(window);
    for (int32_t pixel = 0; pixel < n; ++pixel) {
        const window_place_t place = window_place(window, pixel);
        for (int32_t c = 0; c < window->out_c;) {
            const int32_t left = group - c % group;
            const int32_t step = left < 4 ? 1 : 4;
            const sums_t sums = window_sums(window, in + place.image + c / group * window->depth, place.y, place.x,
                weights + c * size, left < 4 ? 0 : size);
            for (int32_t i = 0; i < step; ++i, ++c) {
                const float sum = sums.sum[i] + (bias ? bias[c] : 0);
                *out++ = sum < least ? least : sum > most ? most : sum;
            }
        }
    }
}
