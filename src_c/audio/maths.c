// Maths functions in double: series after a reduction of the argument, correct to a few units of
// the last place.

#include <stdint.h>
#include <string.h>

#include "maths.h"

#define LN2_HIGH        (0x1.62e42feep-1)           // 32 bits, so that small multiples are exact
#define LN2_LOW         (0x1.a39ef35793c76p-33)
#define HALF_PI_HIGH    (0x1.921fb544p+0)
#define HALF_PI_LOW     (0x1.0b4611a626331p-34)
#define MANTISSA_BITS   (52)
#define EXPONENT_BIAS   (1023)

double audio_floor(double x) {
    double whole = (double)(int64_t)x;
    return whole > x ? whole - 1 : whole;
}

static double two_to_the(int power) {
    uint64_t bits = (uint64_t)(power + EXPONENT_BIAS) << MANTISSA_BITS;
    double result;
    memcpy(&result, &bits, sizeof(result));
    return result;
}

// Coefficients of series, the first one that of x^0.
static const double sin_series[] = {        // of sin(x) / x in x^2
    1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000,
};
static const double cos_series[] = {        // of cos(x) in x^2
    1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200,
    1.0 / 20922789888000,
};
static const double exp_series[] = {
    1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800,
    1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800, 1.0 / 87178291200,
};
static const double artanh_series[] = {     // of 2 artanh(x) / x in x^2
    2.0, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21,
};

#define SUM(series, x) (sum(series, sizeof(series) / sizeof(series[0]), x))

static double sum(const double *series, int n, double x) {
    double result = series[n - 1];
    for (int i = n - 2; i >= 0; --i) {
        result = result * x + series[i];
    }
    return result;
}

// The sine of x plus a number of quarters of a turn.
static double sin_plus(double x, int quarters) {
    double n = audio_floor(x / (AUDIO_PI / 2) + 0.5);
    double rest = (x - n * HALF_PI_HIGH) - n * HALF_PI_LOW;
    unsigned int quadrant = (unsigned int)((int)n + quarters);
    double result = quadrant & 1 ? SUM(cos_series, rest * rest) : rest * SUM(sin_series, rest * rest);
    return quadrant & 2 ? -result : result;
}

double audio_sin(double x) {
    return sin_plus(x, 0);
}

double audio_cos(double x) {
    return sin_plus(x, 1);
}

double audio_log(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    int power = (int)(bits >> MANTISSA_BITS) - EXPONENT_BIAS;
    double m = x * two_to_the(-power);
    if (m > 1.41421356) {
        m /= 2;
        ++power;
    }
    double s = (m - 1) / (m + 1);       // log(m) = 2 artanh(s)
    return power * LN2_HIGH + (power * LN2_LOW + s * SUM(artanh_series, s * s));
}

double audio_exp(double x) {
    double power = audio_floor(x / (LN2_HIGH + LN2_LOW) + 0.5);
    double rest = (x - power * LN2_HIGH) - power * LN2_LOW;
    return SUM(exp_series, rest) * two_to_the((int)power);
}

double audio_sqrt(double x) {
    double root = audio_exp(audio_log(x) / 2);
    return (root + x / root) / 2;
}

float audio_factor(const float *x, size_t n) {
    uint32_t most = 0;
    for (size_t i = 0; i < n; ++i) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof(bits));
        bits &= 0x7fffffff;     // without the sign they are in the order of the numbers
        most = bits > most ? bits : most;
    }
    int exponent = (int)(most >> 23) - 127;
    return (float)two_to_the(exponent < -126 ? 126 : exponent > 126 ? -126 : -exponent);
}
