// Random layers for conv_s8() and depthwise_s8(), compared with sums in the order of the definition.
// Inputs and weights lie at any address, canaries lie around whatever a kernel writes.

#include <string.h>

#include "common.h"
#include "conv.h"
#include "depthwise.h"
#include "windows.h"

#define LAYER_MACS (200000)

typedef struct {
    window_t window;
    window_scale_t scale;
    bool depthwise;
    bool has_bias;
    int8_t in[20000];
    int8_t weights[20000];
    int32_t bias[300];
    int32_t multipliers[300];
    int8_t shifts[300];
    int8_t out[20000 + 3 * CANARIES];
    uint32_t scratch[16000];
} layer_t;

static layer_t layer;

// --- a layer ---

static int32_t extent(bool same, int32_t in, int32_t filter, int32_t stride, int32_t dilation, int32_t *pad) {
    const int32_t reach = (filter - 1) * dilation + 1;
    const int32_t out = same ? (in + stride - 1) / stride : (in - reach + stride) / stride;
    const int32_t beyond = (out - 1) * stride + reach - in;
    *pad = same && beyond > 0 ? beyond / 2 : 0;
    return in < reach && !same ? 0 : out;
}

static void make_window(window_t *window) {
    const bool large = any(0, 9) == 0, small = large || any(0, 3) == 0, same = any(0, 1);
    window->batches = any(1, 8) == 1 ? 2 : 1;
    window->in_h = any(1, small ? 3 : 11);
    window->in_w = any(1, small ? 3 : 20);
    window->filter_h = any(0, 2) ? 3 : any(1, 6);
    window->filter_w = any(0, 2) ? 3 : any(1, 9);
    if (!layer.depthwise && any(0, 1)) {
        window->filter_h = window->filter_w = 1;
    }
    window->stride_h = any(1, 3);
    window->stride_w = any(0, 3) ? window->stride_h : any(1, 3);
    window->dilation_h = any(0, 3) ? 1 : any(1, 3);
    window->dilation_w = any(0, 3) ? 1 : any(1, 3);
    window->in_c = large ? any(250, 260) : any(0, 3) ? any(1, 40) : 1;
    const int32_t groups = any(0, 7) ? 1 : any(1, 3);
    window->out_c = layer.depthwise ? window->in_c * (any(0, 1) ? 1 : any(1, 9)) : any(1, 20);
    if (!layer.depthwise && window->in_c * groups <= 260) {
        window->depth = window->in_c;
        window->in_c *= groups;
        window->out_c *= groups;
    } else {
        window->depth = layer.depthwise ? 1 : window->in_c;
    }
    window->out_h = extent(same, window->in_h, window->filter_h, window->stride_h, window->dilation_h,
        &window->pad_h);
    window->out_w = extent(same, window->in_w, window->filter_w, window->stride_w, window->dilation_w,
        &window->pad_w);
}

static int32_t in_size(const window_t *window) {
    return window->batches * window->in_h * window->in_w * window->in_c;
}

static int32_t out_size(const window_t *window) {
    return window->batches * window->out_h * window->out_w * window->out_c;
}

static int32_t filter_size(const window_t *window) {
    return window->filter_h * window->filter_w * window->depth;
}

static size_t scratch_size(void) {
    return layer.depthwise ? depthwise_s8_scratch(&layer.window) : conv_s8_scratch(&layer.window);
}

static bool fits(const window_t *window) {
    return window->out_h > 0 && window->out_w > 0 && window->out_c <= 300 && in_size(window) <= 19900
           && out_size(window) <= 19900 && filter_size(window) * window->out_c <= 19900
           && out_size(window) * filter_size(window) <= LAYER_MACS
           && scratch_size() <= sizeof(layer.scratch) - 2 * CANARIES;
}

static void make_scale(window_scale_t *scale) {
    const bool odd = any(0, 9) == 0;
    const int32_t products = filter_size(&layer.window) * 255 * 128;
    scale->multipliers = layer.multipliers;
    scale->shifts = layer.shifts;
    scale->in_offset = -(any(0, 2) ? any(-128, 127) : any(0, 1) ? 127 : -128);
    scale->out_offset = any(0, 2) ? any(-128, 127) : any(0, 1) ? 127 : -128;
    scale->least = any(0, 4) ? INT8_MIN : any(-128, 0);
    scale->most = any(0, 4) ? INT8_MAX : any(0, 127);
    scale->is_short = true;
    layer.has_bias = any(0, 7);
    for (int32_t c = 0; c < layer.window.out_c; ++c) {
        layer.multipliers[c] = any(1 << 30, INT32_MAX);
        layer.shifts[c] = (int8_t)(odd ? any(-31, 1) : any(-14, -1));
        layer.bias[c] = any(-30000, 30000) * (odd ? 30000 : 1);
        const int32_t bias = !layer.has_bias ? 0 : layer.bias[c] < 0 ? -layer.bias[c] : layer.bias[c];
        scale->is_short = scale->is_short && window_is_short(layer.shifts[c], (int64_t)products + bias);
    }
}

