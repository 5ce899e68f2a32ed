// Depthwise convolution of int8, see depthwise.h. Four channels go over a window at a time: the
// weights of four channels are neighbours, and so are their inputs, or all four share one.
//
// With the DSP extension an image of one channel is another matter. Where windows lie within its columns,
// one channel at a time goes over four of them, side by side; at the left and right edges over four that lie
// one below the other. Its filter is collected in scratch, so that a word holds four taps: once widened they
// meet a word of each window, 16 products in 8 SMLAD and 25 instructions, and a row of the filter takes 10 more.
//
// For each MAC, scaling included, on a Cortex-M4: 3.5 to 4.5 instructions for windows of 7 x 7 and 5 x 5, 2.2
// for 10 x 8 on one channel; in plain C on a Cortex-M3 4.7 to 5.9, and 4.0.

#include <string.h>

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

static __attribute__((noinline)) void one_channel(const layer_t *layer, const taps_t *taps,
    int32_t in_channel, int32_t c, int8_t *out) {
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

// --- one channel, four windows in a line ---

// Of the outputs along an axis, those whose windows lie within the image.
typedef struct {
    int32_t first;
    int32_t n;                  // four or more, or none
} inner_t;

static inner_t inner_of(int32_t in, int32_t pad, int32_t filter, int32_t stride, int32_t out) {
    const int32_t room = in + pad - filter;
    const int32_t first = (pad + stride - 1) / stride;
    const int32_t end = room < 0 ? 0 : room / stride + 1;
    const int32_t n = (end < out ? end : out) - first;
    return (inner_t) { first, n >= 4 ? n : 0 };
}

static inline bool is_in(inner_t inner, int32_t place) {
    return (uint32_t)(place - inner.first) < (uint32_t)inner.n;
}

// Columns of the filter, made up to words.
static int32_t columns_of(const window_t *window) {
    return (window->filter_w + 3) & ~3;
}

static inner_t inner_columns(const window_t *window) {
    if (window->in_c != 1 || window->dilation_w != 1) {
        return (inner_t) { 0, 0 };
    }
    return inner_of(window->in_w, window->pad_w, columns_of(window), window->stride_w, window->out_w);
}

#if KERNELS_DSP

static inner_t inner_rows(const window_t *window) {
    const int32_t filter = (window->filter_h - 1) * window->dilation_h + 1;
    return inner_of(window->in_h, window->pad_h, filter, window->stride_h, window->out_h);
}

// The filter of one channel, its columns moved by so many, with zeros around them.
static __attribute__((noinline)) void collect(const window_t *window, const int8_t *w, int32_t moved,
    int8_t *to) {
    const int32_t columns = columns_of(window), step = window->out_c;
    const int32_t first = moved > 0 ? moved : 0;
    const int32_t end = window->filter_w + moved < columns ? window->filter_w + moved : columns;
    memset(to, 0, (size_t)(window->filter_h * columns));
    for (int32_t j = 0; j < window->filter_h; ++j, w += window->filter_w * step, to += columns) {
        const int8_t *from = w + (first - moved) * step;
        for (int32_t i = first; i < end; ++i, from += step) {
            to[i] = *from;
        }
    }
}

#define ADD_FOUR_TAPS(sum, x) do { \
        const uint32_t bytes = dsp_load(x); \
        sum = dsp_mac(dsp_widen_even(bytes, offsets), even, sum); \
        sum = dsp_mac(dsp_widen_odd(bytes, offsets), odd, sum); \
} while (0)

// A line of outputs, and how far apart they and the first inputs of their windows are.
typedef struct {
    int32_t n;
    int32_t step;
    int32_t x_step;
} line_t;

// The last four overlap those before where n is no multiple of four.
static __attribute__((noinline)) void four_windows(const layer_t *layer, const taps_t *taps, line_t line,
    int32_t c, int8_t *out) {
    const uint32_t offsets = dsp_both(layer->scale->in_offset);
    const int32_t n = line.n, step = line.x_step, to_step = line.step;
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
        int8_t *to = out + i * to_step;
        if (layer->is_short) {
            const window_short_t by = window_short(layer->scale, c);
            to[c] = (int8_t)window_scale_short(by, s0);
            to[c + to_step] = (int8_t)window_scale_short(by, s1);
            to[c + 2 * to_step] = (int8_t)window_scale_short(by, s2);
            to[c + 3 * to_step] = (int8_t)window_scale_short(by, s3);
        } else {
            put_any(layer, c, s0, to);
            put_any(layer, c, s1, to + to_step);
            put_any(layer, c, s2, to + 2 * to_step);
            put_any(layer, c, s3, to + 3 * to_step);
        }
    }
}

