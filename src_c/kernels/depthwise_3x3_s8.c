// Depthwise convolution of int8 with windows of 3 x 3, see depthwise.h.
//
// Channels are taken apart: three rows of up to four channels lie in a ring, widened to 16 bits with
// the input's offset added and zeros around the image, as words of two neighbouring columns. The nine
// weights of a channel stay in registers while it goes along a row, two outputs a step: with the DSP
// extension 12 products of words, of which each holds one or two of the 18. Padding costs nothing,
// the ring has it.
//
// For each MAC, scaling included: DSP 3.3 instructions for rows of 48 outputs, 5 for rows of 6; in plain C
// on a Cortex-M3 5.5 and 8.

#include "depthwise.h"

// gcc would sort the sums below anew, or load too much ahead of them, and run out of registers.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize ("no-tree-reassoc", "no-schedule-insns")
#endif

#define ROWS     (3)
#define PLANES   (4)
#define CHANNELS (8)

#if KERNELS_DSP

// Two neighbouring columns, the left one in the low lane.
typedef uint32_t columns_t;

// Weights 0 and 1, 1 and 2 of a row of a filter.
typedef struct {
    uint32_t first;
    uint32_t last;
} weights_t;

#else

typedef struct {
    int16_t left;
    int16_t right;
} columns_t;

typedef struct {
    int32_t w0, w1, w2;
} weights_t;

#endif

typedef struct {
    const window_t *window;
    int32_t offset;             // of inputs
    int32_t pairs;              // of columns in a row
    columns_t *ring;            // planes x pairs x ROWS
} ring_t;

// Pairs that the outputs of a row, and one more where they are odd, look at.
static int32_t pairs_of(const window_t *window) {
    const int32_t outputs = (window->out_w + 1) & ~1;
    return (window->stride_w == 1 ? outputs / 2 : outputs) + 1;
}

static int32_t planes_of(const window_t *window) {
    return window->out_c != window->in_c ? 1 : window->in_c < PLANES ? window->in_c : PLANES;
}

bool depthwise_3x3_fits(const window_t *window) {
    return window->filter_h == 3 && window->filter_w == 3 && window->stride_h <= ROWS && window->stride_w <= 2
           && window->dilation_h == 1 && window->dilation_w == 1;
}

size_t depthwise_3x3_s8_scratch(const window_t *window) {
    return (size_t)planes_of(window) * (size_t)pairs_of(window) * ROWS * sizeof(columns_t);
}

// --- the ring ---

#if KERNELS_DSP

static inline columns_t columns(int32_t left, int32_t right) {
    return dsp_low_lanes((uint32_t)left, (uint32_t)right);
}

static void fill_four(const ring_t *ring, const int8_t *row, columns_t *to) {
    const int32_t plane = ring->pairs * ROWS;
    const uint32_t offsets = dsp_both(ring->offset);
    const uint32_t zeros = (uint8_t)-ring->offset * 0x01010101u;
    const int32_t step = ring->window->in_c;
    const int32_t width = ring->window->in_w;
    int32_t x = -ring->window->pad_w;
    for (int32_t i = ring->pairs; i > 0; --i, x += 2, to += ROWS) {
        const uint32_t a = (uint32_t)x < (uint32_t)width ? dsp_load(row + x * step) : zeros;
        const uint32_t b = x + 1 < width ? dsp_load(row + (x + 1) * step) : zeros;
        const uint32_t a_even = dsp_widen_even(a, offsets), b_even = dsp_widen_even(b, offsets);
        const uint32_t a_odd = dsp_widen_odd(a, offsets), b_odd = dsp_widen_odd(b, offsets);
        to[0] = dsp_low_lanes(a_even, b_even);
        to[plane] = dsp_low_lanes(a_odd, b_odd);
        to[2 * plane] = dsp_high_lanes(a_even, b_even);
        to[3 * plane] = dsp_high_lanes(a_odd, b_odd);
    }
}

#else

static inline columns_t columns(int32_t left, int32_t right) {
    return (columns_t) { (int16_t)left, (int16_t)right };
}

#endif

