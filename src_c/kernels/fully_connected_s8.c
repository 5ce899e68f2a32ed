// Fully connected layers of int8, see fully_connected.h. Four rows of weights go over the input at
// a time, so that each input is loaded, and widened, once for four products.
//
// For 16 products: DSP 23 instructions, else about 40 in plain C on a Cortex-M3.

#include "dsp.h"
#include "fully_connected.h"

typedef struct {
    int32_t sum[4];
} sums_t;

static int8_t scale(const fully_connected_t *params, int32_t channel, int32_t sum) {
    const int32_t multiplier = params->multipliers ? params->multipliers[channel] : params->factor.multiplier;
    const int32_t shift = params->multipliers ? params->shifts[channel] : params->factor.shift;
    const int32_t value = fixed_multiply(sum, multiplier, shift) + params->out_offset;
    return (int8_t)fixed_clamp(value, params->least, params->most);
}

// A row that is the last one may stand for those beyond it.
static sums_t products(const fully_connected_t *params, const int8_t *in, const int8_t *const rows[4]) {
    const int8_t *w0 = rows[0], *w1 = rows[1], *w2 = rows[2], *w3 = rows[3];
    const int32_t in_offset = params->in_offset;
    const int32_t weight_offset = params->weight_offset;
    int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int32_t left = params->depth;
    #if KERNELS_DSP
    const uint32_t in_offsets = dsp_both(in_offset);
    const uint32_t weight_offsets = dsp_both(weight_offset);
    for (; left >= 4; left -= 4) {
        const uint32_t x = dsp_load(in);
        const uint32_t even = dsp_widen_even(x, in_offsets);
        const uint32_t odd = dsp_widen_odd(x, in_offsets);
        uint32_t w = dsp_load(w0);
        s0 = dsp_mac(even, dsp_widen_even(w, weight_offsets), s0);
        s0 = dsp_mac(odd, dsp_widen_odd(w, weight_offsets), s0);
        w = dsp_load(w1);
        s1 = dsp_mac(even, dsp_widen_even(w, weight_offsets), s1);
        s1 = dsp_mac(odd, dsp_widen_odd(w, weight_offsets), s1);
        w = dsp_load(w2);
        s2 = dsp_mac(even, dsp_widen_even(w, weight_offsets), s2);
        s2 = dsp_mac(odd, dsp_widen_odd(w, weight_offsets), s2);
        w = dsp_load(w3);
        s3 = dsp_mac(even, dsp_widen_even(w, weight_offsets), s3);
        s3 = dsp_mac(odd, dsp_widen_odd(w, weight_offsets), s3);
        in += 4, w0 += 4, w1 += 4, w2 += 4, w3 += 4;
    }
    #endif
    for (; left > 0; --left) {
        const int32_t x = *in++ + in_offset;
        s0 += x * (*w0++ + weight_offset);
        s1 += x * (*w1++ + weight_offset);
        s2 += x * (*w2++ + weight_offset);
        s3 += x * (*w3++ + weight_offset);
    }
    return (sums_t) { { s0, s1, s2, s3 } };
}

void fully_connected_s8(const fully_connected_t *params, int32_t batches, const int8_t *in,
    const int8_t *weights, const int32_t *bias, int8_t *out) {
    for (int32_t batch = 0; batch < batches; ++batch, in += params->depth, out += params->channels) {
        for (int32_t channel = 0; channel < params->channels; channel += 4) {
            const int8_t *rows[4];
            for (int32_t i = 0; i < 4; ++i) {
                const int32_t row = channel + i < params->channels ? channel + i : channel;
                rows[i] = weights + row * params->depth;
            }
            const sums_t sums = products(params, in, rows);
            for (int32_t i = 0; i < 4 && channel + i < params->channels; ++i) {
                const int32_t sum = sums.sum[i] + (bias ? bias[channel + i] : 0);
                out[channel + i] = scale(params, channel + i, sum);
            }
        }
    }
}
