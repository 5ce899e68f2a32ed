// Comparisons of two inputs, and logic of two truths.

#ifndef MICROLITE_KERNELS_COMPARE_H
#define MICROLITE_KERNELS_COMPARE_H

#include "broadcast.h"

#include <stdbool.h>

// Quantised values are compared as real values with 8 fractional bits.
typedef struct {
    int32_t a_multiplier;
    int32_t b_multiplier;
    int16_t a_offset;
    int16_t b_offset;
    int8_t a_shift;
    int8_t b_shift;
    bool opposite;          // turns results round; all other types have no more than this
} compare_t;

#define COMPARE_DECLARE(name) \
    BROADCAST_DECLARE(name##_f32); \
    BROADCAST_DECLARE(name##_s8); \
    BROADCAST_DECLARE(name##_u8); \
    BROADCAST_DECLARE(name##_s16); \
    BROADCAST_DECLARE(name##_s32); \
    BROADCAST_DECLARE(name##_s64)

COMPARE_DECLARE(equal);
COMPARE_DECLARE(less);
COMPARE_DECLARE(less_equal);
BROADCAST_DECLARE(equal_bool);

// Without parameters.
BROADCAST_DECLARE(logical_and);
BROADCAST_DECLARE(logical_or);

#endif
