// fixed_multiply() by a factor below one and an offset, for loops where each instruction counts.

#ifndef MICROLITE_KERNELS_RESCALE_H
#define MICROLITE_KERNELS_RESCALE_H

#include "dsp.h"

#include <stdbool.h>

// The high word of a product, rounded: that of twice a value is fixed_high_product() of the value.
static inline int32_t rescale_high_word(int32_t a, int32_t b) {
    #if KERNELS_DSP
    int32_t result;
    __asm__ ("smmulr %0, %1, %2" : "=r" (result) : "r" (a), "r" (b));
    return result;
    #else
    return (int32_t)(((int64_t)a * b + 0x80000000) >> 32);
    #endif
}

typedef struct {
    int32_t multiplier;
    int32_t right;
    int32_t bias;           // the offset and half of what is shifted out
} rescale_t;

// Whether a shift, of fixed_multiply(), and an offset of 8 bits fit.
static inline bool rescale_can(int32_t shift) {
    return shift <= -1 && shift >= -22;
}

static inline rescale_t rescale_of(int32_t multiplier, int32_t shift, int32_t offset) {
    return (rescale_t) { multiplier, -shift, (1 << (-shift - 1)) + offset * (1 << -shift) };
}

// Of half a value of up to 30 bits.
static inline int32_t rescale_half(const rescale_t *rescale, int32_t twice) {
    const int32_t product = rescale_high_word(twice, rescale->multiplier);
    return (product + (product >> 31) + rescale->bias) >> rescale->right;
}

static inline int32_t rescale_saturate(int32_t value) {
    #ifdef __ARM_FEATURE_SAT
    int32_t result;
    __asm__ ("ssat %0, #8, %1" : "=r" (result) : "r" (value));
    return result;
    #else
    return value < INT8_MIN ? INT8_MIN : value > INT8_MAX ? INT8_MAX : value;
    #endif
}

#endif
