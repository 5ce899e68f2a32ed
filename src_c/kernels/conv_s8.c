// Convolution of int8, see conv.h. Two filters go over the windows of four pixels at a time: a weight that
// is loaded serves four products, an input two. Before that the four windows are gathered from the image,
// widened to 16 bits with the input's offset added, and interleaved, once for all filters.
//
// Inner loop for each MAC: DSP 1.05 instructions, else 1.9 in plain C on a Cortex-M3. Words of weights are
// loaded where they lie: a filter whose size is no multiple of 4 costs a cycle more for most of them.

#include <string.h>

#include "conv.h"

#if defined(__GNUC__) && !defined(__clang__)
#if KERNELS_DSP
// The loop in assembler takes all registers.
#pragma GCC optimize ("omit-frame-pointer")
#else
// Left alone, gcc sorts the sums of the plain loop anew and keeps some of them in memory.
#pragma GCC optimize ("no-tree-reassoc", "ira-algorithm=priority")
#endif
#endif

#define PIXELS (4)

// Four windows side by side. For each four taps, DSP: words with taps 0 and 2 of each pixel, then
// words with taps 1 and 3; else for each tap one value of each pixel.
#if KERNELS_DSP
typedef uint32_t lane_t;
#else
typedef int16_t lane_t;
#endif

static int32_t taps_of(const window_t *window) {
    return window->filter_h * window->filter_w * window->depth;
}

static size_t lanes_size(const window_t *window) {
    return (size_t)((taps_of(window) + 3) & ~3) * PIXELS * sizeof(int16_t);
}

size_t conv_s8_scratch(const window_t *window) {
    const size_t gathered = window->filter_h * window->filter_w == 1 ? 0 : (size_t)taps_of(window);
    return lanes_size(window) + gathered;
}

// --- from the image to lanes ---

// The taps of the window of one pixel in a row, each as it is in the image or, beyond it, zero. A
// window that is a row already is left where it is.
static const int8_t *gather(const window_t *window, const int8_t *in, int32_t pixel, int32_t zero,
    int8_t *to) {
    const bool single = window->filter_h * window->filter_w == 1;
    if (single && window->stride_h * window->stride_w == 1) {
        return in + pixel * window->in_c;
    }
    const window_part_t part = window_part(window, pixel);
    const bool in_a_row = window->dilation_w == 1 && window->depth == window->in_c;
    const bool inside = part.rows == window->filter_h && part.columns == window->filter_w;
    if (single || (inside && in_a_row && window->filter_h == 1)) {
        return in + part.in;
    }
    if (!inside) {
        memset(to, zero, (size_t)taps_of(window));
    }
    const int32_t step = in_a_row ? part.columns : 1;
    for (int32_t j = 0; j < part.rows; ++j) {
        for (int32_t i = 0; i < part.columns; i += step) {
            const int32_t x = part.in + j * window_row(window) + i * window_step(window);
            const int32_t tap = part.tap + j * window->filter_w + i;
            memcpy(to + tap * window->depth, in + x, (size_t)(step * window->depth));
        }
    }
    return to;
}

#if KERNELS_DSP

// Up to three bytes, and zeros.
static uint32_t load_some(const int8_t *from, int32_t n) {
    uint32_t bytes = (uint8_t)from[0];
    bytes |= n > 1 ? (uint32_t)(uint8_t)from[1] << 8 : 0;
    return bytes | (n > 2 ? (uint32_t)(uint8_t)from[2] << 16 : 0);
}

static void widen(lane_t *to, const int8_t *from, int32_t taps, int32_t offset) {
    const uint32_t offsets = dsp_both(offset);
    for (; taps >= 4; taps -= 4, from += 4, to += 2 * PIXELS) {
        const uint32_t bytes = dsp_load(from);
        to[0] = dsp_widen_even(bytes, offsets);
        to[PIXELS] = dsp_widen_odd(bytes, offsets);
    }
    if (taps) {
        const uint32_t bytes = load_some(from, taps);
        to[0] = dsp_widen_even(bytes, offsets);
        to[PIXELS] = dsp_widen_odd(bytes, offsets);
    }
}

