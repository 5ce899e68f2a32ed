// Functions of one int8 number, or of one uint8 number by its bits: where there are more elements than
// numbers, each number is worked out once.

#ifndef MICROLITE_KERNELS_TABLE_H
#define MICROLITE_KERNELS_TABLE_H

#include <stdint.h>

// Element by element; in and out may be the same.
typedef void (*table_function_t)(const void *params, const int8_t *in, int8_t *out, int32_t size);

void table_s8(table_function_t function, const void *params, const int8_t *in, int8_t *out, int32_t size);

#endif
