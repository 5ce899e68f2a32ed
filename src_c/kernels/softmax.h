// SOFTMAX and LOG_SOFTMAX over the last axis: rows of depth elements.

#ifndef MICROLITE_KERNELS_SOFTMAX_H
#define MICROLITE_KERNELS_SOFTMAX_H

#include "fixed.h"

// Differences from a row's maximum times the factor are exponents of 5 integer bits; those below
// least are too small to count.
typedef struct {
    factor_t factor;
    int32_t least;
} softmax_t;

softmax_t softmax_params(factor_t factor);

void softmax_s8(const softmax_t *params, const int8_t *in, int8_t *out, int32_t rows, int32_t depth);
void softmax_u8(const softmax_t *params, const uint8_t *in, uint8_t *out, int32_t rows, int32_t depth);
void softmax_s8_s16(const softmax_t *params, const int8_t *in, int16_t *out, int32_t rows, int32_t depth);

// Here the factor takes differences to 65535 steps of [-10, 0].
void softmax_s16(factor_t factor, const int16_t *in, int16_t *out, int32_t rows, int32_t depth);
void softmax_f32(float beta, const float *in, float *out, int32_t rows, int32_t depth);

// The back factor takes logarithms of 5 integer bits to steps of the input.
void log_softmax_s8(const softmax_t *params, factor_t back, const int8_t *in, int8_t *out, int32_t rows,
    int32_t depth);
void log_softmax_f32(const float *in, float *out, int32_t rows, int32_t depth);

#endif
