// Fixed-point arithmetic of quantised kernels, as TFLite defines it: a real factor is a multiplier
// of 31 fractional bits and a power of two, and every product is rounded twice, halves away from
// zero in the first step and upwards from the middle in the second.

#ifndef MICROLITE_KERNELS_FIXED_H
#define MICROLITE_KERNELS_FIXED_H

#include <stdint.h>

// The factor multiplier / 2^31 * 2^shift.
typedef struct {
    int32_t multiplier;
    int32_t shift;
} factor_t;

// The high half of twice the product, rounded. Not for two times INT32_MIN.
static inline int32_t fixed_high_product(int32_t a, int32_t b) {
    return (int32_t)(((int64_t)a * b + (1 << 30)) >> 31);
}

// value / 2^exponent, rounded to nearest, halves away from zero.
static inline int32_t fixed_shift_right(int32_t value, int32_t exponent) {
    const int32_t mask = (int32_t)((1u << exponent) - 1);
    const int32_t threshold = (mask >> 1) + (value < 0);
    return (value >> exponent) + ((value & mask) > threshold);
}

static inline int32_t fixed_multiply(int32_t value, int32_t multiplier, int32_t shift) {
    const int32_t left = shift > 0 ? shift : 0;
    const int32_t right = shift > 0 ? 0 : -shift;
    return fixed_shift_right(fixed_high_product((int32_t)((uint32_t)value << left), multiplier), right);
}

// The same for the wide sums of kernels with 16-bit values: 15 fractional bits, rounded once.
static inline int32_t fixed_multiply_wide(int64_t value, int32_t multiplier, int32_t shift) {
    const int32_t reduced = multiplier < 0x7fff0000 ? (multiplier + (1 << 15)) >> 16 : 0x7fff;
    const int32_t right = 15 - shift;
    const int64_t result = (value * reduced + ((int64_t)1 << (right - 1))) >> right;
    return result < INT32_MIN ? INT32_MIN : result > INT32_MAX ? INT32_MAX : (int32_t)result;
}

static inline int32_t fixed_clamp(int32_t value, int32_t least, int32_t most) {
    return value < least ? least : value > most ? most : value;
}

// For kernels whose fastest loops leave all of int8.
static inline void fixed_clamp_s8(int8_t *values, int32_t n, int32_t least, int32_t most) {
    if (least > INT8_MIN || most < INT8_MAX) {
        for (int8_t *end = values + n; values != end; ++values) {
            *values = (int8_t)fixed_clamp(*values, least, most);
        }
    }
}

#endif
