// Random layers for fully_connected_s8() and rows_s8(), compared with plain sums. Inputs and weights
// lie at any address, canaries lie around whatever a kernel writes.

#include <string.h>

#include "common.h"
#include "dense.h"
#include "fully_connected.h"
#include "rows.h"

#define MOST_DEPTH    (260)
#define MOST_CHANNELS (260)
#define MOST_BATCHES  (3)

typedef struct {
    fully_connected_t params;
    int32_t batches;
    bool has_bias;
    int8_t in[MOST_BATCHES * MOST_DEPTH + 3];
    int8_t weights[MOST_CHANNELS * MOST_DEPTH + 3];
    int32_t bias[MOST_CHANNELS];
    int32_t multipliers[MOST_CHANNELS];
    int8_t shifts[MOST_CHANNELS];
    int8_t out[MOST_BATCHES * MOST_CHANNELS + 2 * CANARIES + 3];
} layer_t;

static layer_t layer;

static int32_t sum_of(const int8_t *in, int32_t in_offset, const int8_t *weights, int32_t weight_offset) {
    int32_t sum = 0;
    for (int32_t i = 0; i < layer.params.depth; ++i) {
        sum += (in[i] + in_offset) * (weights[i] + weight_offset);
    }
    return sum;
}

static void make(void) {
    fully_connected_t *params = &layer.params;
    const bool narrow = any(0, 4) == 0;
    layer.batches = any(1, MOST_BATCHES);
    layer.has_bias = any(0, 3);
    *params = (fully_connected_t) {
        .depth = any(0, 3) ? any(1, 40) : any(250, MOST_DEPTH),
        .channels = any(0, 7) ? any(1, 40) : any(250, MOST_CHANNELS),
        .in_offset = any(0, 2) ? any(-127, 128) : any(0, 1) ? 128 : -127,
        .weight_offset = any(0, 1) ? 0 : any(-127, 128),
        .out_offset = any(-128, 127),
        .least = narrow ? any(-128, 0) : INT8_MIN,
        .most = narrow ? any(0, 127) : INT8_MAX,
        .factor = { any(1 << 30, INT32_MAX), any(-14, 0) },
        .multipliers = any(0, 1) ? layer.multipliers : NULL,
        .shifts = layer.shifts,
    };
    for (int32_t c = 0; c < params->channels; ++c) {
        layer.bias[c] = any(-30000, 30000);
        layer.multipliers[c] = any(1 << 30, INT32_MAX);
        layer.shifts[c] = (int8_t)any(-14, 0);
    }
}

static const char *check_fully_connected(const int8_t *in, const int8_t *weights) {
    const fully_connected_t *params = &layer.params;
    const int32_t *bias = layer.has_bias ? layer.bias : NULL;
    int8_t *out = layer.out + CANARIES + any(0, 3);
    memset(layer.out, CANARY, sizeof(layer.out));
    fully_connected_s8(params, layer.batches, in, weights, bias, out);
    if (!alive(out - CANARIES) || !alive(out + layer.batches * params->channels)) {
        return "wrote beyond the outputs";
    }
    for (int32_t batch = 0; batch < layer.batches; ++batch, in += params->depth) {
        for (int32_t c = 0; c < params->channels; ++c) {
            const int32_t sum = sum_of(in, params->in_offset, weights + c * params->depth, params->weight_offset);
            const int32_t multiplier = params->multipliers ? params->multipliers[c] : params->factor.multiplier;
            const int32_t shift = params->multipliers ? params->shifts[c] : params->factor.shift;
            const int32_t value = fixed_multiply(sum + (bias ? bias[c] : 0), multiplier, shift);
            if (*out++ != fixed_clamp(value + params->out_offset, params->least, params->most)) {
                return "wrong outputs of fully_connected_s8";
            }
        }
    }
    return NULL;
}

static const char *check_rows(const int8_t *in, const int8_t *weights) {
    const int32_t in_offset = layer.params.in_offset;
    const int8_t *rows[4];
    int32_t before[4], sums[4];
    for (int32_t i = 0; i < 4; ++i) {
        rows[i] = weights + any(0, layer.params.channels - 1) * layer.params.depth;
        before[i] = sums[i] = any(-30000, 30000);
    }
    rows_s8(layer.params.depth, in_offset, in, rows, sums);
    for (int32_t i = 0; i < 4; ++i) {
        if (sums[i] != before[i] + sum_of(in, in_offset, rows[i], 0)) {
            return "wrong sums of rows_s8";
        }
    }
    return NULL;
}

const char *dense_check(uint32_t seed, uint32_t n) {
    start_random(seed);
    for (; n > 0; --n) {
        make();
        const int8_t *in = layer.in + any(0, 3), *weights = layer.weights + any(0, 3);
        fill(layer.in, layer.batches * layer.params.depth + 3);
        fill(layer.weights, layer.params.channels * layer.params.depth + 3);
        const char *problem = check_fully_connected(in, weights);
        problem = problem ? problem : check_rows(in, weights);
        if (problem) {
            return problem;
        }
    }
    return NULL;
}

void dense_tell_last(void (*tell)(const char *name, int32_t value)) {
    tell("batches", layer.batches);
    tell("depth", layer.params.depth);
    tell("channels", layer.params.channels);
}
