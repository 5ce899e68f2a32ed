// Random layers for the kernels with windows, see windows.c.

#ifndef MICROLITE_HOST_TESTS_WINDOWS_H
#define MICROLITE_HOST_TESTS_WINDOWS_H

#include <stdint.h>

// Checks n random layers. The first problem in words, or NULL.
const char *windows_check(uint32_t seed, uint32_t n);

// Tells the sizes of the layer that was checked last.
void windows_tell_last(void (*tell)(const char *name, int32_t value));

#endif
