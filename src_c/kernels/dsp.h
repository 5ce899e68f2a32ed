// The DSP extension of Arm's M4, M7 and M33: two 16-bit lanes in a word. Four bytes in memory are
// widened to the pairs 0, 2 and 1, 3; where both factors are widened alike, products still meet.

#ifndef MICROLITE_KERNELS_DSP_H
#define MICROLITE_KERNELS_DSP_H

#include <stdint.h>

#if defined(__ARM_FEATURE_DSP) && !defined(MICROLITE_KERNELS_portable)
#define KERNELS_DSP (1)

#include <arm_acle.h>

// Four bytes at any address, by one plain load.
static inline uint32_t dsp_load(const void *address) {
    uint32_t word;
    __builtin_memcpy(&word, address, sizeof(word));
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

// The same without an offset.
static inline uint32_t dsp_even(uint32_t bytes) {
    return (uint32_t)__sxtb16((int8x4_t)bytes);
}

static inline uint32_t dsp_odd(uint32_t bytes) {
    uint32_t result;
    __asm__ ("sxtb16 %0, %1, ror #8" : "=r" (result) : "r" (bytes));
    return result;
}

// The low lanes of two words, or the high ones, in one word.
static inline uint32_t dsp_low_lanes(uint32_t low, uint32_t high) {
    return (low & 0xffff) | high << 16;
}

static inline uint32_t dsp_high_lanes(uint32_t low, uint32_t high) {
    return low >> 16 | (high & 0xffff0000);
}

// sum plus the products of both lanes.
static inline int32_t dsp_mac(uint32_t a, uint32_t b, int32_t sum) {
    return __smlad((int16x2_t)a, (int16x2_t)b, sum);
}

// sum plus the product of one lane each, low or high.
#define dsp_mac_low_low(a, b, sum)   __smlabb((int32_t)(a), (int32_t)(b), sum)
#define dsp_mac_low_high(a, b, sum)  __smlabt((int32_t)(a), (int32_t)(b), sum)
#define dsp_mac_high_low(a, b, sum)  __smlatb((int32_t)(a), (int32_t)(b), sum)
#define dsp_mac_high_high(a, b, sum) __smlatt((int32_t)(a), (int32_t)(b), sum)

// The high word of a product, rounded.
static inline int32_t dsp_high_product(int32_t a, int32_t b) {
    int32_t result;
    __asm__ ("smmulr %0, %1, %2" : "=r" (result) : "r" (a), "r" (b));
    return result;
}

// Half of value, rounded down, kept within int8.
static inline int32_t dsp_half_to_int8(int32_t value) {
    int32_t result;
    __asm__ ("ssat %0, #8, %1, asr #1" : "=r" (result) : "r" (value));
    return result;
}

#else
#define KERNELS_DSP (0)
#endif

#endif
