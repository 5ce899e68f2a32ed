// Depthwise convolution of int8, see depthwise.h. Four channels go over a window at a time: the
// weights of four channels are neighbours, and so are their inputs, or all four share one.
//
// With the DSP extension an image of one channel is another matter. Where windows lie within its columns,
// one channel at a time goes over four of them, side by side. Its filter is collected in scratch, so that
// a word holds four taps: once widened they meet a word of each window, 16 products in 8 SMLAD and 25
// instructions, and a row of the filter takes 10 more.
//
// For each MAC, scaling included, on a Cortex-M4: 3.5 to 4.5 instructions for windows of 7 x 7 and 5 x 5, 2.3
// for 10 x 8 on one channel; in plain C on a Cortex-M3 4.7 to 5.9, and 4.0.

#include "depthwise.h"

// gcc would sort the sums below anew, or load too much ahead of them, and run out of registers.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize ("no-tree-reassoc", "no-schedule-insns")
#endif

// The taps of a window that lie within the image. There may be none: no rows.
typedef struct {
    const int8_t *x;            // the first input
    const int8_t *w;            // its weight
    int32_t rows;
    int32_t columns;
    int32_t x_step;             // from one tap to the next
    int32_t w_step;
    int32_t x_row;              // from the first tap of a row to that of the next
    int32_t w_row;
} taps_t;

static taps_t taps_of(const window_t *window, const int8_t *in, const int8_t *weights, int32_t pixel) {
    const window_part_t part = window_part(window, pixel);
    const taps_t taps = {
        in + part.in, weights + part.tap * window->out_c, part.columns > 0 ? part.rows : 0, part.columns,
        window_step(window), window->out_c, window_row(window), window->filter_w * window->out_c,
    };
    return taps;
}

// add for each tap, x and w being pointers to its input and its weight.
#define EACH_TAP(taps, x, w, add) do { \
        const int32_t x_step = taps->x_step, w_step = taps->w_step, columns = taps->columns; \
        const int32_t x_rest = taps->x_row - columns * x_step, w_rest = taps->w_row - columns * w_step; \
        for (const int8_t *last = w + taps->rows * taps->w_row; w != last; x += x_rest, w += w_rest) { \
            const int8_t *end = w + columns * w_step; \
            do { \
                add; \
                x += x_step, w += w_step; \
            } while (w != end); \
        } \
} while (0)

// --- one channel ---

typedef struct {
    const window_t *window;
    const window_scale_t *scale;
    const int32_t *bias;
    bool is_short;
} layer_t;

static __attribute__((noinline)) void put_any(const layer_t *layer, int32_t c, int32_t sum, int8_t *out) {
    out[c] = (int8_t)window_scale(layer->scale, c, sum);
}

static inline void put(const layer_t *layer, int32_t c, int32_t sum, int8_t *out) {
    if (layer->is_short) {
        out[c] = (int8_t)window_scale_short(window_short(layer->scale, c), sum);
    } else {
        put_any(layer, c, sum, out);
    }
}

static void one_channel(const layer_t *layer, const taps_t *taps, int32_t in_channel, int32_t c,
    int8_t *out) {
    const int32_t offset = layer->scale->in_offset;
    const int8_t *x = taps->x + in_channel, *w = taps->w + c;
    int32_t sum = layer->bias ? layer->bias[c] : 0;
    EACH_TAP(taps, x, w, sum += (*x + offset) * *w);
    put(layer, c, sum, out);
}

// --- four channels ---

// s0 ... s3 plus the products of one tap. Widened, even words hold channels 0 and 2, odd ones 1 and 3.
#if KERNELS_DSP

#define ADD_TAP(x, w) do { \
        const uint32_t x_bytes = dsp_load(x), w_bytes = dsp_load(w); \
        const uint32_t x_even = dsp_widen_even(x_bytes, offsets), w_even = dsp_even(w_bytes); \
        const uint32_t x_odd = dsp_widen_odd(x_bytes, offsets), w_odd = dsp_odd(w_bytes); \
        s0 = dsp_mac_low_low(x_even, w_even, s0); \
        s1 = dsp_mac_low_low(x_odd, w_odd, s1); \
        s2 = dsp_mac_high_high(x_even, w_even, s2); \
        s3 = dsp_mac_high_high(x_odd, w_odd, s3); \
} while (0)

#define ADD_SHARED(x, w) do { \
        const uint32_t w_bytes = dsp_load(w); \
        const uint32_t w_even = dsp_even(w_bytes), w_odd = dsp_odd(w_bytes); \
        s0 = dsp_mac_low_low(x, w_even, s0); \
        s1 = dsp_mac_low_low(x, w_odd, s1); \
        s2 = dsp_mac_low_high(x, w_even, s2); \
        s3 = dsp_mac_low_high(x, w_odd, s3); \
} while (0)

