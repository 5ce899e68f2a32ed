// Functions of one float32, and ABS and RSQRT of quantised numbers.

#ifndef MICROLITE_KERNELS_UNARY_H
#define MICROLITE_KERNELS_UNARY_H

#include <stdbool.h>

#include "fixed.h"

void unary_f32(float (*function)(float), const float *in, float *out, int32_t size);

// Output numbers are function(input - in_offset) * factor + out_offset, within the bits of their
// type; an RSQRT of what is not positive is the largest.
typedef struct {
    factor_t factor;
    int32_t in_offset;
    int32_t out_offset;
} unary_t;

void abs_s8(const unary_t *params, const int8_t *in, int8_t *out, int32_t size);
void abs_s16(const unary_t *params, const int16_t *in, int16_t *out, int32_t size);
void rsqrt_s8(const unary_t *params, const int8_t *in, int8_t *out, int32_t size);
void rsqrt_s16(const unary_t *params, const int16_t *in, int16_t *out, int32_t size);
void logical_not(const bool *in, bool *out, int32_t size);

#endif
