// Sums of quantised values, see add.h.
//
// Int8 sums take 18 instructions a value on a Cortex-M4, 25 on an M3: of two inputs the
// one of the larger scale needs no multiplication, as its factor is one half.

#include "add.h"
#include "fixed.h"
#include "rescale.h"

static inline int32_t scaled(const add_t *p, int32_t value, int32_t multiplier, int32_t shift) {
    return fixed_multiply(value * (1 << p->left), multiplier, shift);
}

static int32_t sum(const add_t *p, int32_t x, int32_t y) {
    return scaled(p, x - p->a_offset, p->a_multiplier, p->a_shift)
           + p->sign * scaled(p, y - p->b_offset, p->b_multiplier, p->b_shift);
}

static int32_t finish(const add_t *p, int32_t value) {
    return fixed_clamp(fixed_multiply(value, p->out_multiplier, p->out_shift) + p->out_offset, p->least,
        p->most);
}

// One function for all types keeps the rare ones small.
static __attribute__((noinline)) int32_t add(const add_t *p, int32_t x, int32_t y) {
    return finish(p, sum(p, x, y));
}

static __attribute__((noinline)) int32_t squared_difference(const add_t *p, int32_t x, int32_t y) {
    const int32_t difference = sum(p, x, y);
    return finish(p, difference * difference);
}

static BROADCAST_RUN(add_any_s8, int8_t, int8_t, add_t, add(p, x, y))
BROADCAST_RUN(add_u8, uint8_t, uint8_t, add_t, add(p, x, y))
BROADCAST_RUN(add_s16, int16_t, int16_t, add_t, add(p, x, y))
BROADCAST_RUN(squared_difference_s8, int8_t, int8_t, add_t, squared_difference(p, x, y))
BROADCAST_RUN(squared_difference_u8, uint8_t, uint8_t, add_t, squared_difference(p, x, y))
BROADCAST_RUN(squared_difference_s16, int16_t, int16_t, add_t, squared_difference(p, x, y))

// Both scales are equal. Offsets come off where values are scaled up, by 20 bits and once more for
// rescale_half(), less one for the factor.
static void add_equal(const add_t *p, const int8_t *a, const int8_t *b, int8_t *out, int32_t n) {
    const rescale_t rescale = rescale_of(p->out_multiplier, p->out_shift, p->out_offset);
    const int32_t sign = p->sign;
    const int32_t offset = (p->a_offset + sign * p->b_offset) * (1 << 20);
    for (const int8_t *end = a + n; a < end;) {
        const int32_t value = *a++ + sign * *b++;
        *out++ = (int8_t)rescale_saturate(rescale_half(&rescale, value * (1 << 20) - offset));
    }
}

// The scale of a is larger. One function for each pair of signs, of a and b, as registers are short.
#define ADD_LARGER(name, a_sign, b_sign) \
    static __attribute__((noinline)) void name(const add_t *p, const int8_t *a, const int8_t *b, int8_t *out, \
    int32_t n) { \
        const rescale_t rescale = rescale_of(p->out_multiplier, p->out_shift, p->out_offset); \
        const rescale_t rescale_b = rescale_of(p->b_multiplier, p->b_shift, 0); \
        const int32_t a_bias = a_sign -p->a_offset * (1 << 20), b_bias = -p->b_offset * (1 << 21); \
        for (const int8_t *end = a + n; a < end;) { \
            const int32_t scaled = rescale_half(&rescale_b, b_bias + *b++ * (1 << 21)); \
            const int32_t sum = a_bias b_sign scaled * 2 a_sign *a++ * (1 << 20); \
            *out++ = (int8_t)rescale_saturate(rescale_half(&rescale, sum)); \
        } \
    }

ADD_LARGER(sum_of_larger, +, +)
ADD_LARGER(larger_less, +, -)
ADD_LARGER(less_larger, -, +)

static BROADCAST_DECLARE(add_advancing) {
    const add_t *p = params;
    (void)a_step, (void)b_step;
    if (p->a_shift == 0 && p->b_shift == 0) {
        add_equal(p, a_in, b_in, out_in, n);
    } else if (p->a_shift == 0) {
        (p->sign > 0 ? sum_of_larger : larger_less)(p, a_in, b_in, out_in, n);
    } else {
        add_t turned = *p;
        turned.a_offset = p->b_offset;
        turned.b_offset = p->a_offset;
        turned.b_multiplier = p->a_multiplier;
        turned.b_shift = p->a_shift;
        (p->sign > 0 ? sum_of_larger : less_larger)(&turned, b_in, a_in, out_in, n);
    }
    fixed_clamp_s8(out_in, n, p->least, p->most);
}

// Whether one factor is one half and the other fits rescale_half(), or is one half, too.
static bool can_advance(const add_t *p) {
    return rescale_can(p->out_shift) && ((p->a_shift == 0 && (p->b_shift == 0 || rescale_can(p->b_shift)))
        || (p->b_shift == 0 && rescale_can(p->a_shift)));
}

BROADCAST_DECLARE(add_s8) {
    if (!can_advance(params)) {
        add_any_s8(params, a_in, a_step, b_in, b_step, out_in, n);
    } else if (a_step == b_step) {      // 0: a single value
        add_advancing(params, a_in, a_step, b_in, b_step, out_in, n);
    } else {
        broadcast_repeated_s8(add_advancing, params, a_in, a_step, b_in, b_step, out_in, n);
    }
}
