// SOFTMAX and LOG_SOFTMAX of float32 and 8-bit numbers, see softmax.h.
//
// Sums of exponentials have 12 integer bits, so depth is at most 4095.

#include "softmax.h"

#include <math.h>

#include "fixed_exp.h"

#define EXPONENT_BITS (5)
#define SUM_BITS      (12)

softmax_t softmax_params(factor_t factor) {
    return (softmax_t) { factor, -fixed_radius(EXPONENT_BITS, factor.shift) };
}

// Only for differences that are at least params->least, which are at most 0.
static int32_t exponent(const softmax_t *params, int32_t difference) {
    return fixed_high_product((int32_t)((uint32_t)difference << params->factor.shift),
        params->factor.multiplier);
}

// Unsigned numbers are signed ones with the other sign bit: flip is 0x80 for them, else 0.
static int32_t number(const uint8_t *in, uint8_t flip) {
    return (int8_t)(*in ^ flip);
}

static int32_t maximum(const uint8_t *in, uint8_t flip, int32_t depth) {
    int32_t most = INT8_MIN;
    for (int32_t i = 0; i < depth; ++i) {
        const int32_t value = number(&in[i], flip);
        most = value > most ? value : most;
    }
    return most;
}

static int32_t sum_of_exps(const softmax_t *params, const uint8_t *in, uint8_t flip, int32_t depth,
    int32_t most) {
    int32_t sum = 0;
    for (int32_t i = 0; i < depth; ++i) {
        const int32_t difference = number(&in[i], flip) - most;
        if (difference >= params->least) {
            sum += fixed_shift_right(fixed_exp(exponent(params, difference), EXPONENT_BITS), SUM_BITS);
        }
    }
    return sum;
}

// Rows of shares of 2^bits; what goes out is them with the least number of a signed type added.
static void softmax_row(const softmax_t *params, const uint8_t *in, uint8_t flip, void *out, int32_t bits,
    int32_t depth) {
    const int32_t most = maximum(in, flip, depth);
    const int32_t sum = sum_of_exps(params, in, flip, depth, most);
    const int32_t zeros = fixed_leading_zeros(sum);
    const int32_t scale = fixed_reciprocal((int32_t)(((uint32_t)sum << zeros) - (1u << 31)));
    const int32_t shift = SUM_BITS - zeros + 31 - bits;
    for (int32_t i = 0; i < depth; ++i) {
        const int32_t difference = number(&in[i], flip) - most;
        int32_t share = 0;
        if (difference >= params->least && shift <= 31) {
            const int32_t exp = fixed_exp(exponent(params, difference), EXPONENT_BITS);
            share = fixed_shift_right(fixed_high_product(scale, exp), shift);
            share = share < 1 << bits ? share : (1 << bits) - 1;
        }
        if (bits == 16) {
            ((int16_t *)out)[i] = (int16_t)(share + INT16_MIN);
        } else {
            ((uint8_t *)out)[i] = (uint8_t)((share + INT8_MIN) ^ flip);
        }
    }
}

void softmax_s8(const softmax_t *params, const int8_t *in, int8_t *out, int32_t rows, int32_t depth) {
    for (int32_t i = 0; i < rows; ++i) {
        softmax_row(params, (const uint8_t *)in + i * depth, 0, out + i * depth, 8, depth);
    }
}

void softmax_u8(const softmax_t *params, const uint8_t *in, uint8_t *out, int32_t rows, int32_t depth) {
    for (int32_t i = 0; i < rows; ++i) {
        softmax_row(params, in + i * depth, 0x80, out + i * depth, 8, depth);
    }
}

void softmax_s8_s16(const softmax_t *params, const int8_t *in, int16_t *out, int32_t rows, int32_t depth) {
    for (int32_t i = 0; i < rows; ++i) {
        softmax_row(params, (const uint8_t *)in + i * depth, 0, out + i * depth, 16, depth);
    }
}

// --- logarithms ---

