// Pooling: the average or the maximum of each window over an image, channel by channel.

#ifndef MICROLITE_KERNELS_POOL_H
#define MICROLITE_KERNELS_POOL_H

#include "fixed.h"

// Images are batches x height x width x channels. Windows reach over the edge by padding; only what
// lies in the image counts.
typedef struct {
    int32_t batches;
    int32_t in_height, in_width;
    int32_t out_height, out_width;
    int32_t channels;
    int32_t filter_height, filter_width;
    int32_t stride_height, stride_width;
    int32_t pad_height, pad_width;
} pool_t;

// Integers are averaged to the nearest, halves away from zero.
void average_pool_s8(const pool_t *params, int32_t least, int32_t most, const int8_t *in, int8_t *out);
void average_pool_u8(const pool_t *params, int32_t least, int32_t most, const uint8_t *in, uint8_t *out);
void average_pool_s16(const pool_t *params, int32_t least, int32_t most, const int16_t *in, int16_t *out);
void average_pool_f32(const pool_t *params, float least, float most, const float *in, float *out);
void max_pool_s8(const pool_t *params, int32_t least, int32_t most, const int8_t *in, int8_t *out);
void max_pool_u8(const pool_t *params, int32_t least, int32_t most, const uint8_t *in, uint8_t *out);
void max_pool_s16(const pool_t *params, int32_t least, int32_t most, const int16_t *in, int16_t *out);
void max_pool_f32(const pool_t *params, float least, float most, const float *in, float *out);

#endif
