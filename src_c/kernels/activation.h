// LEAKY_RELU, HARD_SWISH and ELU.

#ifndef MICROLITE_KERNELS_ACTIVATION_H
#define MICROLITE_KERNELS_ACTIVATION_H

#include "fixed.h"

// Differences from in_offset have one factor above it and another below.
typedef struct {
    factor_t above;
    factor_t below;
    int32_t in_offset;
    int32_t out_offset;
} leaky_relu_t;

void leaky_relu_s8(const leaky_relu_t *params, const int8_t *in, int8_t *out, int32_t size);
void leaky_relu_s16(const leaky_relu_t *params, const int16_t *in, int16_t *out, int32_t size);
void leaky_relu_f32(float alpha, const float *in, float *out, int32_t size);

// x * clamp(x + 3, 0, 6) / 6 in 16 bits: factors from 1/128 of an input step to 32768 steps of
// [0, 3], and to output steps, the latter below 1.
typedef struct {
    factor_t gate;
    factor_t out;
    int32_t in_offset;
    int32_t out_offset;
} hard_swish_t;

void hard_swish_s8(const hard_swish_t *params, const int8_t *in, int8_t *out, int32_t size);
void hard_swish_f32(const float *in, float *out, int32_t size);

// exp(x) - 1 below 0.
typedef struct {
    float in_scale;
    float out_scale;
    int32_t in_offset;
    int32_t out_offset;
} elu_t;

void elu_s8(const elu_t *params, const int8_t *in, int8_t *out, int32_t size);
void elu_f32(const float *in, float *out, int32_t size);

#endif
