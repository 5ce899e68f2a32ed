// Numbers from one type or scale to another.

#ifndef MICROLITE_KERNELS_CONVERT_H
#define MICROLITE_KERNELS_CONVERT_H

#include "fixed.h"

typedef enum {
    CONVERT_F32,
    CONVERT_S8,
    CONVERT_U8,
    CONVERT_S16,
    CONVERT_S32,
    CONVERT_S64,
    CONVERT_BOOL,
} convert_type_t;

// Output numbers are (input - in_offset) * factor + out_offset, saturated.
typedef struct {
    factor_t factor;
    int32_t in_offset;
    int32_t out_offset;
} requantize_t;

// Between integers of up to 32 bits; those of 32 bits have offset 0 and a shift of at most 30.
void requantize(const requantize_t *params, convert_type_t in_type, const void *in,
    convert_type_t out_type, void *out, int32_t size);

// Between int8 and uint8 of equal scale, in either direction, when the zero points differ by 128.
void requantize_sign(const void *in, void *out, int32_t size);

// To 8 or 16 bits: in / scale + zero_point, halves away from zero, saturated. NaN gives zero_point.
void quantize_f32(float scale, int32_t zero_point, const float *in, convert_type_t out_type, void *out,
    int32_t size);

// From 8 or 16 bits: (in - zero_point) * scale.
void dequantize_f32(float scale, int32_t zero_point, convert_type_t in_type, const void *in, float *out,
    int32_t size);

// The values themselves. Floats lose their fraction and saturate, NaN gives 0; integers lose the
// bits that a narrower type has no room for; a bool is whether the value is not 0.
void cast(convert_type_t in_type, const void *in, convert_type_t out_type, void *out, int32_t size);

#endif
