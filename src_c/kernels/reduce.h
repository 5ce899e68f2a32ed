// Sums, means and extremes along any axes. The values that make one output are taken in rows of
// equal distances.

#ifndef MICROLITE_KERNELS_REDUCE_H
#define MICROLITE_KERNELS_REDUCE_H

#include "fixed.h"

#include <stdbool.h>
#include <stddef.h>

#define REDUCE_MAX_RANK (5)

// Places in the input: dimensions, the last one first, and how far apart their values are.
typedef struct {
    int32_t rank;
    int32_t size;           // places, the product of dims
    int32_t dims[REDUCE_MAX_RANK];
    int32_t steps[REDUCE_MAX_RANK];
} reduce_places_t;

typedef struct {
    int32_t size;           // values so far
    reduce_places_t kept;
    reduce_places_t reduced;
} reduce_t;

typedef union {
    int64_t i;
    float f;
} reduce_value_t;

// Takes a row of n values in; the first one of an output starts afresh.
typedef void (*reduce_row_t)(const void *row, int32_t step, int32_t n, bool first, reduce_value_t *value);

// Makes an output of the value of count inputs.
typedef void (*reduce_end_t)(const void *params, reduce_value_t value, int32_t count, void *out, int32_t place);

// Quantised results: (value - count * in_offset) * factor + out_offset, clamped to the type.
typedef struct {
    factor_t factor;
    int16_t in_offset;
    int16_t out_offset;
} reduce_params_t;

void reduce_init(reduce_t *reduce);

// Adds the dimension in front of those that are there.
void reduce_add(reduce_t *reduce, int32_t dim, bool reduced);

void reduce(const reduce_t *reduce, reduce_row_t row, reduce_end_t end, const void *params, const void *in,
    size_t in_size, void *out);

#define REDUCE_ROW(name) \
    void name(const void *row, int32_t step, int32_t n, bool first, reduce_value_t *value)
#define REDUCE_END(name) \
    void name(const void *params, reduce_value_t value, int32_t count, void *out, int32_t place)

// Rows by type. Sums of 8 bits are of 2^23 values at most.
REDUCE_ROW(sum_f32);
REDUCE_ROW(sum_s8);
REDUCE_ROW(sum_u8);
REDUCE_ROW(sum_s16);
REDUCE_ROW(sum_s32);
REDUCE_ROW(sum_s64);
REDUCE_ROW(most_f32);
REDUCE_ROW(most_s8);
REDUCE_ROW(most_u8);
REDUCE_ROW(most_s16);
REDUCE_ROW(most_s32);
REDUCE_ROW(most_s64);
REDUCE_ROW(least_f32);
REDUCE_ROW(least_s8);
REDUCE_ROW(least_u8);
REDUCE_ROW(least_s16);
REDUCE_ROW(least_s32);
REDUCE_ROW(least_s64);

// Results as they are, or divided by their count, towards zero; parameters are the size of an
// output. Floats, and quantised results by type.
REDUCE_END(value_int);
REDUCE_END(value_f32);
REDUCE_END(mean_int);
REDUCE_END(mean_f32);
REDUCE_END(scaled_s8);
REDUCE_END(scaled_u8);
REDUCE_END(scaled_s16);

#endif
