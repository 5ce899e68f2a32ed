// Products of quantised values, see mul.h.
//
// Int8 products take 14 instructions a value on a Cortex-M4, 16 on an M3.

#include "mul.h"
#include "fixed.h"
#include "rescale.h"

// One function for all types keeps the rare ones small.
static __attribute__((noinline)) int32_t mul(const mul_t *p, int32_t x, int32_t y) {
    const int32_t product = (x - p->a_offset) * (y - p->b_offset);
    return fixed_clamp(fixed_multiply(product, p->multiplier, p->shift) + p->out_offset, p->least, p->most);
}

static BROADCAST_RUN(mul_any_s8, int8_t, int8_t, mul_t, mul(p, x, y))
BROADCAST_RUN(mul_u8, uint8_t, uint8_t, mul_t, mul(p, x, y))
BROADCAST_RUN(mul_s16, int16_t, int16_t, mul_t, mul(p, x, y))

static BROADCAST_DECLARE(mul_advancing) {
    const mul_t *p = params;
    const int8_t *a = a_in, *b = b_in;
    int8_t *out = out_in;
    const rescale_t rescale = rescale_of(p->multiplier, p->shift, p->out_offset);
    const int32_t a_offset = p->a_offset;
    const int32_t b_offset = p->b_offset * 2;
    (void)a_step, (void)b_step;
    for (const int8_t *end = a + n; a < end;) {
        *out++ = (int8_t)rescale_saturate(rescale_half(&rescale, (*a++ - a_offset) * (*b++ * 2 - b_offset)));
    }
    fixed_clamp_s8(out_in, n, p->least, p->most);
}

BROADCAST_DECLARE(mul_s8) {
    if (!rescale_can(((const mul_t *)params)->shift)) {
        mul_any_s8(params, a_in, a_step, b_in, b_step, out_in, n);
    } else if (a_step == b_step) {      // 0: a single value
        mul_advancing(params, a_in, a_step, b_in, b_step, out_in, n);
    } else {
        broadcast_repeated_s8(mul_advancing, params, a_in, a_step, b_in, b_step, out_in, n);
    }
}
