// Depthwise convolution: every channel of the input has filters of its own, out_c / in_c of them.

#ifndef MICROLITE_KERNELS_DEPTHWISE_H
#define MICROLITE_KERNELS_DEPTHWISE_H

#include "window.h"

// Weights are height x width x channels of the output; bias may be NULL.

// Bytes that depthwise_s8() needs, aligned to 4.
size_t depthwise_s8_scratch(const window_t *window);
void depthwise_s8(const window_t *window, const window_scale_t *scale, const int8_t *in,
    const int8_t *weights, const int32_t *bias, int8_t *out, void *scratch);

// What depthwise_s8() uses where it fits, with a short scaling. Leaves outputs that are not clamped.
bool depthwise_3x3_fits(const window_t *window);
size_t depthwise_3x3_s8_scratch(const window_t *window);
void depthwise_3x3_s8(const window_t *window, const window_scale_t *scale, const int8_t *in,
    const int8_t *weights, const int32_t *bias, int8_t *out, void *scratch);

void depthwise_u8(const window_t *window, const window_scale_t *scale, const uint8_t *in,
    const uint8_t *weights, const int32_t *bias, uint8_t *out);
void depthwise_s16(const window_t *window, const window_scale_t *scale, const int16_t *in,
    const int8_t *weights, const void *bias, bool wide, int16_t *out);
void depthwise_f32(const window_t *window, float least, float most, const float *in, const float *weights,
    const float *bias, float *out);

#endif
