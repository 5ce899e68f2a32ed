// Where along an axis the largest or smallest value is, the first of equal ones.

#ifndef MICROLITE_KERNELS_ARG_MAX_H
#define MICROLITE_KERNELS_ARG_MAX_H

#include <stdbool.h>
#include <stdint.h>

// Of n values that lie step apart.
typedef int32_t (*arg_max_t)(const void *in, int32_t step, int32_t n, bool least);

int32_t arg_max_f32(const void *in, int32_t step, int32_t n, bool least);
int32_t arg_max_s8(const void *in, int32_t step, int32_t n, bool least);
int32_t arg_max_u8(const void *in, int32_t step, int32_t n, bool least);
int32_t arg_max_s16(const void *in, int32_t step, int32_t n, bool least);
int32_t arg_max_s32(const void *in, int32_t step, int32_t n, bool least);

#endif
