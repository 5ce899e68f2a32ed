// Exponentials and reciprocals in fixed point, bit by bit those that TFLite's quantised kernels
// are defined by. "n integer bits" is a number of 31 - n fractional bits.

#ifndef MICROLITE_KERNELS_FIXED_EXP_H
#define MICROLITE_KERNELS_FIXED_EXP_H

#include "fixed.h"

// value * 2^exponent, saturated.
static inline int32_t fixed_shift_left(int32_t value, int32_t exponent) {
    const int32_t most = INT32_MAX >> exponent;
    return value > most ? INT32_MAX : value < -most ? INT32_MIN : (int32_t)((uint32_t)value << exponent);
}

// The zeros in front of a positive number.
static inline int32_t fixed_leading_zeros(int32_t value) {
    return __builtin_clz((uint32_t)value);
}

// exp(value) without integer bits, for value <= 0 of 4 or 5 integer bits.
int32_t fixed_exp(int32_t value, int32_t integer_bits);

// Of 0 <= value < 1 without integer bits: 1 / (1 + value) and (1 - value) / (1 + value).
int32_t fixed_reciprocal(int32_t value);
int32_t fixed_half_turn(int32_t value);

// The largest difference from a maximum, in steps of the factor's input, whose product keeps to
// the integer bits.
int32_t fixed_radius(int32_t integer_bits, int32_t shift);

#endif
