// Rectified linear units, see relu.h.

#include "relu.h"
#include "table.h"

static int32_t relu(const relu_t *params, int32_t value) {
    const int32_t scaled = fixed_multiply(value - params->in_offset, params->factor.multiplier,
        params->factor.shift);
    return fixed_clamp(scaled + params->out_offset, params->least, params->most);
}

static void relu_each(const void *params, const int8_t *in, int8_t *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        out[i] = (int8_t)relu(params, in[i]);
    }
}

void relu_s8(const relu_t *params, const int8_t *in, int8_t *out, int32_t size) {
    table_s8(relu_each, params, in, out, size);
}

void relu_u8(const relu_t *params, const uint8_t *in, uint8_t *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        out[i] = (uint8_t)relu(params, in[i]);
    }
}

void relu_s16(const relu_t *params, const int16_t *in, int16_t *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        out[i] = (int16_t)relu(params, in[i]);
    }
}

void relu_f32(float least, float most, const float *in, float *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        out[i] = in[i] < least ? least : in[i] > most ? most : in[i];
    }
}
