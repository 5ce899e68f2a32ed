// Transposed convolution: each input adds a filter times its value to a window of the output.

#ifndef MICROLITE_KERNELS_TRANSPOSE_CONV_H
#define MICROLITE_KERNELS_TRANSPOSE_CONV_H

#include "window.h"

// Windows of window_t move over the output here, one for each input; depth is all channels of the
// input, dilation 1. Weights are channels x height x width x depth; bias may be NULL.

void transpose_conv_s8(const window_t *window, const window_scale_t *scale, const int8_t *in,
    const int8_t *weights, const int32_t *bias, int8_t *out);

// Sums have as many bits as a bias: 32, or 64 with a scaling that rounds once.
void transpose_conv_s16(const window_t *window, const window_scale_t *scale, const int16_t *in,
    const int8_t *weights, const void *bias, bool wide, int16_t *out);

void transpose_conv_f32(const window_t *window, const float *in, const float *weights, const float *bias,
    float *out);

#endif
