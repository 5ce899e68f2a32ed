// LOGISTIC and TANH.

#ifndef MICROLITE_KERNELS_LOGISTIC_H
#define MICROLITE_KERNELS_LOGISTIC_H

#include "fixed.h"

// (input - in_offset) * factor has 4 integer bits within the radius, and saturates beyond.
typedef struct {
    factor_t factor;
    int32_t in_offset;
    int32_t radius;
} logistic_t;

logistic_t logistic_params(factor_t factor, int32_t in_offset);

void logistic_s8(const logistic_t *params, const int8_t *in, int8_t *out, int32_t size);
void tanh_s8(const logistic_t *params, const int8_t *in, int8_t *out, int32_t size);

// input * multiplier / 2^shift has 12288 steps a unit.
void logistic_s16(int32_t multiplier, int32_t shift, const int16_t *in, int16_t *out, int32_t size);
void tanh_s16(int32_t multiplier, int32_t shift, const int16_t *in, int16_t *out, int32_t size);

void logistic_f32(const float *in, float *out, int32_t size);
void tanh_f32(const float *in, float *out, int32_t size);

#endif
