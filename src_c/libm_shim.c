// Maths functions that TFLM needs and the C library of a bare-metal port may lack.
//
// MicroPython's ports bring functions of one precision. On float ports these are the double
// functions that TFLM uses besides; on double ports its float functions, by way of the double
// ones, which must not be compiled on float ports: they would ask for functions that are not
// there. All are weak, so that a port's own win. Compiled with -fno-builtin, or the compiler
// turns floorf's body into a call of floorf.

#include <stdint.h>

#include "py/mpconfig.h"

#define WEAK __attribute__((weak))

#if MICROPY_FLOAT_IMPL == MICROPY_FLOAT_IMPL_DOUBLE

double ceil(double x);
double cos(double x);
double exp(double x);
double floor(double x);
double fmod(double x, double y);
double frexp(double value, int *power);
double log(double x);
double round(double x);
double sin(double x);
double sqrt(double x);
double tanh(double x);

#define BY_DOUBLE(function) \
    WEAK float function##f(float x); \
    WEAK float function##f(float x) { \
        return (float)function((double)x); \
    }

BY_DOUBLE(ceil)
BY_DOUBLE(cos)
BY_DOUBLE(exp)
BY_DOUBLE(floor)
BY_DOUBLE(log)
BY_DOUBLE(round)
BY_DOUBLE(sin)
BY_DOUBLE(sqrt)
BY_DOUBLE(tanh)

WEAK float fmodf(float x, float y);
WEAK float fmodf(float x, float y) {
    return (float)fmod((double)x, (double)y);
}

WEAK float frexpf(float value, int *power);
WEAK float frexpf(float value, int *power) {
    return (float)frexp((double)value, power);
}

#else

#define MANTISSA_BITS (52)
#define EXPONENT_MASK (0x7ff)
#define EXPONENT_BIAS (1023)

typedef union {
    double value;
    uint64_t bits;
} double_bits_t;

static int exponent(double_bits_t x) {
    return (int)(x.bits >> MANTISSA_BITS) & EXPONENT_MASK;
}

static double truncate(double value) {
    double_bits_t x = { value };
    int e = exponent(x) - EXPONENT_BIAS;
    if (e < 0) {
        x.bits &= (uint64_t)1 << 63;
    } else if (e < MANTISSA_BITS) {
        x.bits &= ~(((uint64_t)1 << (MANTISSA_BITS - e)) - 1);
    }
    return x.value;
}

WEAK double floor(double x);
WEAK double floor(double x) {
    double t = truncate(x);
    return t > x ? t - (double)1 : t;
}

WEAK double round(double x);
WEAK double round(double x) {
    const double half = 1 / (double)2;
    double t = truncate(x);
    double rest = x - t;
    if (rest >= half) {
        return t + (double)1;
    }
    return rest <= -half ? t - (double)1 : t;
}

WEAK double frexp(double value, int *power);
WEAK double frexp(double value, int *power) {
    double_bits_t x = { value };
    *power = 0;
    if (value == 0 || exponent(x) == EXPONENT_MASK) {
        return value;
    }
    if (exponent(x) == 0) {     // subnormal
        x.value *= (double)((uint64_t)1 << MANTISSA_BITS);
        *power = -MANTISSA_BITS;
    }
    *power += exponent(x) - (EXPONENT_BIAS - 1);
    x.bits &= ~((uint64_t)EXPONENT_MASK << MANTISSA_BITS);
    x.bits |= (uint64_t)(EXPONENT_BIAS - 1) << MANTISSA_BITS;
    return x.value;
}

#endif

WEAK float fmaxf(float x, float y);
WEAK float fmaxf(float x, float y) {
    return x >= y || y != y ? x : y;
}

WEAK float fminf(float x, float y);
WEAK float fminf(float x, float y) {
    return x <= y || y != y ? x : y;
}
