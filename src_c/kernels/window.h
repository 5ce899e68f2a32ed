// Filters that move over an image in windows: what convolution and depthwise convolution share.

#ifndef MICROLITE_KERNELS_WINDOW_H
#define MICROLITE_KERNELS_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

#include "dsp.h"
#include "fixed.h"

// Images are batches x height x width x channels. Of each window a filter sees all channels of the
// input or, with groups, depth of them; depth is 1 where each channel has filters of its own.
typedef struct {
    int32_t batches;
    int32_t in_h, in_w, in_c;
    int32_t out_h, out_w, out_c;
    int32_t filter_h, filter_w;
    int32_t depth;
    int32_t stride_h, stride_w;
    int32_t dilation_h, dilation_w;
    int32_t pad_h, pad_w;       // above and left of the image
} window_t;

// Integer sums become outputs by sum * factor + out_offset, clamped.
typedef struct {
    const int32_t *multipliers; // one factor a channel of the output
    const int8_t *shifts;
    int32_t in_offset;          // added to each input
    int32_t weight_offset;      // added to each weight: uint8 only
    int32_t out_offset;
    int32_t least;              // of the outputs
    int32_t most;
    bool is_short;              // window_is_short() holds for all channels
} window_scale_t;

// --- places ---

// Pixels are outputs of all channels, counted through all batches.
static inline int32_t window_pixels(const window_t *window) {
    return window->batches * window->out_h * window->out_w;
}

// The part of a window that lies within the image.
typedef struct {
    int32_t in;                 // index of its first input
    int32_t tap;                // and of the place in the filter that this meets
    int32_t rows;
    int32_t columns;
} window_part_t;

// Along one axis: the first tap, and the one after the last, of a window that starts at start.
static inline int32_t window_first(int32_t start, int32_t dilation) {
    return start >= 0 ? 0 : (dilation - 1 - start) / dilation;
}

static inline int32_t window_end(int32_t start, int32_t dilation, int32_t filter, int32_t size) {
    const int32_t end = start >= size ? 0 : (size - start + dilation - 1) / dilation;
    return end < filter ? end : filter;
}

static inline window_part_t window_part(const window_t *window, int32_t pixel) {
    const int32_t row = pixel / window->out_w;
    const int32_t batch = row / window->out_h;
    const int32_t y = (row - batch * window->out_h) * window->stride_h - window->pad_h;
    const int32_t x = (pixel - row * window->out_w) * window->stride_w - window->pad_w;
    const int32_t j = window_first(y, window->dilation_h);
    const int32_t i = window_first(x, window->dilation_w);
    const int32_t in_y = batch * window->in_h + y + j * window->dilation_h;
    const window_part_t part = {
        (in_y * window->in_w + x + i * window->dilation_w) * window->in_c,
        i + j * window->filter_w,
        window_end(y, window->dilation_h, window->filter_h, window->in_h) - j,
        window_end(x, window->dilation_w, window->filter_w, window->in_w) - i,
    };
    return part;
}

// From one input to that of the next tap, and of the same tap in the next row.
static inline int32_t window_step(const window_t *window) {
    return window->dilation_w * window->in_c;
}

static inline int32_t window_row(const window_t *window) {
    return window->dilation_h * window->in_w * window->in_c;
}

// --- scaling ---

static inline int32_t window_scale(const window_scale_t *scale, int32_t channel, int32_t sum) {
    const int32_t value = fixed_multiply(sum, scale->multipliers[channel], scale->shifts[channel]);
    return fixed_clamp((int32_t)((uint32_t)value + (uint32_t)scale->out_offset), scale->least, scale->most);
}

// --- scaling of int8 in a short form ---
//
// With a right shift and sums below 2^30, twice a sum fits into 32 bits, and window_scale() comes
// down to two roundings: that of the high word of a product, and one of halves away from zero, which
// is done in steps: the last bit is shifted out after the offset was added. Equal in all cases.

static inline bool window_is_short(int32_t shift, int64_t most_sum) {
    return shift < 0 && most_sum < 1 << 30;
}

// What is the same for many sums.
typedef struct {
    int32_t multiplier;
    int32_t shift;              // right, all but the last bit
    int32_t offset;             // twice the offset of the output, plus one: the half
} window_short_t;

static inline window_short_t window_short(const window_scale_t *scale, int32_t channel) {
    const int32_t offset = 2 * scale->out_offset + 1;
    return (window_short_t) { scale->multipliers[channel], ~scale->shifts[channel], offset };
}

static inline int32_t window_scale_short(window_short_t by, int32_t sum) {
    #if KERNELS_DSP
    const int32_t high = dsp_high_product(sum * 2, by.multiplier);
    return dsp_half_to_int8(((high + (high >> 31)) >> by.shift) + by.offset);
    #else
    const int32_t high = (int32_t)(((int64_t)(sum * 2) * by.multiplier + (1u << 31)) >> 32);
    return fixed_clamp((((high + (high >> 31)) >> by.shift) + by.offset) >> 1, INT8_MIN, INT8_MAX);
    #endif
}

#endif
