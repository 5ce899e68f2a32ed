// Four rows of weights over one input, for layers whose outputs are such sums.

#ifndef MICROLITE_KERNELS_ROWS_H
#define MICROLITE_KERNELS_ROWS_H

#include <stdint.h>

// Adds to each sum a row, depth weights, times the inputs. The offset is added to each input.
void rows_s8(int32_t depth, int32_t in_offset, const int8_t *in, const int8_t *const rows[4], int32_t sums[4]);

#endif
