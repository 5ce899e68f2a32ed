// Filters of two stages: one of the features of each step, one of its results over time.

#ifndef MICROLITE_KERNELS_SVDF_H
#define MICROLITE_KERNELS_SVDF_H

#include "fixed.h"

// Weights are units * rank x depth for features and units * rank x memory for time, the state is
// batches x units * rank x memory.
typedef struct {
    int32_t batches;
    int32_t depth;
    int32_t units;
    int32_t rank;
    int32_t memory;
} svdf_shape_t;

typedef struct {
    int32_t in_offset;          // added to each input
    int32_t state_offset;       // of what the state keeps
    int32_t out_offset;
    int32_t least;              // of the outputs
    int32_t most;
    factor_t state_factor;      // of sums over features
    factor_t out_factor;        // of sums over time
} svdf_t;

// bias may be NULL.
void svdf_s8(const svdf_t *params, const svdf_shape_t *shape, const int8_t *in, const int8_t *features,
    const int8_t *times, const int32_t *bias, int8_t *state, int8_t *out);
void svdf_s16(const svdf_t *params, const svdf_shape_t *shape, const int8_t *in, const int8_t *features,
    const int16_t *times, const int32_t *bias, int16_t *state, int8_t *out);
void svdf_f32(float least, float most, const svdf_shape_t *shape, const float *in, const float *features,
    const float *times, const float *bias, float *state, float *out);

#endif
