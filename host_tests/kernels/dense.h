// Random layers for the kernels with rows of weights, see dense.c.

#ifndef MICROLITE_HOST_TESTS_DENSE_H
#define MICROLITE_HOST_TESTS_DENSE_H

#include <stdint.h>

// Checks n random layers. The first problem in words, or NULL.
const char *dense_check(uint32_t seed, uint32_t n);

// Tells the sizes of the layer that was checked last.
void dense_tell_last(void (*tell)(const char *name, int32_t value));

#endif
