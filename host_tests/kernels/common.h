// What the checks of kernels share: random numbers, the same everywhere, and canaries that lie around
// whatever a kernel writes.

#ifndef MICROLITE_HOST_TESTS_COMMON_H
#define MICROLITE_HOST_TESTS_COMMON_H

#include <stdbool.h>
#include <stdint.h>

#define CANARY   (0x5c)
#define CANARIES (16)

void start_random(uint32_t seed);

// A number of that range, ends included.
int32_t any(int32_t least, int32_t most);

// Any numbers, the ends of int8 more often than others.
void fill(int8_t *data, int32_t size);

bool alive(const void *canaries);

#endif
