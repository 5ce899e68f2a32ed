// Values moved from one place to another as they are: the one loop behind transposing, slicing,
// joining, padding, repeating.

#ifndef MICROLITE_KERNELS_MOVE_H
#define MICROLITE_KERNELS_MOVE_H

#include <stdint.h>

#define MOVE_RANK (6)

typedef struct {
    int32_t size;       // at least 1
    int32_t from;       // elements from one to the next, in the source; may be negative, or 0 to repeat
    int32_t to;         // in the destination
} move_dim_t;

typedef struct {
    int32_t rank;       // at most MOVE_RANK
    move_dim_t dims[MOVE_RANK];
} move_t;

// Adds a dimension behind those that are there.
static inline void move_add(move_t *move, int32_t size, int32_t from, int32_t to) {
    const move_dim_t dim = { size, from, to };
    move->dims[move->rank++] = dim;
}

// Both pointers are at the first element moved; item is the size of an element in bytes: 1, 2, 4
// or 8. Source and destination may be parts of one tensor that do not overlap. The move is simplified
// on the way and of no use afterwards.
void move_run(move_t *move, const void *from, void *to, int32_t item);

// uint8 numbers of one scale and zero point as those of another.
typedef struct {
    float scale;        // of the input by that of the output
    int32_t in_offset;
    int32_t out_offset;
} move_rescale_t;

void move_rescale_u8(const move_rescale_t *params, const uint8_t *in, uint8_t *out, int32_t size);

#endif
