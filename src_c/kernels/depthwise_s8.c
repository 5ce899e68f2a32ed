// Depthwise convolution of int8, see depthwise.h. Four channels go over a window at a time: the
// weights of four channels are neighbours, and so are their inputs, or all four share one.
//
// For each MAC, scaling included, on a Cortex-M4: 4 to 5 instructions for windows of 7 x 7 and 5 x 5, 3.2
// for 10 x 8 where inputs are shared; in plain C on a Cortex-M3 5.2 to 6.7, and 3.9.

#include "depthwise.h"

// The taps of a window that lie within the image.
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
        in + part.in, weights + part.tap * window->out_c, part.rows, part.columns,
        window_step(window), window->out_c, window_row(window), window->filter_w * window->out_c,
    };
    return taps;
}

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
    const int8_t *x_row = taps->x + in_channel, *w_row = taps->w + c;
    int32_t sum = layer->bias ? layer->bias[c] : 0;
    for (int32_t j = 0; j < taps->rows; ++j, x_row += taps->x_row, w_row += taps->w_row) {
        const int8_t *x = x_row, *w = w_row;
        for (int32_t i = 0; i < taps->columns; ++i, x += taps->x_step, w += taps->w_step) {
            sum += (*x + offset) * *w;
        }
    }
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

// The same for an input in one lane of a word, in assembler: gcc 12 needs a quarter more.
#define ONE_TAP(lane, word) \
    "ldr %[t], [%[w]]\n add %[w], %[step]\n" \
    "sxtb16 %[u], %[t]\n sxtb16 %[t], %[t], ror #8\n" \
    "smla" lane "b %[s0], %[" word "], %[u], %[s0]\n smla" lane "b %[s1], %[" word "], %[t], %[s1]\n" \
    "smla" lane "t %[s2], %[" word "], %[u], %[s2]\n smla" lane "t %[s3], %[" word "], %[t], %[s3]\n"

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
    put(layer, c, s0, out);
    put(layer, c + 1, s1, out);
    put(layer, c + 2, s2, out);
    put(layer, c + 3, s3, out);
}

// Each channel has an input of its own.
static __attribute__((noinline)) void four_of_own(const layer_t *layer, const taps_t *taps, int32_t c,
    int8_t *out) {
    const int32_t x_step = taps->x_step, w_step = taps->w_step, columns = taps->columns;
    const int32_t x_rest = taps->x_row - columns * x_step, w_rest = taps->w_row - columns * w_step;
    const int8_t *x = taps->x + c, *w = taps->w + c;
    const int32_t *bias = layer->bias;
    START_SUMS(bias, c);
    #if KERNELS_DSP
    const uint32_t offsets = dsp_both(layer->scale->in_offset);
    #else
    const int32_t offset = layer->scale->in_offset;
    #endif
    for (int32_t j = taps->rows; j > 0; --j, x += x_rest, w += w_rest) {
        for (int32_t i = columns; i > 0; --i, x += x_step, w += w_step) {
            ADD_TAP(x, w);
        }
    }
    put_four(layer, c, s0, s1, s2, s3, out);
}

// All four share one.
static __attribute__((noinline)) void four_of_one(const layer_t *layer, const taps_t *taps,
    int32_t in_channel, int32_t c, int8_t *out) {
    const int32_t x_step = taps->x_step, w_step = taps->w_step, columns = taps->columns;
    const int32_t x_rest = taps->x_row - columns * x_step, w_rest = taps->w_row - columns * w_step;
    const int8_t *x = taps->x + in_channel, *w = taps->w + c;
    const int32_t *bias = layer->bias;
    const int32_t offset = layer->scale->in_offset;
    #if KERNELS_DSP
    const uint32_t offsets = dsp_both(offset);
    #endif
    START_SUMS(bias, c);
    for (int32_t j = taps->rows; j > 0; --j, x += x_rest, w += w_rest) {
        int32_t i = columns;
        #if KERNELS_DSP
        for (; x_step == 1 && i >= 4; i -= 4) {
            uint32_t even, odd, t, u;
            __asm__ (
                "ldr %[t], [%[x]], #4\n"
                "sxtab16 %[even], %[offsets], %[t]\n sxtab16 %[odd], %[offsets], %[t], ror #8\n"
                ONE_TAP("b", "even") ONE_TAP("b", "odd") ONE_TAP("t", "even") ONE_TAP("t", "odd")
                    : [s0] "+r" (s0), [s1] "+r" (s1), [s2] "+r" (s2), [s3] "+r" (s3), [x] "+r" (x), [w] "+r" (w),
                    [even] "=&r" (even), [odd] "=&r" (odd), [t] "=&r" (t), [u] "=&r" (u)
                    : [offsets] "r" (offsets), [step] "r" (w_step)
                    : "memory");
        }
        #endif
        for (; i > 0; --i, x += x_step, w += w_step) {
            ADD_SHARED(*x + offset, w);
        }
    }
    put_four(layer, c, s0, s1, s2, s3, out);
}

// --- the layer ---

size_t depthwise_s8_scratch(const window_t *window) {
    return depthwise_3x3_fits(window) ? depthwise_3x3_s8_scratch(window) : 0;
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
    for (int32_t pixel = 0; pixel < n; ++pixel, out += channels) {
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