// Windows that lie within the columns, row by row. Of the others those that lie within the rows, column by
// column: their filter is moved to where all of its words meet the image.
static void run_inner(const layer_t *layer, inner_t rows, inner_t inner, const int8_t *in,
    const int8_t *weights, int8_t *out, int8_t *filter) {
    const window_t *window = layer->window;
    const int32_t columns = columns_of(window), out_c = window->out_c;
    const int32_t n = window_pixels(window);
    const line_t row = { inner.n, out_c, window->stride_w };
    const line_t column = { rows.n, window->out_w * out_c, window->stride_h * window->in_w };
    taps_t taps = { .columns = columns, .x_row = window_row(window) };
    const int32_t last = window->in_w - columns;
    const int32_t first = rows.n ? 0 : inner.first, end = rows.n ? window->out_w : inner.first + 1;
    for (int32_t c = 0; c < out_c; ++c) {
        for (int32_t x = first; x < end; ++x) {
            const bool in_rows = x == inner.first;
            if (!in_rows && is_in(inner, x)) {
                continue;
            }
            const int32_t left = x * window->stride_w - window->pad_w;
            const int32_t moved = left > last ? left - last : left < 0 ? left : 0;
            collect(window, weights + c, moved, filter);
            const int32_t step = in_rows ? window->out_w : window->out_w * window->out_h;
            for (int32_t pixel = (in_rows ? 0 : rows.first * window->out_w) + x; pixel < n; pixel += step) {
                const window_part_t part = window_part(window, pixel);
                taps.x = in + part.in - (moved > 0 ? moved : 0);
                taps.w = filter + part.tap / window->filter_w * columns;
                taps.rows = part.rows;
                four_windows(layer, &taps, in_rows ? row : column, c, out + pixel * out_c);
            }
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
    return inner_columns(window).n ? (size_t)(window->filter_h * columns_of(window)) : 0;
}

// All channels of one output.
static void run_pixel(const layer_t *layer, int32_t pixel, const int8_t *in, const int8_t *weights,
    int8_t *out) {
    const window_t *window = layer->window;
    const taps_t taps = taps_of(window, in, weights, pixel);
    const int32_t channels = window->out_c;
    const int32_t each = channels / window->in_c;
    const bool shared = each % 4 == 0 || window->in_c == 1;
    int32_t c = 0;
    out += pixel * channels;
    for (; each == 1 && c + 4 <= channels; c += 4) {
        four_of_own(layer, &taps, c, out);
    }
    for (; shared && c + 4 <= channels; c += 4) {
        four_of_one(layer, &taps, c / each, c, out);
    }
    for (; c < channels; ++c) {
        one_channel(layer, &taps, c / each, c, out);
    }
}

static void run_pixels(const layer_t *layer, const int8_t *in, const int8_t *weights, int8_t *out,
    void *scratch) {
    const window_t *window = layer->window;
    inner_t rows = { 0 }, columns = { 0 };
    #if KERNELS_DSP
    columns = inner_columns(window);
    if (columns.n) {
        rows = inner_rows(window);
        run_inner(layer, rows, columns, in, weights, out, scratch);
    }
    #else
    (void)scratch;
    #endif
    const int32_t n = window_pixels(window);
    for (int32_t first = 0; first < n; first += window->out_w) {
        if (is_in(rows, first / window->out_w % window->out_h)) {
            continue;
        }
        for (int32_t x = 0; x < window->out_w; ++x) {
            if (!is_in(columns, x)) {
                run_pixel(layer, first + x, in, weights, out);
            }
        }
    }
}

void depthwise_s8(const window_t *window, const window_scale_t *scale, const int8_t *in,
    const int8_t *weights, const int32_t *bias, int8_t *out, void *scratch) {
    if (scale->is_short && depthwise_3x3_fits(window)) {
        depthwise_3x3_s8(window, scale, in, weights, bias, out, scratch);
    } else {
        const layer_t layer = { window, scale, bias, scale->is_short };
        run_pixels(&layer, in, weights, out, scratch);
    }
    fixed_clamp_s8(out, window_pixels(window) * window->out_c, scale->least, scale->most);
}
