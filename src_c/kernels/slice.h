// Which elements a strided slice takes, by the masks of TensorFlow: bit i of a mask is about
// entry i of the lists.

#ifndef MICROLITE_KERNELS_SLICE_H
#define MICROLITE_KERNELS_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#define SLICE_RANK (5)

typedef struct {
    const int32_t *begin;
    const int32_t *end;
    const int32_t *stride;      // not 0
    int32_t size;               // entries of each list, at most 2 * SLICE_RANK
    int32_t begin_mask;         // from the first element on, or from the last when going backwards
    int32_t end_mask;           // to the other end
    int32_t ellipsis_mask;      // the entry stands for as many whole axes as are left over
    int32_t new_axis_mask;      // the entry stands for a new axis of one element
    int32_t shrink_mask;        // one element, and no axis in the output
} slice_t;

// What is taken along an axis of the input.
typedef struct {
    int32_t begin;
    int32_t stride;
    int32_t count;
} slice_axis_t;

// The axes of the input, and the shape of the output.
typedef struct {
    slice_axis_t axes[SLICE_RANK];
    int32_t dims[SLICE_RANK];
    int32_t rank;
} slice_taken_t;

// False when the lists do not fit the input, or an element asked for is not there. Without
// elements a count is 0.
bool slice_take(const slice_t *slice, const int32_t *dims, int32_t rank, slice_taken_t *taken);

#endif
