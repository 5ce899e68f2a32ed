// Transposed convolution, see transpose_conv.h. Outputs are made one after the other from the inputs
// that reach them, so that no sums are kept: every stride-th tap of the filter meets an input. Of int8 four
// channels are made at a time: 6 instructions per MAC at a depth of 16 on a Cortex-M4 and M3, 15 at one of 8.

#include "rows.h"
#include "transpose_conv.h"

typedef enum {
    F32,
    S8,
    S16,        // 32-bit sums
    S16_WIDE,
} kind_t;

typedef struct {
    const window_t *window;
    const window_scale_t *scale;
    kind_t kind;
    const void *in;
    const void *weights;
    const void *bias;
    void *out;
} layer_t;

// The inputs that reach an output along one axis: n from first on, which may be none. The first one
// meets tap, each next one a tap that is the stride before.
typedef struct {
    int32_t first;
    int32_t tap;
    int32_t n;
} reach_t;

// place is counted from where the window of the first input begins.
static reach_t reach_of(int32_t place, int32_t in, int32_t filter, int32_t stride) {
    const int32_t beyond = place - filter + stride;
    const int32_t first = beyond > 0 ? beyond / stride : 0;
    const int32_t last = place / stride < in ? place / stride : in - 1;
    return (reach_t) { first, place - first * stride, last - first + 1 };
}

// The sum of a product of inputs x and weights w, in the order of inputs.
#define SUM(name, sum_type, in_type, weight_type, product) \
    static sum_type name(const layer_t *layer, int32_t image, int32_t channel, reach_t rows, \
    reach_t columns) { \
        const window_t *window = layer->window; \
        sum_type sum = 0; \
        for (int32_t j = 0; j < rows.n; ++j) { \
            const int32_t in_row = (image + rows.first + j) * window->in_w + columns.first; \
            const int32_t taps = (channel * window->filter_h + rows.tap - j * window->stride_h) \
                * window->filter_w + columns.tap; \
            for (int32_t i = 0; i < columns.n; ++i) { \
                const in_type *in = (const in_type *)layer->in + (in_row + i) * window->depth; \
                const weight_type *weights = (const weight_type *)layer->weights \
                    + (taps - i * window->stride_w) * window->depth; \
                for (int32_t c = 0; c < window->depth; ++c) { \
                    const in_type x = in[c]; \
                    const weight_type w = weights[c]; \
                    sum += product; \
                } \
            } \
        } \
        return sum; \
    }

SUM(sum_f32, float, float, float, x * w)
SUM(sum_s16, int64_t, int16_t, int8_t, x * w)

static int16_t scaled_s16(const layer_t *layer, int32_t channel, int64_t sum) {
    const window_scale_t *scale = layer->scale;
    if (layer->kind == S16) {
        const int32_t offset = layer->bias ? ((const int32_t *)layer->bias)[channel] : 0;
        return (int16_t)window_scale(scale, channel, (int32_t)sum + offset);
    }
    const int64_t offset = layer->bias ? ((const int64_t *)layer->bias)[channel] : 0;
    const int32_t value = fixed_multiply_wide(sum + offset, scale->multipliers[channel], scale->shifts[channel]);
    return (int16_t)fixed_clamp(value, scale->least, scale->most);
}

// Makes one output; image counts the rows of all images before.
static void make(const layer_t *layer, int32_t index, int32_t image, int32_t channel, reach_t rows,
    reach_t columns) {
    if (layer->kind == F32) {
        const float *bias = layer->bias;
        const float sum = sum_f32(layer, image, channel, rows, columns);
        ((float *)layer->out)[index] = bias ? sum + bias[channel] : sum;
    } else {
        const int64_t sum = sum_s16(layer, image, channel, rows, columns);
        ((int16_t *)layer->out)[index] = scaled_s16(layer, channel, sum);
    }
}

// Up to four outputs of int8, from a channel on.
static void make_four(const layer_t *layer, int8_t *out, int32_t image, int32_t channel, reach_t rows,
    reach_t columns) {
    const window_t *window = layer->window;
    const int32_t *bias = layer->bias;
    const int32_t n = window->out_c - channel < 4 ? window->out_c - channel : 4;
    const int32_t filter = window->filter_h * window->filter_w;
    int32_t sums[4];
    for (int32_t k = 0; k < 4; ++k) {
        sums[k] = bias && k < n ? bias[channel + k] : 0;
    }
    for (int32_t j = 0; j < rows.n; ++j) {
        for (int32_t i = 0; i < columns.n; ++i) {
            const int32_t in = (image + rows.first + j) * window->in_w + columns.first + i;
            const int32_t tap = (rows.tap - j * window->stride_h) * window->filter_w + columns.tap
                - i * window->stride_w;
            const int8_t *weights[4];
            for (int32_t k = 0; k < 4; ++k) {
                const int32_t c = channel + (k < n ? k : 0);
                weights[k] = (const int8_t *)layer->weights + (c * filter + tap) * window->depth;
            }
            rows_s8(window->depth, layer->scale->in_offset, (const int8_t *)layer->in + in * window->depth,
                weights, sums);
        }
    }
    for (int32_t k = 0; k < n; ++k) {
        out[k] = (int8_t)window_scale(layer->scale, channel + k, sums[k]);
    }
}

static void run(const layer_t *layer) {
    const window_t *window = layer->window;
    const int32_t n_rows = window->batches * window->out_h;
    int32_t index = 0;
    for (int32_t row = 0; row < n_rows; ++row) {
        const int32_t batch = row / window->out_h;
        const int32_t y = row - batch * window->out_h + window->pad_h;
        const reach_t rows = reach_of(y, window->in_h, window->filter_h, window->stride_h);
        for (int32_t x = 0; x < window->out_w; ++x) {
            const reach_t columns = reach_of(x + window->pad_w, window->in_w, window->filter_w,
                window->stride_w);
            for (int32_t c = 0; layer->kind == S8 && c < window->out_c; c += 4) {
                make_four(layer, (int8_t *)layer->out + index + c, batch * window->in_h, c, rows, columns);
            }
            for (int32_t c = 0; layer->kind != S8 && c < window->out_c; ++c) {
                make(layer, index + c, batch * window->in_h, c, rows, columns);
            }
            index += window->out_c;
        }
    }
}

void transpose_conv_s8(const window_t *window, const window_scale_t *scale, const int8_t *in,
    const int8_t *weights, const int32_t *bias, int8_t *out) {
    run(&(layer_t) { window, scale, S8, in, weights, bias, out });
}

void transpose_conv_s16(const window_t *window, const window_scale_t *scale, const int16_t *in,
    const int8_t *weights, const void *bias, bool wide, int16_t *out) {
    run(&(layer_t) { window, scale, wide ? S16_WIDE : S16, in, weights, bias, out });
}

void transpose_conv_f32(const window_t *window, const float *in, const float *weights, const float *bias,
    float *out) {
    run(&(layer_t) { window, NULL, F32, in, weights, bias, out });
}
