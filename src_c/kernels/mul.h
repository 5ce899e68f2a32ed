// Products and quotients of quantised values.

#ifndef MICROLITE_KERNELS_MUL_H
#define MICROLITE_KERNELS_MUL_H

#include "broadcast.h"

// Of numbers less their offsets, times the factor, plus the offset of the output, clamped.
typedef struct {
    int32_t multiplier;
    int16_t a_offset;
    int16_t b_offset;
    int16_t out_offset;
    int16_t least;
    int16_t most;
    int8_t shift;
} mul_t;

BROADCAST_DECLARE(mul_s8);
BROADCAST_DECLARE(mul_u8);
BROADCAST_DECLARE(mul_s16);

// What is divided by zero becomes the largest number of its sign.
BROADCAST_DECLARE(div_s8);
BROADCAST_DECLARE(div_u8);

#endif
