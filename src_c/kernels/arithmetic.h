// Arithmetic of two inputs that need no scales: floats and plain integers. Sums, differences and
// products of integers wrap.

#ifndef MICROLITE_KERNELS_ARITHMETIC_H
#define MICROLITE_KERNELS_ARITHMETIC_H

#include "broadcast.h"

// Results are clamped.
typedef struct {
    float least;
    float most;
} range_f32_t;

typedef struct {
    int32_t least;
    int32_t most;
} range_s32_t;

BROADCAST_DECLARE(add_f32);
BROADCAST_DECLARE(sub_f32);
BROADCAST_DECLARE(mul_f32);
BROADCAST_DECLARE(div_f32);
BROADCAST_DECLARE(add_s32);
BROADCAST_DECLARE(sub_s32);
BROADCAST_DECLARE(mul_s32);
BROADCAST_DECLARE(div_s32);     // towards zero; 0 when divided by 0

// Without parameters.
BROADCAST_DECLARE(squared_difference_f32);
BROADCAST_DECLARE(squared_difference_s32);
BROADCAST_DECLARE(floor_div_f32);
BROADCAST_DECLARE(floor_mod_f32);

BROADCAST_DECLARE(maximum_f32);
BROADCAST_DECLARE(maximum_s8);
BROADCAST_DECLARE(maximum_u8);
BROADCAST_DECLARE(maximum_s16);
BROADCAST_DECLARE(maximum_s32);
BROADCAST_DECLARE(maximum_s64);
BROADCAST_DECLARE(minimum_f32);
BROADCAST_DECLARE(minimum_s8);
BROADCAST_DECLARE(minimum_u8);
BROADCAST_DECLARE(minimum_s16);
BROADCAST_DECLARE(minimum_s32);
BROADCAST_DECLARE(minimum_s64);

#endif
