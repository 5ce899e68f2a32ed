// Depthwise convolution of float32, see depthwise.h: one place of the window after the other, for
// eight channels at a time. About 4.5 instructions per MAC on a Cortex-M4F.

#include "depthwise.h"

#define CHANNELS (8)

// Adds the products of one place in the window, for n channels from c on.
static inline void add_products(const window_t *window, const float *in, const float *w, int32_t c, int32_t n,
    float *sums) {
    if (window->in_c == window->out_c) {
        for (int32_t i = 0; i < n; ++i) {
            sums[i] += in[c + i] * w[c + i];
        }
    } else {
        const int32_t each = window->out_c / window->in_c;
        for (int32_t i = 0; i < n; ++i) {
            sums[i] += in[(c + i) / each] * w[c + i];
        }
    }
}

static void window_sums(const window_t *window, const float *image, int32_t y, int32_t x, const float *weights,
    int32_t c, int32_t n, float *sums) {
    const int32_t first = window_first(x, window->dilation_w);
    const int32_t end = window_end(x, window->dilation_w, window->filter_w, window->in_w);
    const int32_t end_y = window_end(y, window->dilation_h, window->filter_h, window->in_h);
    for (int32_t j = window_first(y, window->dilation_h); j < end_y; ++j) {
        const int32_t row = (y + j * window->dilation_h) * window->in_w + x;
        for (int32_t i = first; i < end; ++i) {
            add_products(window, image + (row + i * window->dilation_w) * window->in_c,
                weights + (j * window->filter_w + i) * window->out_c, c, n, sums);
        }
    }
}

void depthwise_f32(const window_t *window, float least, float most, const float *in, const float *weights,
    const float *bias, float *out) {
    const int32_t n = window_pixels(window);
    for (int32_t pixel = 0; pixel < n; ++pixel) {
        const window_place_t place = window_place(window, pixel);
        for (int32_t c = 0; c < window->out_c; c += CHANNELS) {
            const int32_t left = window->out_c - c < CHANNELS ? window->out_c - c : CHANNELS;
            float sums[CHANNELS] = { 0 };
            window_sums(window, in + place.image, place.y, place.x, weights, c, left, sums);
            for (int32_t i = 0; i < left; ++i) {
                const float sum = sums[i] + (bias ? bias[c + i] : 0);
                *out++ = sum < least ? least : sum > most ? most : sum;
            }
        }
    }
}
