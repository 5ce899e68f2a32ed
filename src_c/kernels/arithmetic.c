// Arithmetic without scales, see arithmetic.h.

#include "arithmetic.h"
#include "fixed.h"

#include <math.h>

static inline float clamp(const range_f32_t *range, float value) {
    return value < range->least ? range->least : value > range->most ? range->most : value;
}

BROADCAST_RUN(add_f32, float, float, range_f32_t, clamp(p, x + y))
BROADCAST_RUN(sub_f32, float, float, range_f32_t, clamp(p, x - y))
BROADCAST_RUN(mul_f32, float, float, range_f32_t, clamp(p, x * y))
BROADCAST_RUN(div_f32, float, float, range_f32_t, clamp(p, x / y))

static inline int32_t div_s(int32_t x, int32_t y) {
    return y == 0 ? 0 : y == -1 ? -x : x / y;
}

BROADCAST_RUN(add_s32, int32_t, int32_t, range_s32_t, fixed_clamp(x + y, p->least, p->most))
BROADCAST_RUN(sub_s32, int32_t, int32_t, range_s32_t, fixed_clamp(x - y, p->least, p->most))
BROADCAST_RUN(mul_s32, int32_t, int32_t, range_s32_t, fixed_clamp(x * y, p->least, p->most))
BROADCAST_RUN(div_s32, int32_t, int32_t, range_s32_t, fixed_clamp(div_s(x, y), p->least, p->most))

static inline float floor_mod(float x, float y) {
    const float rest = fmodf(x, y);
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

BROADCAST_PLAIN_RUN(squared_difference_f32, float, float, (x - y) * (x - y))
BROADCAST_PLAIN_RUN(squared_difference_s32, int32_t, int32_t, (x - y) * (x - y))
BROADCAST_PLAIN_RUN(floor_div_f32, float, float, floorf(x / y))
BROADCAST_PLAIN_RUN(floor_mod_f32, float, float, floor_mod(x, y))

BROADCAST_PLAIN_RUN(maximum_f32, float, float, x > y ? x : y)
BROADCAST_PLAIN_RUN(maximum_s8, int8_t, int8_t, x > y ? x : y)
BROADCAST_PLAIN_RUN(maximum_u8, uint8_t, uint8_t, x > y ? x : y)
BROADCAST_PLAIN_RUN(maximum_s16, int16_t, int16_t, x > y ? x : y)
BROADCAST_PLAIN_RUN(maximum_s32, int32_t, int32_t, x > y ? x : y)
BROADCAST_PLAIN_RUN(maximum_s64, int64_t, int64_t, x > y ? x : y)
BROADCAST_PLAIN_RUN(minimum_f32, float, float, x < y ? x : y)
BROADCAST_PLAIN_RUN(minimum_s8, int8_t, int8_t, x < y ? x : y)
BROADCAST_PLAIN_RUN(minimum_u8, uint8_t, uint8_t, x < y ? x : y)
BROADCAST_PLAIN_RUN(minimum_s16, int16_t, int16_t, x < y ? x : y)
BROADCAST_PLAIN_RUN(minimum_s32, int32_t, int32_t, x < y ? x : y)
BROADCAST_PLAIN_RUN(minimum_s64, int64_t, int64_t, x < y ? x : y)
