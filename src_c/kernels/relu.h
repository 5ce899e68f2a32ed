// Rectified linear units: values clamped to a range, and moved to another scale on the way.

#ifndef MICROLITE_KERNELS_RELU_H
#define MICROLITE_KERNELS_RELU_H

#include "fixed.h"

// Output numbers are (input - in_offset) * factor + out_offset, clamped.
typedef struct {
    factor_t factor;
    int32_t in_offset;
    int32_t out_offset;
    int32_t least;
    int32_t most;
} relu_t;

void relu_s8(const relu_t *params, const int8_t *in, int8_t *out, int32_t size);
void relu_u8(const relu_t *params, const uint8_t *in, uint8_t *out, int32_t size);
void relu_s16(const relu_t *params, const int16_t *in, int16_t *out, int32_t size);
void relu_f32(float least, float most, const float *in, float *out, int32_t size);

#endif
