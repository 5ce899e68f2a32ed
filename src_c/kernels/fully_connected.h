// Fully connected layers: each output is a row of weights times the input, plus a bias.

#ifndef MICROLITE_KERNELS_FULLY_CONNECTED_H
#define MICROLITE_KERNELS_FULLY_CONNECTED_H

#include <stddef.h>

#include "fixed.h"

// Inputs are batches x depth, weights channels x depth, outputs batches x channels.
typedef struct {
    int32_t depth;
    int32_t channels;
    int32_t in_offset;          // added to each input
    int32_t weight_offset;      // added to each weight
    int32_t out_offset;
    int32_t least;              // of the outputs
    int32_t most;
    factor_t factor;            // of the sums
    const int32_t *multipliers; // one factor a channel instead; NULL: there is one for all
    const int8_t *shifts;
} fully_connected_t;

// bias may be NULL.
void fully_connected_s8(const fully_connected_t *params, int32_t batches, const int8_t *in,
    const int8_t *weights, const int32_t *bias, int8_t *out);
void fully_connected_u8(const fully_connected_t *params, int32_t batches, const uint8_t *in,
    const uint8_t *weights, const int32_t *bias, uint8_t *out);
void fully_connected_s16(const fully_connected_t *params, int32_t batches, const int16_t *in,
    const int8_t *weights, const int64_t *bias, int16_t *out);
void fully_connected_f32(int32_t depth, int32_t channels, float least, float most, int32_t batches,
    const float *in, const float *weights, const float *bias, float *out);

#endif
