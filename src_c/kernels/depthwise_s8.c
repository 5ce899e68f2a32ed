// Depthwise convolution of int8, see depthwise.h.

#include "depthwise.h"

size_t depthwise_s8_scratch(const window_t *window) {
    (void)window;
    return 0;
}

static int32_t window_sum(const window_t *window, int32_t offset, const int8_t *image, int32_t y, int32_t x,
    const int8_t *w) {
    const int32_t first = window_first(x, window->dilation_w);
    const int32_t end = window_end(x, window->dilation_w, window->filter_w, window->in_w);
    const int32_t end_y = window_end(y, window->dilation_h, window->filter_h, window->in_h);
    int32_t sum = 0;
    for (int32_t j = window_first(y, window->dilation_h); j < end_y; ++j) {
        const int32_t row = (y + j * window->dilation_h) * window->in_w + x;
        for (int32_t i = first; i < end; ++i) {
            sum += (image[(row + i * window->dilation_w) * window->in_c] + offset)
                * w[(j * window->filter_w + i) * window->out_c];
        }
    }
    return sum;
}

void depthwise_s8(const window_t *window, const window_scale_t *scale, const int8_t *in,
    const int8_t *weights, const int32_t *bias, int8_t *out, void *scratch) {
    (void)scratch;
    const int32_t n = window_pixels(window);
    const int32_t each = window->out_c / window->in_c;
    for (int32_t pixel = 0; pixel < n; ++pixel) {
        const window_place_t place = window_place(window, pixel);
        for (int32_t c = 0; c < window->out_c; ++c) {
            const int32_t sum = window_sum(window, scale->in_offset, in + place.image + c / each, place.y, place.x,
                weights + c);
            *out++ = (int8_t)window_scale(scale, c, sum + (bias ? bias[c] : 0));
        }
    }
}