// log(sum) of 5 integer bits for a sum >= 1 of 12: the power of two nearest to the sum, and a
// rational approximation around the fourth root of 1/2 for the rest. Two candidates for the power
// are worked out, of the sum and of the sum over the root of 2; the better one counts.
static int32_t logarithm(int32_t sum) {
    const int32_t log_of_2 = 1488522236;
    const int32_t root_of_half = 1518500250;
    const int32_t fourth_root_of_half = 1805811301;
    const int32_t alpha_n = 117049297;      // 11/240 2^(1/4)
    const int32_t alpha_d = 127690142;      // 1/20 2^(1/4)
    const int32_t alpha_i = 1057819769;     // 2 / 2^(1/4) - 2^(1/4)
    const int32_t alpha_f = 638450708;      // 1/4 2^(1/4)
    const int32_t power_shift = 31 - (EXPONENT_BITS + 1);
    const int32_t quarter = 1 << (power_shift - 2);

    const int32_t zeros_a = fixed_leading_zeros(sum);
    const int32_t rest_a = fixed_shift_left(
        fixed_high_product(fixed_shift_left(sum, zeros_a - 1), root_of_half), 1);
    const int32_t power_a = (SUM_BITS - zeros_a) * (1 << power_shift) + quarter;
    const int32_t zeros_b = fixed_leading_zeros(fixed_high_product(sum, root_of_half)) - 1;
    const int32_t rest_b = fixed_shift_left(sum, zeros_b);
    const int32_t power_b = (SUM_BITS - zeros_b) * (1 << power_shift) - quarter;
    const int32_t rest = rest_a < rest_b ? rest_a : rest_b;
    const int32_t power = power_a > power_b ? power_a : power_b;

    const int32_t p = (int32_t)(((uint32_t)rest + (uint32_t)fourth_root_of_half + 1) >> 1);
    const int32_t q = 2 * (rest - fourth_root_of_half);
    const int32_t q2 = fixed_high_product(q, q);
    const int32_t numerator = fixed_high_product(q, rest)
        + fixed_high_product(fixed_high_product(q, q2), alpha_n);
    const int32_t denominator = fixed_high_product(p, alpha_i + q + fixed_high_product(alpha_d, q2))
        + fixed_high_product(alpha_f, q);
    const int32_t log_of_rest = fixed_high_product(fixed_shift_right(numerator, EXPONENT_BITS + 1),
        fixed_reciprocal(denominator));
    return fixed_shift_left(fixed_high_product(power, log_of_2) + log_of_rest, 1);
}

// Outputs have scale 1/16 and zero point 127.
static void log_softmax_row(const softmax_t *params, factor_t back, const uint8_t *in, int8_t *out,
    int32_t depth) {
    const int32_t most = maximum(in, 0, depth);
    const int32_t log_of_sum = logarithm(sum_of_exps(params, in, 0, depth, most));
    // Differences down to here leave a logarithm of 5 integer bits.
    int32_t least = fixed_multiply(log_of_sum + INT32_MIN, back.multiplier, back.shift);
    least = least > params->least - 1 ? least : params->least - 1;
    for (int32_t i = 0; i < depth; ++i) {
        const int32_t difference = number(&in[i], 0) - most;
        int32_t value = INT8_MIN;
        if (difference > least) {
            value = fixed_shift_right(exponent(params, difference) - log_of_sum, 31 - EXPONENT_BITS - 4);
            value = fixed_clamp(value + 127, INT8_MIN, INT8_MAX);
        }
        out[i] = (int8_t)value;
    }
}

void log_softmax_s8(const softmax_t *params, factor_t back, const int8_t *in, int8_t *out, int32_t rows,
    int32_t depth) {
    for (int32_t i = 0; i < rows; ++i) {
        log_softmax_row(params, back, (const uint8_t *)in + i * depth, out + i * depth, depth);
    }
}

// --- float32 ---

static float maximum_f32(const float *in, int32_t depth) {
    float most = in[0];
    for (int32_t i = 1; i < depth; ++i) {
        most = in[i] > most ? in[i] : most;
    }
    return most;
}

void softmax_f32(float beta, const float *in, float *out, int32_t rows, int32_t depth) {
    for (int32_t row = 0; row < rows; ++row, in += depth, out += depth) {
        const float most = maximum_f32(in, depth);
        float sum = 0;
        for (int32_t i = 0; i < depth; ++i) {
            out[i] = expf((in[i] - most) * beta);
            sum += out[i];
        }
        for (int32_t i = 0; i < depth; ++i) {
            out[i] /= sum;
        }
    }
}

void log_softmax_f32(const float *in, float *out, int32_t rows, int32_t depth) {
    for (int32_t row = 0; row < rows; ++row, in += depth, out += depth) {
        const float most = maximum_f32(in, depth);
        float sum = 0;
        for (int32_t i = 0; i < depth; ++i) {
            sum += expf(in[i] - most);
        }
        const float log_of_sum = logf(sum);
        for (int32_t i = 0; i < depth; ++i) {
            out[i] = in[i] - most - log_of_sum;
        }
    }
}
