// Convolution: each output is the sum of a window of the input times the filter of its channel.

#ifndef MICROLITE_KERNELS_CONV_H
#define MICROLITE_KERNELS_CONV_H

#include "window.h"

// Weights are channels x height x width x depth; bias may be NULL.

// Bytes that conv_s8() needs, aligned to 4.
size_t conv_s8_scratch(const window_t *window);
void conv_s8(const window_t *window, const window_scale_t *scale, const int8_t *in, const int8_t *weights,
    const int32_t *bias, int8_t *out, void *scratch);

void conv_u8(const window_t *window, const window_scale_t *scale, const uint8_t *in, const uint8_t *weights,
    const int32_t *bias, uint8_t *out);

// Sums have as many bits as a bias: 32, or 64 with a scaling that rounds once.
void conv_s16(const window_t *window, const window_scale_t *scale, const int16_t *in, const int8_t *weights,
    const void *bias, bool wide, int16_t *out);

void conv_f32(const window_t *window, float least, float most, const float *in, const float *weights,
    const float *bias, float *out);

#endif