#else

static void widen(lane_t *to, const int8_t *from, int32_t taps, int32_t offset) {
    for (int32_t i = 0; i < taps; ++i, to += PIXELS) {
        *to = (int16_t)(from[i] + offset);
    }
}

#endif

// --- products ---

// The sums of pixels with the filters a and b.
typedef struct {
    int32_t a0, a1, a2, a3;
    int32_t b0, b1, b2, b3;
} sums_t;

#if KERNELS_DSP

// Two of four taps: the words of four pixels times one word of each filter.
#define TWO_TAPS \
    "ldr %[x], [%[p]], #4\n smlad %[a0], %[x], %[v], %[a0]\n smlad %[b0], %[x], %[w], %[b0]\n" \
    "ldr %[x], [%[p]], #4\n smlad %[a1], %[x], %[v], %[a1]\n smlad %[b1], %[x], %[w], %[b1]\n" \
    "ldr %[x], [%[p]], #4\n smlad %[a2], %[x], %[v], %[a2]\n smlad %[b2], %[x], %[w], %[b2]\n" \
    "ldr %[x], [%[p]], #4\n smlad %[a3], %[x], %[v], %[a3]\n smlad %[b3], %[x], %[w], %[b3]\n"

// The bytes are loaded twice because all registers are taken.
#define FOUR_TAPS \
    "ldr %[v], [%[a]]\n ldr %[w], [%[b]]\n" \
    "sxtb16 %[v], %[v]\n sxtb16 %[w], %[w]\n" TWO_TAPS \
    "ldr %[v], [%[a]], #4\n ldr %[w], [%[b]], #4\n" \
    "sxtb16 %[v], %[v], ror #8\n sxtb16 %[w], %[w], ror #8\n" TWO_TAPS

// Any number of taps, for those that the loop below leaves.
static __attribute__((noinline)) sums_t plus_rest(sums_t sums, const lane_t *x, const int8_t *a,
    const int8_t *b, int32_t taps) {
    for (; taps > 0; taps -= 4, a += 4, b += 4, x += 2 * PIXELS) {
        const uint32_t v = taps >= 4 ? dsp_load(a) : load_some(a, taps);
        const uint32_t w = taps >= 4 ? dsp_load(b) : load_some(b, taps);
        const uint32_t a_even = dsp_even(v), b_even = dsp_even(w);
        const uint32_t a_odd = dsp_odd(v), b_odd = dsp_odd(w);
        sums.a0 = dsp_mac(x[4], a_odd, dsp_mac(x[0], a_even, sums.a0));
        sums.a1 = dsp_mac(x[5], a_odd, dsp_mac(x[1], a_even, sums.a1));
        sums.a2 = dsp_mac(x[6], a_odd, dsp_mac(x[2], a_even, sums.a2));
        sums.a3 = dsp_mac(x[7], a_odd, dsp_mac(x[3], a_even, sums.a3));
        sums.b0 = dsp_mac(x[4], b_odd, dsp_mac(x[0], b_even, sums.b0));
        sums.b1 = dsp_mac(x[5], b_odd, dsp_mac(x[1], b_even, sums.b1));
        sums.b2 = dsp_mac(x[6], b_odd, dsp_mac(x[2], b_even, sums.b2));
        sums.b3 = dsp_mac(x[7], b_odd, dsp_mac(x[3], b_even, sums.b3));
    }
    return sums;
}

