// Comparisons, see compare.h.

#include "compare.h"
#include "fixed.h"

static inline int32_t scaled(int32_t value, int32_t multiplier, int32_t shift) {
    return fixed_multiply(value * (1 << 8), multiplier, shift);
}

// One function for all types keeps them small. Both values have 30 bits at most.
static __attribute__((noinline)) int32_t difference(const compare_t *p, int32_t x, int32_t y) {
    return scaled(x - p->a_offset, p->a_multiplier, p->a_shift)
           - scaled(y - p->b_offset, p->b_multiplier, p->b_shift);
}

#define PLAIN(name, type, sign) \
    BROADCAST_RUN(name, type, uint8_t, compare_t, (x sign y) != p->opposite)
#define SCALED(name, type, sign) \
    BROADCAST_RUN(name, type, uint8_t, compare_t, (difference(p, x, y) sign 0) != p->opposite)
#define COMPARE(name, sign) \
    PLAIN(name##_f32, float, sign) \
    SCALED(name##_s8, int8_t, sign) \
    SCALED(name##_u8, uint8_t, sign) \
    SCALED(name##_s16, int16_t, sign) \
    PLAIN(name##_s32, int32_t, sign) \
    PLAIN(name##_s64, int64_t, sign)

COMPARE(equal, ==)
COMPARE(less, <)
COMPARE(less_equal, <=)
BROADCAST_RUN(equal_bool, uint8_t, uint8_t, compare_t, (!x == !y) != p->opposite)

BROADCAST_PLAIN_RUN(logical_and, uint8_t, uint8_t, x && y)
BROADCAST_PLAIN_RUN(logical_or, uint8_t, uint8_t, x || y)
