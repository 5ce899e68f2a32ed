// Quotients of quantised values, see mul.h.

#include "fixed.h"
#include "mul.h"

// 1 / (1 + x) for x from 0 to 1, both in 31 fractional bits: three steps of Newton's method, whose
// values have 2 integer bits, from an estimate of the reciprocal of half the denominator.
static int32_t reciprocal(int32_t x) {
    const int32_t half = (int32_t)(((int64_t)x + INT32_MAX + 1) / 2);
    int32_t guess = 1515870810 + fixed_high_product(half, -1010580540); // 48/17 - 32/17 half
    for (int i = 0; i < 3; ++i) {
        const int32_t error = (1 << 29) - fixed_high_product(half, guess);
        guess += fixed_high_product(guess, error) * 4;
    }
    return guess >= 1 << 30 ? INT32_MAX : guess * 2;
}

static int32_t quotient(const mul_t *p, int32_t x, int32_t y) {
    if (y < 0) {
        x = -x;
        y = -y;
    }
    const int32_t bits = 31 - __builtin_clz((uint32_t)y);
    const int32_t inverse = reciprocal((int32_t)(((uint32_t)y << (31 - bits)) - (1u << 31)));
    const int32_t headroom = x ? __builtin_clrsb(x) : 31;
    const int32_t exponent = bits + headroom - p->shift;
    const int32_t unscaled = fixed_high_product((int32_t)((uint32_t)x << headroom), inverse);
    const int32_t product = fixed_high_product(unscaled, p->multiplier);
    return exponent > 31 ? 0 : fixed_shift_right(product, exponent);
}

static int32_t div(const mul_t *p, int32_t x, int32_t y) {
    x -= p->a_offset;
    y -= p->b_offset;
    if (y == 0) {
        return x > 0 ? p->most : x < 0 ? p->least : fixed_clamp(p->out_offset, p->least, p->most);
    }
    return fixed_clamp(quotient(p, x, y) + p->out_offset, p->least, p->most);
}

BROADCAST_RUN(div_s8, int8_t, int8_t, mul_t, div(p, x, y))
BROADCAST_RUN(div_u8, uint8_t, uint8_t, mul_t, div(p, x, y))
