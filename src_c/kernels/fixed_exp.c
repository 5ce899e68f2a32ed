// Exponentials and reciprocals in fixed point, see fixed_exp.h.

#include "fixed_exp.h"

#define QUARTER_OF(integer_bits) (1 << (31 - 2 - (integer_bits)))

// exp(value) for -1/4 <= value < 0 by the series around -1/8 up to the fourth power.
static int32_t exp_of_fraction(int32_t value) {
    const int32_t exp_of_eighth = 1895147668;   // exp(-1/8)
    const int32_t third = 715827883;
    const int32_t x = value + (1 << 28);
    const int32_t x2 = fixed_high_product(x, x);
    const int32_t x3 = fixed_high_product(x2, x);
    const int32_t x4 = fixed_high_product(x2, x2);
    const int32_t high = fixed_high_product(fixed_shift_right(x4, 2) + x3, third) + x2;
    return exp_of_eighth + fixed_high_product(exp_of_eighth, x + fixed_shift_right(high, 1));
}

// A quarter at most is left to the series; each bit above it multiplies by a constant.
int32_t fixed_exp(int32_t value, int32_t integer_bits) {
    static const int32_t exp_of_power[] = {     // exp(-2^i), i = -2...
        1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242,
    };
    if (value == 0) {
        return INT32_MAX;
    }
    const int32_t quarter = QUARTER_OF(integer_bits);
    const int32_t fraction = (value & (quarter - 1)) - quarter;
    int32_t result = exp_of_fraction((int32_t)((uint32_t)fraction << integer_bits));
    uint32_t powers = (uint32_t)(fraction - value) / (uint32_t)quarter;
    for (const int32_t *factor = exp_of_power; powers; ++factor, powers >>= 1) {
        if (powers & 1) {
            result = fixed_high_product(result, *factor);
        }
    }
    return result;
}

// 2 / (1 + value) of 2 integer bits, by Newton's method.
static int32_t twice_reciprocal(int32_t value) {
    const int32_t half_denominator = (int32_t)(((uint32_t)value + (1u << 31)) >> 1);
    int32_t x = 1515870810 + fixed_high_product(half_denominator, -1010580540);     // 48/17 - 32/17 d
    for (int i = 0; i < 3; ++i) {
        const int32_t rest = (1 << 29) - fixed_high_product(half_denominator, x);
        x += fixed_shift_left(fixed_high_product(x, rest), 2);
    }
    return x;
}

int32_t fixed_reciprocal(int32_t value) {
    return fixed_shift_left(twice_reciprocal(value), 1);
}

int32_t fixed_half_turn(int32_t value) {
    return fixed_shift_left(twice_reciprocal(value) - (1 << 29), 2);
}

int32_t fixed_radius(int32_t integer_bits, int32_t shift) {
    const int64_t most = (int64_t)((1 << integer_bits) - 1) << (31 - integer_bits);
    return (int32_t)(shift < 32 ? most >> shift : 0);
}