#else

#define ADD_TAP(x, w) do { \
        s0 += ((x)[0] + offset) * (w)[0]; \
        s1 += ((x)[1] + offset) * (w)[1]; \
        s2 += ((x)[2] + offset) * (w)[2]; \
        s3 += ((x)[3] + offset) * (w)[3]; \
} while (0)

#define ADD_SHARED(x, w) do { \
        s0 += (x) * (w)[0]; \
        s1 += (x) * (w)[1]; \
        s2 += (x) * (w)[2]; \
        s3 += (x) * (w)[3]; \
} while (0)

#endif

#define START_SUMS(bias, c) \
    int32_t s0 = bias ? bias[c] : 0, s1 = bias ? bias[c + 1] : 0, s2 = bias ? bias[c + 2] : 0, \
    s3 = bias ? bias[c + 3] : 0

static inline void put_four(const layer_t *layer, int32_t c, int32_t s0, int32_t s1, int32_t s2, int32_t s3,
    int8_t *out) {
    if (layer->is_short) {
        const window_scale_t scale = *layer->scale;
        out[c] = (int8_t)window_scale_short(window_short(&scale, c), s0);
        out[c + 1] = (int8_t)window_scale_short(window_short(&scale, c + 1), s1);
        out[c + 2] = (int8_t)window_scale_short(window_short(&scale, c + 2), s2);
        out[c + 3] = (int8_t)window_scale_short(window_short(&scale, c + 3), s3);
    } else {
        put_any(layer, c, s0, out);
        put_any(layer, c + 1, s1, out);
        put_any(layer, c + 2, s2, out);
        put_any(layer, c + 3, s3, out);
    }
}

// Each channel has an input of its own.
static __attribute__((noinline)) void four_of_own(const layer_t *layer, const taps_t *taps, int32_t c,
    int8_t *out) {
    const int8_t *x = taps->x + c, *w = taps->w + c;
    const int32_t *bias = layer->bias;
    START_SUMS(bias, c);
    #if KERNELS_DSP
    const uint32_t offsets = dsp_both(layer->scale->in_offset);
    #else
    const int32_t offset = layer->scale->in_offset;
    #endif
    EACH_TAP(taps, x, w, ADD_TAP(x, w));
    put_four(layer, c, s0, s1, s2, s3, out);
}

// All four share one.
static __attribute__((noinline)) void four_of_one(const layer_t *layer, const taps_t *taps,
    int32_t in_channel, int32_t c, int8_t *out) {
    const int8_t *x = taps->x + in_channel, *w = taps->w + c;
    const int32_t *bias = layer->bias;
    const int32_t offset = layer->scale->in_offset;
    START_SUMS(bias, c);
    EACH_TAP(taps, x, w, ADD_SHARED(*x + offset, w));
    put_four(layer, c, s0, s1, s2, s3, out);
}

// --- one channel, four windows side by side ---

// In a row of outputs, those whose windows lie within the columns of the image.
typedef struct {
    int32_t first;
    int32_t n;                  // four or more, or none
    int32_t columns;            // of the filter, made up to words
} inner_t;

static inner_t inner_of(const window_t *window) {
    const int32_t columns = (window->filter_w + 3) & ~3;
    const int32_t room = window->in_w + window->pad_w - columns;
    const int32_t first = (window->pad_w + window->stride_w - 1) / window->stride_w;
    const int32_t end = room < 0 ? 0 : room / window->stride_w + 1;
    const int32_t n = (end < window->out_w ? end : window->out_w) - first;
    const bool fits = window->in_c == 1 && window->dilation_w == 1 && n >= 4;
    return (inner_t) { first, fits ? n : 0, columns };
}

#if KERNELS_DSP

// The filter of one channel, rows filled up with zeros.
static void collect(const window_t *window, const int8_t *w, int32_t columns, int8_t *to) {
    for (int32_t j = 0; j < window->filter_h; ++j, to += columns) {
        for (int32_t i = 0; i < columns; ++i) {
            const bool beyond = i >= window->filter_w;
            to[i] = beyond ? 0 : *w;
            w += beyond ? 0 : window->out_c;
        }
    }
}

#define ADD_FOUR_TAPS(sum, x) do { \
        const uint32_t bytes = dsp_load(x); \
        sum = dsp_mac(dsp_widen_even(bytes, offsets), even, sum); \
        sum = dsp_mac(dsp_widen_odd(bytes, offsets), odd, sum); \
} while (0)