// --- by the definition ---

static int8_t expected(int32_t batch, int32_t y, int32_t x, int32_t c, const int8_t *in,
    const int8_t *weights) {
    const window_t *w = &layer.window;
    const int32_t first = c / (w->out_c / (w->in_c / w->depth)) * w->depth;
    int32_t sum = layer.has_bias ? layer.bias[c] : 0;
    for (int32_t j = 0; j < w->filter_h; ++j) {
        for (int32_t i = 0; i < w->filter_w; ++i) {
            const int32_t row = y * w->stride_h - w->pad_h + j * w->dilation_h;
            const int32_t column = x * w->stride_w - w->pad_w + i * w->dilation_w;
            if (row < 0 || row >= w->in_h || column < 0 || column >= w->in_w) {
                continue;
            }
            const int8_t *input = in + ((batch * w->in_h + row) * w->in_w + column) * w->in_c + first;
            for (int32_t k = 0; k < w->depth; ++k) {
                const int32_t tap = j * w->filter_w + i;
                const int32_t in_filter = tap * w->depth + k;
                const int32_t at = layer.depthwise ? tap * w->out_c + c : in_filter + c * filter_size(w);
                sum += (input[k] + layer.scale.in_offset) * weights[at];
            }
        }
    }
    return (int8_t)window_scale(&layer.scale, c, sum);
}

static bool right(const int8_t *in, const int8_t *weights, const int8_t *out) {
    const window_t *w = &layer.window;
    for (int32_t b = 0; b < w->batches; ++b) {
        for (int32_t y = 0; y < w->out_h; ++y) {
            for (int32_t x = 0; x < w->out_w; ++x) {
                for (int32_t c = 0; c < w->out_c; ++c) {
                    if (*out++ != expected(b, y, x, c, in, weights)) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

static const char *check(void) {
    const window_t *window = &layer.window;
    const int8_t *in = layer.in + any(0, 3), *weights = layer.weights + any(0, 15);
    int8_t *out = layer.out + CANARIES + any(0, 3);
    uint8_t *scratch = (uint8_t *)layer.scratch + CANARIES;
    const int32_t *bias = layer.has_bias ? layer.bias : NULL;
    memset(layer.out, CANARY, sizeof(layer.out));
    memset(layer.scratch, CANARY, sizeof(layer.scratch));
    (layer.depthwise ? depthwise_s8 : conv_s8)(window, &layer.scale, in, weights, bias, out, scratch);
    if (!alive(out - CANARIES) || !alive(out + out_size(window))) {
        return "wrote beyond the outputs";
    }
    if (!alive(scratch - CANARIES) || !alive(scratch + scratch_size())) {
        return "wrote beyond the scratch";
    }
    return right(in, weights, out) ? NULL : "wrong outputs";
}

const char *windows_check(uint32_t seed, uint32_t n) {
    start_random(seed);
    while (n > 0) {
        layer.depthwise = any(0, 1);
        make_window(&layer.window);
        if (!fits(&layer.window)) {
            continue;
        }
        make_scale(&layer.scale);
        fill(layer.in, in_size(&layer.window) + 3);
        fill(layer.weights, filter_size(&layer.window) * layer.window.out_c + 15);
        const char *problem = check();
        if (problem) {
            return problem;
        }
        --n;
    }
    return NULL;
}

void windows_tell_last(void (*tell)(const char *name, int32_t value)) {
    const window_t *window = &layer.window;
    tell("depthwise", layer.depthwise);
    tell("in_h", window->in_h);
    tell("in_w", window->in_w);
    tell("in_c", window->in_c);
    tell("out_c", window->out_c);
    tell("filter_h", window->filter_h);
    tell("filter_w", window->filter_w);
    tell("depth", window->depth);
    tell("stride_h", window->stride_h);
    tell("stride_w", window->stride_w);
    tell("dilation_h", window->dilation_h);
    tell("dilation_w", window->dilation_w);
    tell("pad_h", window->pad_h);
    tell("pad_w", window->pad_w);
    tell("is_short", layer.scale.is_short);
}