// In assembler, since gcc 12 keeps half of the sums in memory: 67 instructions for 64 products.
static inline sums_t products(int32_t a_bias, int32_t b_bias, const lane_t *x, const int8_t *a,
    const int8_t *b, int32_t taps) {
    int32_t a0 = a_bias, a1 = a_bias, a2 = a_bias, a3 = a_bias;
    int32_t b0 = b_bias, b1 = b_bias, b2 = b_bias, b3 = b_bias;
    #ifdef __OPTIMIZE__
    const int8_t *end = a + (taps & ~7);
    if (a != end) {
        uint32_t t, v, w;
        __asm__ (
            "1:\n" FOUR_TAPS FOUR_TAPS
            "ldr %[x], %[end]\n cmp %[a], %[x]\n bne 1b\n"
            : [a0] "+r" (a0), [a1] "+r" (a1), [a2] "+r" (a2), [a3] "+r" (a3),
            [b0] "+r" (b0), [b1] "+r" (b1), [b2] "+r" (b2), [b3] "+r" (b3),
            [p] "+r" (x), [a] "+r" (a), [b] "+r" (b), [x] "=&r" (t), [v] "=&r" (v), [w] "=&r" (w)
            : [end] "m" (end)
            : "cc", "memory");
    }
    taps &= 7;
    #endif
    const sums_t sums = { a0, a1, a2, a3, b0, b1, b2, b3 };
    return taps ? plus_rest(sums, x, a, b, taps) : sums;
}

// The same for the first pixel alone.
static inline sums_t products_of_one(int32_t a0, int32_t b0, const lane_t *x, const int8_t *a,
    const int8_t *b, int32_t taps) {
    for (; taps > 0; taps -= 4, a += 4, b += 4, x += 2 * PIXELS) {
        const uint32_t v = taps >= 4 ? dsp_load(a) : load_some(a, taps);
        const uint32_t w = taps >= 4 ? dsp_load(b) : load_some(b, taps);
        a0 = dsp_mac(x[PIXELS], dsp_odd(v), dsp_mac(x[0], dsp_even(v), a0));
        b0 = dsp_mac(x[PIXELS], dsp_odd(w), dsp_mac(x[0], dsp_even(w), b0));
    }
    return (sums_t) { .a0 = a0, .b0 = b0 };
}

#else

#define ADD_TAP(i) do { \
        const int32_t v = a[i], w = b[i]; \
        int32_t t = x[(i) * PIXELS]; \
        a0 += t * v, b0 += t * w; \
        t = x[(i) * PIXELS + 1]; \
        a1 += t * v, b1 += t * w; \
        t = x[(i) * PIXELS + 2]; \
        a2 += t * v, b2 += t * w; \
        t = x[(i) * PIXELS + 3]; \
        a3 += t * v, b3 += t * w; \
} while (0)

static inline sums_t products(int32_t a_bias, int32_t b_bias, const lane_t *x, const int8_t *a,
    const int8_t *b, int32_t taps) {
    int32_t a0 = a_bias, a1 = a_bias, a2 = a_bias, a3 = a_bias;
    int32_t b0 = b_bias, b1 = b_bias, b2 = b_bias, b3 = b_bias;
    for (; taps >= 4; taps -= 4, a += 4, b += 4, x += 4 * PIXELS) {
        ADD_TAP(0);
        ADD_TAP(1);
        ADD_TAP(2);
        ADD_TAP(3);
    }
    for (; taps > 0; --taps, ++a, ++b, x += PIXELS) {
        ADD_TAP(0);
    }
    return (sums_t) { a0, a1, a2, a3, b0, b1, b2, b3 };
}

// The same for the first pixel alone.
static inline sums_t products_of_one(int32_t a0, int32_t b0, const lane_t *x, const int8_t *a,
    const int8_t *b, int32_t taps) {
    for (const int8_t *end = a + taps; a != end; x += PIXELS) {
        const int32_t t = *x;
        a0 += t * *a++, b0 += t * *b++;
    }
    return (sums_t) { .a0 = a0, .b0 = b0 };
}

#endif

// --- the layer ---

typedef struct {
    const window_t *window;
    const window_scale_t *scale;
    const int8_t *weights;
    const int32_t *bias;
    int32_t taps;
    bool is_short;
} layer_t;

// The outputs of four pixels in one channel.
static inline void put_short(window_short_t by, int32_t s0, int32_t s1, int32_t s2, int32_t s3, int8_t *out,
    int32_t step) {
    out[0] = (int8_t)window_scale_short(by, s0);
    out[step] = (int8_t)window_scale_short(by, s1);
    out[2 * step] = (int8_t)window_scale_short(by, s2);
    out[3 * step] = (int8_t)window_scale_short(by, s3);
}

