// Convolution of int8, see conv.h. Two filters go over the windows of four pixels at a time: a weight
// that is loaded serves four products, an input two. Before that the four windows are gathered from
// the image, widened to 16 bits with the input's offset added, and interleaved, once for all filters.
//
// Inner loop for each MAC: DSP 1.05 instructions, else 1.9 in plain C on a Cortex-M3.

#include <string.h>

#include "conv.h"
#include "dsp.h"

#define PIXELS (4)

// Four windows side by side. For each four taps, DSP: words with taps 0 and 2 of each pixel, then
// words with taps 1 and 3; else for each tap one value of each pixel.
#if KERNELS_DSP
typedef uint32_t lane_t;
#define LANE_TAPS (2)
#else
typedef int16_t lane_t;
#define LANE_TAPS (1)
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

// The taps of one window in a row, each as it is in the image or, beyond it, zero. A window that is
// a row already is left where it is.
static const int8_t *gather(const window_t *window, const int8_t *image, int32_t y, int32_t x, int32_t zero,
    int8_t *to) {
    const int32_t first = window_first(x, window->dilation_w);
    const int32_t end = window_end(x, window->dilation_w, window->filter_w, window->in_w);
    const int32_t first_y = window_first(y, window->dilation_h);
    const int32_t end_y = window_end(y, window->dilation_h, window->filter_h, window->in_h);
    const bool in_a_row = window->dilation_w == 1 && window->depth == window->in_c;
    const bool inside = first == 0 && end == window->filter_w && first_y == 0 && end_y == window->filter_h;
    if (inside && window->filter_h == 1 && (in_a_row || window->filter_w == 1)) {
        return image + (y * window->in_w + x) * window->in_c;
    }
    if (!inside) {
        memset(to, zero, (size_t)taps_of(window));
    }
    const int32_t step = in_a_row ? end - first : 1;
    for (int32_t j = first_y; j < end_y; ++j) {
        const int8_t *row = image + (y + j * window->dilation_h) * window->in_w * window->in_c;
        for (int32_t i = first; i < end; i += step) {
            memcpy(to + (j * window->filter_w + i) * window->depth,
                row + (x + i * window->dilation_w) * window->in_c, (size_t)(step * window->depth));
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
    for (; taps > 0; taps -= 4, from += 4, to += 2 * PIXELS) {
        const uint32_t bytes = taps >= 4 ? dsp_load(from) : load_some(from, taps);
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
    int32_t a[PIXELS];
    int32_t b[PIXELS];
} sums_t;

static inline sums_t sums_of_four(const lane_t *x, const int8_t *a, const int8_t *b, int32_t taps) {
    int32_t a0 = 0, a1 = 0, a2 = 0, a3 = 0, b0 = 0, b1 = 0, b2 = 0, b3 = 0;
    #if KERNELS_DSP
    for (; taps > 0; taps -= 4, a += 4, b += 4, x += 2 * PIXELS) {
        const uint32_t wa = taps >= 4 ? dsp_load(a) : load_some(a, taps);
        const uint32_t wb = taps >= 4 ? dsp_load(b) : load_some(b, taps);
        const uint32_t a_even = dsp_widen_even(wa, 0), b_even = dsp_widen_even(wb, 0);
        a0 = dsp_mac(x[0], a_even, a0), b0 = dsp_mac(x[0], b_even, b0);
        a1 = dsp_mac(x[1], a_even, a1), b1 = dsp_mac(x[1], b_even, b1);
        a2 = dsp_mac(x[2], a_even, a2), b2 = dsp_mac(x[2], b_even, b2);
        a3 = dsp_mac(x[3], a_even, a3), b3 = dsp_mac(x[3], b_even, b3);
        const uint32_t a_odd = dsp_widen_odd(wa, 0), b_odd = dsp_widen_odd(wb, 0);
        a0 = dsp_mac(x[4], a_odd, a0), b0 = dsp_mac(x[4], b_odd, b0);
        a1 = dsp_mac(x[5], a_odd, a1), b1 = dsp_mac(x[5], b_odd, b1);
        a2 = dsp_mac(x[6], a_odd, a2), b2 = dsp_mac(x[6], b_odd, b2);
        a3 = dsp_mac(x[7], a_odd, a3), b3 = dsp_mac(x[7], b_odd, b3);
    }
    #else
    for (int32_t i = 0; i < taps; ++i, x += PIXELS) {
        const int32_t wa = a[i], wb = b[i];
        a0 += x[0] * wa, b0 += x[0] * wb;
        a1 += x[1] * wa, b1 += x[1] * wb;
        a2 += x[2] * wa, b2 += x[2] * wb;
        a3 += x[3] * wa, b3 += x[3] * wb;
    }
    #endif
    return (sums_t) { { a0, a1, a2, a3 }, { b0, b1, b2, b3 } };
}

static inline void sums_of_one(const lane_t *x, const int8_t *a, const int8_t *b, int32_t taps, int32_t *sum_a,
    int32_t *sum_b) {
    int32_t s = 0, t = 0;
    #if KERNELS_DSP
    for (; taps > 0; taps -= 4, a += 4, b += 4, x += 2 * PIXELS) {
        const uint32_t wa = taps >= 4 ? dsp_load(a) : load_some(a, taps);
        const uint32_t wb = taps >= 4 ? dsp_load(b) : load_some(b, taps);
        s = dsp_mac(x[0], dsp_widen_even(wa, 0), s), t = dsp_mac(x[0], dsp_widen_even(wb, 0), t);
        s = dsp_mac(x[PIXELS], dsp_widen_odd(wa, 0), s), t = dsp_mac(x[PIXELS], dsp_widen_odd(wb, 0), t);
    }
    #else
    for (int32_t i = 0; i < taps; ++i, x += PIXELS) {
        s += *x * a[i], t += *x * b[i];
    }
    #endif
    *sum_a = s;
    *sum_b = t;
}

// --- the layer ---

typedef struct {
    const window_t *window;
    const window_scale_t *scale;
    const int8_t *weights;
    const int32_t *bias;
    int32_t taps;
} layer_t;

// The outputs of n pixels in one channel.
static inline void put(const layer_t *layer, const int32_t *sums, int32_t n, int32_t channel, int8_t *out) {
    const int32_t bias = layer->bias ? layer->bias[channel] : 0;
    for (int32_t i = 0; i < n; ++i) {
        out[i * layer->window->out_c + channel] = (int8_t)window_scale(layer->scale, channel, sums[i] + bias);
    }
}

// The outputs of n pixels, whose windows lie in lanes, in the channels from first to before end.
static void filter(const layer_t *layer, const lane_t *lanes, int32_t n, int32_t first, int32_t end, int8_t *out) {
    for (int32_t c = first; c < end; c += 2) {
        const int8_t *a = layer->weights + c * layer->taps;
        const int8_t *b = c + 1 < end ? a + layer->taps : a;
        sums_t sums;
        if (n > 2) {
            sums = sums_of_four(lanes, a, b, layer->taps);
        } else {
            for (int32_t i = 0; i < n; ++i) {
                sums_of_one(lanes + i, a, b, layer->taps, &sums.a[i], &sums.b[i]);
            }
        }
        put(layer, sums.a, n, c, out);
        if (b != a) {
            put(layer, sums.b, n, c + 1, out);
        }
    }
}

void conv_s8(const window_t *window, const window_scale_t *scale, const int8_t *in, const int8_t *weights,
    const int32_t *bias, int8_t *out, void *scratch) {
    const layer_t layer = { window, scale, weights, bias, taps_of(window) };
    lane_t *lanes = scratch;
    int8_t *gathered = (int8_t *)scratch + lanes_size(window);
    const int32_t pixels = window_pixels(window);
    const int32_t groups = window->in_c / window->depth;
    const int32_t channels = window->out_c / groups;
    for (int32_t group = 0; group < groups; ++group) {
        for (int32_t pixel = 0; pixel < pixels; pixel += PIXELS) {
            const int32_t n = pixels - pixel < PIXELS ? pixels - pixel : PIXELS;
            for (int32_t i = 0; i < n; ++i) {
                const window_place_t place = window_place(window, pixel + i);
                const int8_t *taps = gather(window, in + place.image + group * window->depth, place.y, place.x,
                    -scale->in_offset, gathered);
                widen(lanes + i, taps, layer.taps, scale->in_offset);
            }
            filter(&layer, lanes, n, group * channels, (group + 1) * channels, out + pixel * window->out_c);
        }
    }
}
