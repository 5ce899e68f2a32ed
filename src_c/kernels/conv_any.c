// Convolution and depthwise convolution of uint8 and int16, see conv.h and depthwise.h: one output
// after the other, in the order of the definition. Small rather than fast.

#include "conv.h"
#include "depthwise.h"

typedef enum {
    U8,
    S16,        // 32-bit sums
    S16_WIDE,
} kind_t;

// What differs: where the weights of a channel lie, and the types.
typedef struct {
    const window_t *window;
    const window_scale_t *scale;
    kind_t kind;
    int32_t per_channel;    // from the weights of a channel to those of the next
    int32_t per_tap;        // from those of a place in the window to those of the next
} layer_t;

static int64_t products(const layer_t *layer, const void *in, int32_t x, const void *weights, int32_t w) {
    int64_t sum = 0;
    for (int32_t i = 0; i < layer->window->depth; ++i) {
        if (layer->kind == U8) {
            sum += (((const uint8_t *)in)[x + i] + layer->scale->in_offset)
                * (((const uint8_t *)weights)[w + i] + layer->scale->weight_offset);
        } else {
            sum += ((const int16_t *)in)[x + i] * ((const int8_t *)weights)[w + i];
        }
    }
    return sum;
}

// The sum of a window: x is the index of the first input, w that of its weight.
static int64_t window_sum(const layer_t *layer, const window_part_t *part, const void *in, int32_t x,
    const void *weights, int32_t w) {
    const window_t *window = layer->window;
    int64_t sum = 0;
    for (int32_t j = 0; j < part->rows; ++j) {
        for (int32_t i = 0; i < part->columns; ++i) {
            sum += products(layer, in, x + j * window_row(window) + i * window_step(window), weights,
                w + (j * window->filter_w + i) * layer->per_tap);
        }
    }
    return sum;
}

static void put(const layer_t *layer, int32_t channel, int64_t sum, void *out, int32_t index) {
    const window_scale_t *scale = layer->scale;
    if (layer->kind == S16_WIDE) {
        const int32_t value = fixed_multiply_wide(sum, scale->multipliers[channel], scale->shifts[channel]);
        ((int16_t *)out)[index] = (int16_t)fixed_clamp(value, scale->least, scale->most);
    } else if (layer->kind == S16) {
        ((int16_t *)out)[index] = (int16_t)window_scale(scale, channel, (int32_t)sum);
    } else {
        ((uint8_t *)out)[index] = (uint8_t)window_scale(scale, channel, (int32_t)sum);
    }
}

static void run(const layer_t *layer, const void *in, const void *weights, const void *bias, void *out) {
    const window_t *window = layer->window;
    const int32_t group = window->out_c / (window->in_c / window->depth);
    const int32_t n = window_pixels(window);
    int32_t index = 0;
    for (int32_t pixel = 0; pixel < n; ++pixel) {
        const window_part_t part = window_part(window, pixel);
        for (int32_t c = 0; c < window->out_c; ++c) {
            int64_t sum = window_sum(layer, &part, in, part.in + c / group * window->depth, weights,
                c * layer->per_channel + part.tap * layer->per_tap);
            if (bias) {
                sum += layer->kind == S16_WIDE ? ((const int64_t *)bias)[c] : ((const int32_t *)bias)[c];
            }
            put(layer, c, sum, out, index++);
        }
    }
}

static void conv(const window_t *window, const window_scale_t *scale, kind_t kind, const void *in,
    const void *weights, const void *bias, void *out) {
    const int32_t size = window->filter_h * window->filter_w * window->depth;
    const layer_t layer = { window, scale, kind, size, window->depth };
    run(&layer, in, weights, bias, out);
}

static void depthwise(const window_t *window, const window_scale_t *scale, kind_t kind, const void *in,
    const void *weights, const void *bias, void *out) {
    const layer_t layer = { window, scale, kind, 1, window->out_c };
    run(&layer, in, weights, bias, out);
}

void conv_u8(const window_t *window, const window_scale_t *scale, const uint8_t *in, const uint8_t *weights,
    const int32_t *bias, uint8_t *out) {
    conv(window, scale, U8, in, weights, bias, out);
}

void conv_s16(const window_t *window, const window_scale_t *scale, const int16_t *in, const int8_t *weights,
    const void *bias, bool wide, int16_t *out) {
    conv(window, scale, wide ? S16_WIDE : S16, in, weights, bias, out);
}

void depthwise_u8(const window_t *window, const window_scale_t *scale, const uint8_t *in,
    const uint8_t *weights, const int32_t *bias, uint8_t *out) {
    depthwise(window, scale, U8, in, weights, bias, out);
}

void depthwise_s16(const window_t *window, const window_scale_t *scale, const int16_t *in,
    const int8_t *weights, const void *bias, bool wide, int16_t *out) {
    depthwise(window, scale, wide ? S16_WIDE : S16, in, weights, bias, out);
}
