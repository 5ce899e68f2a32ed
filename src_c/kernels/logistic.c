// LOGISTIC and TANH, see logistic.h.

#include "logistic.h"

#include <math.h>
#include <stdlib.h>

#include "fixed_exp.h"
#include "table.h"

#define INPUT_BITS (4)

logistic_t logistic_params(factor_t factor, int32_t in_offset) {
    return (logistic_t) { factor, in_offset, fixed_radius(INPUT_BITS, factor.shift) };
}

static int32_t logistic(int32_t value) {
    if (value == 0) {
        return 1 << 30;
    }
    const int32_t positive = fixed_reciprocal(fixed_exp(value < 0 ? value : -value, INPUT_BITS));
    return value > 0 ? positive : INT32_MAX - positive;
}

// One more integer bit makes the same number twice as large.
static int32_t hyperbolic(int32_t value) {
    if (value == 0) {
        return 0;
    }
    const int32_t positive = fixed_half_turn(fixed_exp(value < 0 ? value : -value, INPUT_BITS + 1));
    return value > 0 ? positive : -positive;
}

static inline void apply_s8(const logistic_t *params, const int8_t *in, int8_t *out, int32_t size,
    int32_t (*function)(int32_t), int32_t shift, int32_t out_offset) {
    for (int32_t i = 0; i < size; ++i) {
        const int32_t value = in[i] - params->in_offset;
        if (value <= -params->radius) {
            out[i] = INT8_MIN;
        } else if (value >= params->radius) {
            out[i] = INT8_MAX;
        } else {
            const int32_t scaled = fixed_multiply(value, params->factor.multiplier, params->factor.shift);
            const int32_t result = fixed_shift_right(function(scaled), shift) + out_offset;
            out[i] = (int8_t)fixed_clamp(result, INT8_MIN, INT8_MAX);
        }
    }
}

static void logistic_each(const void *params, const int8_t *in, int8_t *out, int32_t size) {
    apply_s8(params, in, out, size, logistic, 31 - 8, INT8_MIN);
}

static void tanh_each(const void *params, const int8_t *in, int8_t *out, int32_t size) {
    apply_s8(params, in, out, size, hyperbolic, 31 - 7, 0);
}

void logistic_s8(const logistic_t *params, const int8_t *in, int8_t *out, int32_t size) {
    table_s8(logistic_each, params, in, out, size);
}

void tanh_s8(const logistic_t *params, const int8_t *in, int8_t *out, int32_t size) {
    table_s8(tanh_each, params, in, out, size);
}

// --- int16: a table and straight lines between its entries ---

// 65536 / (1 + exp(-i / 24)), and half of what the line to the next entry lacks midway; the last
// one stands for all beyond.
static const uint16_t table[256] = {
    32768, 33451, 34133, 34813, 35493, 36169, 36843, 37513, 38180, 38841, 39498, 40149, 40794,
    41432, 42064, 42688, 43304, 43912, 44511, 45102, 45683, 46255, 46817, 47369, 47911, 48443,
    48964, 49475, 49975, 50464, 50942, 51409, 51865, 52311, 52745, 53169, 53581, 53983, 54374,
    54755, 55125, 55485, 55834, 56174, 56503, 56823, 57133, 57433, 57724, 58007, 58280, 58544,
    58800, 59048, 59288, 59519, 59743, 59959, 60168, 60370, 60565, 60753, 60935, 61110, 61279,
    61441, 61599, 61750, 61896, 62036, 62172, 62302, 62428, 62549, 62666, 62778, 62886, 62990,
    63090, 63186, 63279, 63368, 63454, 63536, 63615, 63691, 63765, 63835, 63903, 63968, 64030,
    64090, 64148, 64204, 64257, 64308, 64357, 64405, 64450, 64494, 64536, 64576, 64614, 64652,
    64687, 64721, 64754, 64786, 64816, 64845, 64873, 64900, 64926, 64950, 64974, 64997, 65019,
    65039, 65060, 65079, 65097, 65115, 65132, 65149, 65164, 65179, 65194, 65208, 65221, 65234,
    65246, 65258, 65269, 65280, 65291, 65301, 65310, 65319, 65328, 65337, 65345, 65352, 65360,
    65367, 65374, 65381, 65387, 65393, 65399, 65404, 65410, 65415, 65420, 65425, 65429, 65433,
    65438, 65442, 65445, 65449, 65453, 65456, 65459, 65462, 65465, 65468, 65471, 65474, 65476,
    65479, 65481, 65483, 65485, 65488, 65489, 65491, 65493, 65495, 65497, 65498, 65500, 65501,
    65503, 65504, 65505, 65507, 65508, 65509, 65510, 65511, 65512, 65513, 65514, 65515, 65516,
    65517, 65517, 65518, 65519, 65520, 65520, 65521, 65522, 65522, 65523, 65523, 65524, 65524,
    65525, 65525, 65526, 65526, 65526, 65527, 65527, 65528, 65528, 65528, 65529, 65529, 65529,
    65529, 65530, 65530, 65530, 65530, 65531, 65531, 65531, 65531, 65531, 65532, 65532, 65532,
    65532, 65532, 65532, 65533, 65533, 65533, 65533, 65533, 65533, 65533, 65533, 65534, 65534,
    65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65535,
};

// The logistic function of value / (24 << bits), with bits more fractional bits than 16; most
// (of 16) for what lies beyond the table.
static uint32_t interpolate(uint32_t value, int32_t bits, uint32_t most) {
    const uint32_t index = value >> bits;
    if (index >= 255) {
        return most << bits;
    }
    const uint32_t rest = value & ((1u << bits) - 1);
    return ((uint32_t)table[index] << bits) + rest * (uint32_t)(table[index + 1] - table[index]);
}

static int32_t scale_s16(int32_t value, int32_t multiplier, int32_t shift) {
    return (value * multiplier + (shift ? 1 << (shift - 1) : 0)) >> shift;
}

void logistic_s16(int32_t multiplier, int32_t shift, const int16_t *in, int16_t *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        const int32_t value = scale_s16(in[i], multiplier, shift);
        const uint32_t magnitude = interpolate((uint32_t)abs(value), 9, UINT16_MAX - 1);
        const uint32_t result = value >= 0 ? magnitude + (1 << 9) : (1 << 25) - magnitude + (1 << 9) - 1;
        out[i] = (int16_t)(result >> 10);
    }
}

// tanh(x) = 2 logistic(2 x) - 1
void tanh_s16(int32_t multiplier, int32_t shift, const int16_t *in, int16_t *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        const int32_t value = scale_s16(in[i], multiplier, shift);
        const int32_t magnitude = (int32_t)interpolate((uint32_t)abs(value), 8, UINT16_MAX) - (1 << 23);
        const int32_t result = value >= 0 ? magnitude + (1 << 7) : -magnitude + (1 << 7) - 1;
        out[i] = (int16_t)(result >> 8);
    }
}

void logistic_f32(const float *in, float *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        out[i] = 1 / (1 + expf(-in[i]));
    }
}

void tanh_f32(const float *in, float *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        out[i] = tanhf(in[i]);
    }
}
