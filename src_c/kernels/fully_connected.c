// Fully connected layers of other types than int8, see fully_connected.h.

#include "fully_connected.h"

void fully_connected_u8(const fully_connected_t *params, int32_t batches, const uint8_t *in,
    const uint8_t *weights, const int32_t *bias, uint8_t *out) {
    const int32_t depth = params->depth;
    for (int32_t batch = 0; batch < batches; ++batch, in += depth) {
        for (int32_t channel = 0; channel < params->channels; ++channel) {
            const uint8_t *row = weights + channel * depth;
            int32_t sum = bias ? bias[channel] : 0;
            for (int32_t i = 0; i < depth; ++i) {
                sum += (in[i] + params->in_offset) * (row[i] + params->weight_offset);
            }
            const int32_t value = fixed_multiply(sum, params->factor.multiplier, params->factor.shift);
            *out++ = (uint8_t)fixed_clamp(value + params->out_offset, params->least, params->most);
        }
    }
}

void fully_connected_s16(const fully_connected_t *params, int32_t batches, const int16_t *in,
    const int8_t *weights, const int64_t *bias, int16_t *out) {
    const int32_t depth = params->depth;
    for (int32_t batch = 0; batch < batches; ++batch, in += depth) {
        for (int32_t channel = 0; channel < params->channels; ++channel) {
            const int8_t *row = weights + channel * depth;
            int64_t sum = bias ? bias[channel] : 0;
            for (int32_t i = 0; i < depth; ++i) {
                sum += (int32_t)in[i] * (row[i] + params->weight_offset);
            }
            const factor_t factor = params->multipliers
                ? (factor_t) { params->multipliers[channel], params->shifts[channel] } : params->factor;
            const int32_t value = fixed_multiply_wide(sum, factor.multiplier, factor.shift);
            *out++ = (int16_t)fixed_clamp(value, params->least, params->most);
        }
    }
}

void fully_connected_f32(int32_t depth, int32_t channels, float least, float most, int32_t batches,
    const float *in, const float *weights, const float *bias, float *out) {
    for (int32_t batch = 0; batch < batches; ++batch, in += depth) {
        const float *row = weights;
        for (int32_t channel = 0; channel < channels; ++channel, row += depth) {
            float sum = 0;
            for (int32_t i = 0; i < depth; ++i) {
                sum += in[i] * row[i];
            }
            sum += bias ? bias[channel] : 0;
            *out++ = sum < least ? least : sum > most ? most : sum;
        }
    }
}