// One row of n channels.
static void fill(const ring_t *ring, const int8_t *row, int32_t n, columns_t *to) {
    #if KERNELS_DSP
    if (n == PLANES) {
        fill_four(ring, row, to);
        return;
    }
    #endif
    const int32_t plane = ring->pairs * ROWS;
    const int32_t offset = ring->offset;
    const int32_t step = ring->window->in_c;
    const int32_t width = ring->window->in_w;
    int32_t x = -ring->window->pad_w;
    for (int32_t i = ring->pairs; i > 0; --i, x += 2, to += ROWS) {
        const int8_t *at = row + x * step;
        if (x >= 0 && x + 1 < width) {
            for (int32_t k = 0; k < n; ++k) {
                to[k * plane] = columns(at[k] + offset, at[step + k] + offset);
            }
        } else {
            const bool left = x >= 0 && x < width, right = x + 1 < width;
            for (int32_t k = 0; k < n; ++k) {
                to[k * plane] = columns(left ? at[k] + offset : 0, right ? at[step + k] + offset : 0);
            }
        }
    }
}

// A row beyond the image.
static void clear(const ring_t *ring, int32_t n, columns_t *to) {
    for (int32_t i = 0; i < n * ring->pairs; ++i) {
        to[i * ROWS] = columns(0, 0);
    }
}

// --- a row of outputs ---

typedef struct {
    window_short_t scale;
    int32_t bias;
    weights_t weights[2 * ROWS - 1];   // rows 0, 1, 2, 0, 1: three of them fit the rows in the ring
} channel_t;

// Of two windows, a and b, side by side the parts that lie in one row: three pairs at stride 2.
#if KERNELS_DSP

#define ADD_AT_STRIDE_1(x, w) do { \
        a = dsp_mac((x)[0], w.first, a), b = dsp_mac_high_low((x)[0], w.first, b); \
        a = dsp_mac_low_high((x)[ROWS], w.last, a), b = dsp_mac((x)[ROWS], w.last, b); \
} while (0)

#define ADD_AT_STRIDE_2(x, w) do { \
        a = dsp_mac_low_high((x)[ROWS], w.last, dsp_mac((x)[0], w.first, a)); \
        b = dsp_mac_low_high((x)[2 * ROWS], w.last, dsp_mac((x)[ROWS], w.first, b)); \
} while (0)

#else

#define ADD_AT_STRIDE_1(x, w) do { \
        int32_t t = (x)[0].right; \
        a += (x)[0].left * w.w0, a += t * w.w1, b += t * w.w0; \
        t = (x)[ROWS].left; \
        a += t * w.w2, b += t * w.w1, b += (x)[ROWS].right * w.w2; \
} while (0)

#define ADD_AT_STRIDE_2(x, w) do { \
        const int32_t t = (x)[ROWS].left; \
        a += (x)[0].left * w.w0, a += (x)[0].right * w.w1, a += t * w.w2; \
        b += t * w.w0, b += (x)[ROWS].right * w.w1, b += (x)[2 * ROWS].left * w.w2; \
} while (0)

#endif

static inline void row_at_stride_1(const channel_t *channel, const weights_t *weights, const columns_t *x,
    int32_t n, int8_t *out, int32_t step) {
    const weights_t u = weights[0], v = weights[1], w = weights[2];
    const window_short_t scale = channel->scale;
    for (; n > 0; n -= 2, x += ROWS, out += 2 * step) {
        int32_t a = channel->bias, b = channel->bias;
        ADD_AT_STRIDE_1(x, u);
        ADD_AT_STRIDE_1(x + 1, v);
        ADD_AT_STRIDE_1(x + 2, w);
        out[0] = (int8_t)window_scale_short(scale, a);
        if (n > 1) {
            out[step] = (int8_t)window_scale_short(scale, b);
        }
    }
}

