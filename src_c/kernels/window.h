// Filters that move over an image in windows: what convolution and depthwise convolution share.

#ifndef MICROLITE_KERNELS_WINDOW_H
#define MICROLITE_KERNELS_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

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
    bool is_short;              // window_scale_short() is right for all channels
} window_scale_t;

// --- places ---

// The index of an image's first element, and where in it the window of an output has its top left.
typedef struct {
    int32_t image;
    int32_t y;
    int32_t x;
} window_place_t;

// Pixels are outputs of all channels, counted through all batches.
static inline int32_t window_pixels(const window_t *window) {
    return window->batches * window->out_h * window->out_w;
}

static inline window_place_t window_place(const window_t *window, int32_t pixel) {
    const int32_t row = pixel / window->out_w;
    const int32_t batch = row / window->out_h;
    return (window_place_t) {
        batch * window->in_h * window->in_w * window->in_c,
        (row - batch * window->out_h) * window->stride_h - window->pad_h,
        (pixel - row * window->out_w) * window->stride_w - window->pad_w,
    };
}


// Along one axis: the first tap, and the one after the last, of a window that starts at start.
static inline int32_t window_first(int32_t start, int32_t dilation) {
    return start >= 0 ? 0 : (dilation - 1 - start) / dilation;
}

static inline int32_t window_end(int32_t start, int32_t dilation, int32_t filter, int32_t size) {
    const int32_t end = start >= size ? 0 : (size - start + dilation - 1) / dilation;
    return end < filter ? end : filter;
}

// --- scaling ---

static inline int32_t window_scale(const window_scale_t *scale, int32_t channel, int32_t sum) {
    const int32_t value = fixed_multiply(sum, scale->multipliers[channel], scale->shifts[channel]);
    return fixed_clamp((int32_t)((uint32_t)value + (uint32_t)scale->out_offset), scale->least, scale->most);
}

// Whether the short form below computes the same for this channel: sums stay within most_sum.
static inline bool window_is_short(int32_t shift, int64_t most_sum) {
    return shift >= -22 && shift <= -1 && most_sum < 1 << 30;
}

#endif
