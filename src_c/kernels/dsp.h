// The DSP extension of Arm's M4, M7 and M33: two 16-bit lanes in a word. Four bytes in memory are
// widened to the pairs 0, 2 and 1, 3; where both factors are widened alike, products still meet.

#ifndef MICROLITE_KERNELS_DSP_H
#define MICROLITE_KERNELS_DSP_H

#include <stdint.h>

#if defined(__ARM_FEATURE_DSP) && !defined(MICROLITE_KERNELS_portable)
#define KERNELS_DSP (1)

#include <arm_acle.h>
#include <string.h>

// Four bytes at any address, by one plain load.
static inline uint32_t dsp_load(const void *address) {
    uint32_t word;
    memcpy(&word, address, sizeof(word));
    return word;
}

// The same 16-bit value in both lanes.
static inline uint32_t dsp_both(int32_t value) {
    return (uint32_t)value << 16 | (uint16_t)value;
}

// Bytes 0 and 2, or 1 and 3, each plus the lane of offsets.
static inline uint32_t dsp_widen_even(uint32_t bytes, uint32_t offsets) {
    return (uint32_t)__sxtab16((int16x2_t)offsets, (int8x4_t)bytes);
}

static inline uint32_t dsp_widen_odd(uint32_t bytes, uint32_t offsets) {
    uint32_t result;
    __asm__ ("sxtab16 %0, %1, %2, ror #8" : "=r" (result) : "r" (offsets), "r" (bytes));
    return result;
}

// sum plus the products of both lanes.
static inline int32_t dsp_mac(uint32_t a, uint32_t b, int32_t sum) {
    return __smlad((int16x2_t)a, (int16x2_t)b, sum);
}

#else
#define KERNELS_DSP (0)
#endif

#endif