static inline void row_at_stride_2(const channel_t *channel, const weights_t *weights, const columns_t *x,
    int32_t n, int8_t *out, int32_t step) {
    const weights_t u = weights[0], v = weights[1], w = weights[2];
    const window_short_t scale = channel->scale;
    for (; n > 0; n -= 2, x += 2 * ROWS, out += 2 * step) {
        int32_t a = channel->bias, b = channel->bias;
        ADD_AT_STRIDE_2(x, u);
        ADD_AT_STRIDE_2(x + 1, v);
        ADD_AT_STRIDE_2(x + 2, w);
        out[0] = (int8_t)window_scale_short(scale, a);
        if (n > 1) {
            out[step] = (int8_t)window_scale_short(scale, b);
        }
    }
}

// n channels; x and out are those of the first, in the ring every plane words further, or the same.
static __attribute__((noinline)) void row_of_channels(const window_t *window, const channel_t *channels,
    int32_t n, int32_t oldest, const columns_t *x, int32_t plane, int8_t *out) {
    const int32_t at = oldest ? ROWS - oldest : 0;
    if (window->stride_w == 1) {
        for (const channel_t *end = channels + n; channels != end; ++channels, x += plane, ++out) {
            row_at_stride_1(channels, channels->weights + at, x, window->out_w, out, window->out_c);
        }
    } else {
        for (const channel_t *end = channels + n; channels != end; ++channels, x += plane, ++out) {
            row_at_stride_2(channels, channels->weights + at, x, window->out_w, out, window->out_c);
        }
    }
}

// --- the layer ---

static void prepare(const window_t *window, const int8_t *w, channel_t *channel) {
    for (int32_t j = 0; j < ROWS; ++j, w += 3 * window->out_c) {
        const int32_t w0 = w[0], w1 = w[window->out_c], w2 = w[2 * window->out_c];
        #if KERNELS_DSP
        channel->weights[j] = (weights_t) { columns(w0, w1), columns(w1, w2) };
        #else
        channel->weights[j] = (weights_t) { w0, w1, w2 };
        #endif
    }
    channel->weights[3] = channel->weights[0];
    channel->weights[4] = channel->weights[1];
}

// The outputs of an image in n channels, one for each plane or all for the same.
static void run(const ring_t *ring, const channel_t *channels, int32_t n, const int8_t *image, int32_t planes,
    int8_t *out) {
    const window_t *window = ring->window;
    const int32_t plane = planes == n ? ring->pairs * ROWS : 0;
    int32_t next = 0;           // row to come into the ring, padding included
    for (int32_t y = 0; y < window->out_h; ++y) {
        const int32_t first = y * window->stride_h;
        for (; next < first + ROWS; ++next) {
            const int32_t row = next - window->pad_h;
            columns_t *to = ring->ring + next % ROWS;
            if (row >= 0 && row < window->in_h) {
                fill(ring, image + row * window->in_w * window->in_c, planes, to);
            } else {
                clear(ring, planes, to);
            }
        }
        row_of_channels(window, channels, n, first % ROWS, ring->ring, plane, out);
        out += window->out_w * window->out_c;
    }
}

void depthwise_3x3_s8(const window_t *window, const window_scale_t *scale, const int8_t *in,
    const int8_t *weights, const int32_t *bias, int8_t *out, void *scratch) {
    const ring_t ring = { window, scale->in_offset, pairs_of(window), scratch };
    const int32_t planes = planes_of(window);
    const int32_t each = window->out_c / window->in_c;
    for (int32_t b = 0; b < window->batches; ++b) {
        for (int32_t c = 0; c < window->out_c;) {
            const int32_t end = each == 1 ? window->out_c : (c / each + 1) * each;
            const int32_t most = each == 1 ? planes : CHANNELS;
            const int32_t n = end - c < most ? end - c : most;
            channel_t channels[CHANNELS];
            for (int32_t k = 0; k < n; ++k) {
                channels[k].scale = window_short(scale, c + k);
                channels[k].bias = bias ? bias[c + k] : 0;
                prepare(window, weights + c + k, &channels[k]);
            }
            run(&ring, channels, n, in + c / each, each == 1 ? n : 1, out + c);
            c += n;
        }
        in += window->in_h * window->in_w * window->in_c;
        out += window->out_h * window->out_w * window->out_c;
    }
}