// The outputs of n pixels in channels c and d, in any case.
static __attribute__((noinline)) void put(const layer_t *layer, sums_t sums, int32_t n, int32_t c,
    int32_t d, int8_t *out) {
    const int32_t a[PIXELS] = { sums.a0, sums.a1, sums.a2, sums.a3 };
    const int32_t b[PIXELS] = { sums.b0, sums.b1, sums.b2, sums.b3 };
    for (int32_t i = 0; i < n; ++i, out += layer->window->out_c) {
        out[c] = (int8_t)window_scale(layer->scale, c, a[i]);
        out[d] = (int8_t)window_scale(layer->scale, d, b[i]);
    }
}

// The outputs of four pixels, whose windows lie in lanes, in the channels from c to before end. The last
// of an odd number of channels is computed twice.
static __attribute__((noinline)) void filter_four(const layer_t *layer, const lane_t *lanes, int32_t c,
    int32_t end, int8_t *out) {
    const window_scale_t scale = *layer->scale;
    const int32_t taps = layer->taps, step = layer->window->out_c;
    const int32_t *bias = layer->bias;
    const bool is_short = layer->is_short;
    const int8_t *a = layer->weights + c * taps;
    for (; c < end; c += 2, a += 2 * taps) {
        const int32_t d = c + 1 < end ? c + 1 : c;
        const int32_t a0 = bias ? bias[c] : 0, b0 = bias ? bias[d] : 0;
        const sums_t sums = products(a0, b0, lanes, a, a + (d - c) * taps, taps);
        if (is_short) {
            put_short(window_short(&scale, d), sums.b0, sums.b1, sums.b2, sums.b3, out + d, step);
            put_short(window_short(&scale, c), sums.a0, sums.a1, sums.a2, sums.a3, out + c, step);
        } else {
            put(layer, sums, PIXELS, c, d, out);
        }
    }
}

// The same for the first of the four.
static __attribute__((noinline)) void filter_one(const layer_t *layer, const lane_t *lanes, int32_t c,
    int32_t end, int8_t *out) {
    const int32_t taps = layer->taps;
    const int32_t *bias = layer->bias;
    const int8_t *a = layer->weights + c * taps;
    for (; c < end; c += 2, a += 2 * taps) {
        const int32_t d = c + 1 < end ? c + 1 : c;
        const int32_t a0 = bias ? bias[c] : 0, b0 = bias ? bias[d] : 0;
        put(layer, products_of_one(a0, b0, lanes, a, a + (d - c) * taps, taps), 1, c, d, out);
    }
}

void conv_s8(const window_t *window, const window_scale_t *scale, const int8_t *in, const int8_t *weights,
    const int32_t *bias, int8_t *out, void *scratch) {
    const layer_t layer = { window, scale, weights, bias, taps_of(window), scale->is_short };
    lane_t *lanes = scratch;
    int8_t *gathered = (int8_t *)scratch + lanes_size(window);
    const int32_t pixels = window_pixels(window);
    const int32_t groups = window->in_c / window->depth;
    const int32_t channels = window->out_c / groups;
    for (int32_t group = 0; group < groups; ++group) {
        const int8_t *seen = in + group * window->depth;
        const int32_t first = group * channels, end = first + channels;
        for (int32_t pixel = 0, n; pixel < pixels; pixel += n) {
            n = pixels - pixel < PIXELS ? 1 : PIXELS;
            for (int32_t i = 0; i < n; ++i) {
                const int8_t *taps = gather(window, seen, pixel + i, -scale->in_offset, gathered);
                widen(lanes + i, taps, layer.taps, scale->in_offset);
            }
            (n == 1 ? filter_one : filter_four)(&layer, lanes, first, end, out + pixel * window->out_c);
        }
    }
    fixed_clamp_s8(out, pixels * window->out_c, scale->least, scale->most);
}