// n outputs; the last four overlap those before where n is no multiple of four.
static __attribute__((noinline)) void four_windows(const layer_t *layer, const taps_t *taps, int32_t n,
    int32_t c, int8_t *out) {
    const uint32_t offsets = dsp_both(layer->scale->in_offset);
    const int32_t step = layer->window->stride_w, channels = layer->window->out_c;
    const int32_t columns = taps->columns, rest = taps->x_row - columns;
    const int8_t *last = taps->w + taps->rows * columns;
    const int32_t bias = layer->bias ? layer->bias[c] : 0;
    for (int32_t i = 0; i < n; i += 4) {
        i = i + 4 <= n ? i : n - 4;
        const int8_t *w = taps->w, *x = taps->x + i * step, *y = x + 2 * step;
        int32_t s0 = bias, s1 = bias, s2 = bias, s3 = bias;
        for (; w != last; x += rest, y += rest) {
            const int8_t *end = w + columns;
            do {
                const uint32_t bytes = dsp_load(w);
                const uint32_t even = dsp_even(bytes), odd = dsp_odd(bytes);
                w += 4;
                ADD_FOUR_TAPS(s1, x + step);
                ADD_FOUR_TAPS(s0, x);
                x += 4;
                ADD_FOUR_TAPS(s3, y + step);
                ADD_FOUR_TAPS(s2, y);
                y += 4;
            } while (w != end);
        }
        int8_t *to = out + i * channels;
        if (layer->is_short) {
            const window_short_t by = window_short(layer->scale, c);
            to[c] = (int8_t)window_scale_short(by, s0);
            to[c + channels] = (int8_t)window_scale_short(by, s1);
            to[c + 2 * channels] = (int8_t)window_scale_short(by, s2);
            to[c + 3 * channels] = (int8_t)window_scale_short(by, s3);
        } else {
            put_any(layer, c, s0, to);
            put_any(layer, c, s1, to + channels);
            put_any(layer, c, s2, to + 2 * channels);
            put_any(layer, c, s3, to + 3 * channels);
        }
    }
}

static void run_inner(const layer_t *layer, inner_t inner, const int8_t *in, const int8_t *weights,
    int8_t *out, int8_t *filter) {
    const window_t *window = layer->window;
    const int32_t n = window_pixels(window);
    for (int32_t c = 0; c < window->out_c; ++c) {
        collect(window, weights + c, inner.columns, filter);
        for (int32_t pixel = inner.first; pixel < n; pixel += window->out_w) {
            const window_part_t part = window_part(window, pixel);
            const taps_t taps = {
                in + part.in, filter + part.tap / window->filter_w * inner.columns, part.rows, inner.columns,
                1, 1, window_row(window), inner.columns,
            };
            four_windows(layer, &taps, inner.n, c, out + pixel * window->out_c);
        }
    }
}

#endif

// --- the layer ---

// As much at all levels, so that a PC can tell what a board needs.
size_t depthwise_s8_scratch(const window_t *window) {
    if (depthwise_3x3_fits(window)) {
        return depthwise_3x3_s8_scratch(window);    // room for a filter, too
    }
    const inner_t inner = inner_of(window);
    return inner.n ? (size_t)(window->filter_h * inner.columns) : 0;
}

void depthwise_s8(const window_t *window, const window_scale_t *scale, const int8_t *in,
    const int8_t *weights, const int32_t *bias, int8_t *out, void *scratch) {
    const bool is_short = scale->is_short && scale->least == INT8_MIN && scale->most == INT8_MAX;
    if (is_short && depthwise_3x3_fits(window)) {
        depthwise_3x3_s8(window, scale, in, weights, bias, out, scratch);
        return;
    }
    const layer_t layer = { window, scale, bias, is_short };
    const int32_t n = window_pixels(window);
    const int32_t channels = window->out_c;
    const int32_t each = channels / window->in_c;
    const bool shared = each % 4 == 0 || window->in_c == 1;
    #if KERNELS_DSP
    const inner_t inner = inner_of(window);
    if (inner.n) {
        run_inner(&layer, inner, in, weights, out, scratch);
    }
    #else
    const inner_t inner = { 0 };
    #endif
    for (int32_t pixel = 0; pixel < n; ++pixel, out += channels) {
        if (inner.n && (uint32_t)(pixel % window->out_w - inner.first) < (uint32_t)inner.n) {
            continue;
        }
        const taps_t taps = taps_of(window, in, weights, pixel);
        int32_t c = 0;
        for (; each == 1 && c + 4 <= channels; c += 4) {
            four_of_own(&layer, &taps, c, out);
        }
        for (; shared && c + 4 <= channels; c += 4) {
            four_of_one(&layer, &taps, c / each, c, out);
        }
        for (; c < channels; ++c) {
            one_channel(&layer, &taps, c / each, c, out);
        }
    }
}
