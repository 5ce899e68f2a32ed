// Products of matrices in batches: sums over depth of values of a row of a and a column of b.

#ifndef MICROLITE_KERNELS_BATCH_MATMUL_H
#define MICROLITE_KERNELS_BATCH_MATMUL_H

#include "fixed.h"

#define BATCH_MATMUL_MAX_BATCHES (3)

// How far apart in memory the values of an input are. Batches are 0 apart where one serves all, and
// transposed matrices are no others than plain ones with the two steps exchanged.
typedef struct {
    int32_t batches[BATCH_MATMUL_MAX_BATCHES];
    int32_t line;               // from a row of a, or a column of b, to the next
    int32_t depth;
} batch_matmul_steps_t;

typedef struct {
    int32_t batches[BATCH_MATMUL_MAX_BATCHES];
    int32_t rows;
    int32_t columns;
    int32_t depth;
    batch_matmul_steps_t a;
    batch_matmul_steps_t b;
} batch_matmul_t;

// Integer sums become outputs by sum * factor + out_offset, saturated.
typedef struct {
    factor_t factor;
    int32_t a_offset;           // added to each input: int8 only
    int32_t b_offset;
    int32_t out_offset;
} batch_matmul_scale_t;

typedef enum {
    BATCH_MATMUL_F32,
    BATCH_MATMUL_S8,
    BATCH_MATMUL_S16,           // 64-bit sums
} batch_matmul_kind_t;

// Inputs and output are arrays of the kind's type. scale may be NULL for float32.
void batch_matmul(const batch_matmul_t *params, batch_matmul_kind_t kind, const batch_matmul_scale_t *scale,
    const void *a, const void *b, void *out);

#endif
