// Sums, differences and squares of differences of quantised values: both inputs are brought to
// twice the larger of their scales, the result to the scale of the output.

#ifndef MICROLITE_KERNELS_ADD_H
#define MICROLITE_KERNELS_ADD_H

#include "broadcast.h"

typedef struct {
    int32_t a_multiplier;
    int32_t b_multiplier;
    int32_t out_multiplier;
    int16_t a_offset;       // zero points
    int16_t b_offset;
    int16_t out_offset;
    int16_t least;
    int16_t most;
    int8_t a_shift;         // 0 or less
    int8_t b_shift;
    int8_t out_shift;
    int8_t left;            // inputs are scaled up by that many bits first
    int8_t sign;            // of b: 1 or -1
} add_t;

BROADCAST_DECLARE(add_s8);
BROADCAST_DECLARE(add_u8);
BROADCAST_DECLARE(add_s16);
BROADCAST_DECLARE(squared_difference_s8);
BROADCAST_DECLARE(squared_difference_u8);
BROADCAST_DECLARE(squared_difference_s16);

#endif
