// LEAKY_RELU, HARD_SWISH and ELU, see activation.h.

#include "activation.h"

#include <math.h>

#include "table.h"

// --- LEAKY_RELU ---

static int32_t leaky_relu(const leaky_relu_t *params, int32_t value) {
    const int32_t difference = value - params->in_offset;
    const factor_t *factor = difference >= 0 ? &params->above : &params->below;
    return fixed_multiply(difference, factor->multiplier, factor->shift) + params->out_offset;
}

static void leaky_relu_each(const void *params, const int8_t *in, int8_t *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        out[i] = (int8_t)fixed_clamp(leaky_relu(params, in[i]), INT8_MIN, INT8_MAX);
    }
}

void leaky_relu_s8(const leaky_relu_t *params, const int8_t *in, int8_t *out, int32_t size) {
    table_s8(leaky_relu_each, params, in, out, size);
}

void leaky_relu_s16(const leaky_relu_t *params, const int16_t *in, int16_t *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        out[i] = (int16_t)fixed_clamp(leaky_relu(params, in[i]), INT16_MIN, INT16_MAX);
    }
}

void leaky_relu_f32(float alpha, const float *in, float *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        out[i] = in[i] > 0 ? in[i] : in[i] * alpha;
    }
}

// --- HARD_SWISH ---

static int32_t clamp_16(int32_t value) {
    return fixed_clamp(value, INT16_MIN, INT16_MAX);
}

// The multiplier in 16 bits.
static int32_t multiplier_16(factor_t factor) {
    return factor.multiplier >= INT32_MAX - (1 << 15) ? INT16_MAX : (factor.multiplier + (1 << 15)) >> 16;
}

static int32_t high_product_16(int32_t a, int32_t b) {
    return (a * b + (1 << 14)) >> 15;
}

// value * gate, saturated; of a shift to the left, one bit comes after the multiplication.
static int32_t gate_of(int32_t value, int32_t multiplier, int32_t shift) {
    if (shift > 0) {
        const int32_t shifted = clamp_16(value * (1 << (shift - 1)));
        return clamp_16(high_product_16(shifted, multiplier) * 2);
    }
    return fixed_shift_right(high_product_16(value, multiplier), -shift);
}

static void hard_swish_each(const void *of, const int8_t *in, int8_t *out, int32_t size) {
    const hard_swish_t *params = of;
    const int32_t gate_multiplier = multiplier_16(params->gate);
    const int32_t out_multiplier = multiplier_16(params->out);
    // What is not 0 is at least 128 and saturates with fewer.
    const int32_t gate_shift = params->gate.shift < 10 ? params->gate.shift : 10;
    for (int32_t i = 0; i < size; ++i) {
        const int32_t value = (in[i] - params->in_offset) * 128;
        const int32_t gate = (gate_of(value, gate_multiplier, gate_shift) + (1 << 15)) >> 1;
        const int32_t product = gate * high_product_16(value, out_multiplier) / (1 << 15);
        const int32_t scaled = fixed_shift_right(product, -params->out.shift) + params->out_offset;
        out[i] = (int8_t)fixed_clamp(scaled, INT8_MIN, INT8_MAX);
    }
}

void hard_swish_s8(const hard_swish_t *params, const int8_t *in, int8_t *out, int32_t size) {
    table_s8(hard_swish_each, params, in, out, size);
}

void hard_swish_f32(const float *in, float *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        const float gate = in[i] + 3;
        out[i] = in[i] * (gate < 0 ? 0 : gate > 6 ? 6 : gate) / 6;
    }
}

// --- ELU ---

static float elu(float value) {
    return value < 0 ? expf(value) - 1 : value;
}

static int8_t elu_8(const elu_t *params, int32_t value) {
    const float inverse = 1 / params->out_scale;
    const float real = elu(params->in_scale * (float)(value - params->in_offset));
    const float rounded = roundf(real * inverse) + (float)params->out_offset;
    return (int8_t)(rounded < INT8_MIN ? INT8_MIN : rounded > INT8_MAX ? INT8_MAX : rounded);
}

static void elu_each(const void *of, const int8_t *in, int8_t *out, int32_t size) {
    const elu_t params = *(const elu_t *)of;
    for (int32_t i = 0; i < size; ++i) {
        out[i] = elu_8(&params, in[i]);
    }
}

void elu_s8(const elu_t *params, const int8_t *in, int8_t *out, int32_t size) {
    table_s8(elu_each, params, in, out, size);
}

void elu_f32(const float *in, float *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        out[i] = elu(in[i]);
    }
}
