// Functions of one number, see unary.h.

#include "unary.h"

#include <stdlib.h>

#include "fixed_exp.h"

void unary_f32(float (*function)(float), const float *in, float *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        out[i] = function(in[i]);
    }
}

void logical_not(const bool *in, bool *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        out[i] = !in[i];
    }
}

static int32_t absolute(const unary_t *params, int32_t value) {
    return fixed_multiply(abs(value - params->in_offset), params->factor.multiplier, params->factor.shift)
           + params->out_offset;
}

void abs_s8(const unary_t *params, const int8_t *in, int8_t *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        out[i] = (int8_t)fixed_clamp(absolute(params, in[i]), INT8_MIN, INT8_MAX);
    }
}

void abs_s16(const unary_t *params, const int16_t *in, int16_t *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        out[i] = (int16_t)fixed_clamp(absolute(params, in[i]), INT16_MIN, INT16_MAX);
    }
}

#define ROOT_BITS (20)  // fractional bits of the root before it is scaled

// 1 / sqrt(value) for 1 < value < 2^17, by Newton's method in 3 integer bits from a start of 1.
static factor_t inverse_root(int32_t value) {
    const int32_t pairs = (fixed_leading_zeros(value) - 1) / 2 - 1;
    const int32_t half = fixed_shift_right((value << (2 * pairs)) >> 1, 1);
    int32_t x = 1 << 28;
    for (int i = 0; i < 5; ++i) {
        const int32_t cube = fixed_shift_left(fixed_high_product(fixed_high_product(x, x), x), 6);
        x = fixed_shift_left(fixed_high_product((1 << 28) + (1 << 27), x) - fixed_high_product(half, cube), 3);
    }
    return (factor_t) { fixed_high_product(x, 1518500250), pairs - 11 };    // sqrt(1/2)
}

static int32_t rsqrt(const unary_t *params, int32_t value, int32_t most) {
    const int32_t difference = value - params->in_offset;
    if (difference <= 0) {
        return most;
    }
    const factor_t root = difference == 1 ? (factor_t) { INT32_MAX, 0 } : inverse_root(difference);
    const int32_t fraction = fixed_multiply(1, root.multiplier, root.shift + ROOT_BITS);
    const int32_t scaled = fixed_multiply(fraction, params->factor.multiplier,
        params->factor.shift - ROOT_BITS);
    return fixed_clamp(scaled + params->out_offset, -most - 1, most);
}

void rsqrt_s8(const unary_t *params, const int8_t *in, int8_t *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        out[i] = (int8_t)rsqrt(params, in[i], INT8_MAX);
    }
}

void rsqrt_s16(const unary_t *params, const int16_t *in, int16_t *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        out[i] = (int16_t)rsqrt(params, in[i], INT16_MAX);
    }
}
