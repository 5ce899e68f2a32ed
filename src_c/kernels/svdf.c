// Filters of two stages, see svdf.h. The state of a filter is its last results, the newest last.

#include <string.h>

#include "rows.h"
#include "svdf.h"

// The results of up to 4 filters from first on; returns how many there are.
static int32_t filter_features(const svdf_t *params, const svdf_shape_t *shape, const int8_t *in,
    const int8_t *features, int32_t first, int32_t results[4]) {
    const int32_t filters = shape->units * shape->rank;
    const int32_t n = filters - first < 4 ? filters - first : 4;
    const int8_t *rows[4];
    for (int32_t i = 0; i < 4; ++i) {
        results[i] = 0;
        rows[i] = features + (first + (i < n ? i : 0)) * shape->depth;
    }
    rows_s8(shape->depth, params->in_offset, in, rows, results);
    for (int32_t i = 0; i < n; ++i) {
        results[i] = params->state_offset
            + fixed_multiply(results[i], params->state_factor.multiplier, params->state_factor.shift);
    }
    return n;
}

static int8_t scale(const svdf_t *params, int32_t sum) {
    const int32_t value = fixed_multiply(sum, params->out_factor.multiplier, params->out_factor.shift);
    return (int8_t)fixed_clamp(value + params->out_offset, params->least, params->most);
}

void svdf_s8(const svdf_t *params, const svdf_shape_t *shape, const int8_t *in, const int8_t *features,
    const int8_t *times, const int32_t *bias, int8_t *state, int8_t *out) {
    const int32_t filters = shape->units * shape->rank;
    const int32_t memory = shape->memory;
    for (int32_t batch = 0; batch < shape->batches; ++batch, in += shape->depth) {
        int32_t results[4];
        for (int32_t filter = 0; filter < filters; filter += 4) {
            const int32_t n = filter_features(params, shape, in, features, filter, results);
            for (int32_t i = 0; i < n; ++i) {
                int8_t *kept = state + (filter + i) * memory;
                memmove(kept, kept + 1, (size_t)(memory - 1));
                kept[memory - 1] = (int8_t)fixed_clamp(results[i], INT8_MIN, INT8_MAX);
            }
        }
        const int8_t *weight = times;
        for (int32_t unit = 0; unit < shape->units; ++unit) {
            int32_t sum = bias ? bias[unit] : 0;
            for (int32_t i = 0; i < shape->rank * memory; ++i) {
                sum += (*state++ - params->state_offset) * *weight++;
            }
            *out++ = scale(params, sum);
        }
    }
}

void svdf_s16(const svdf_t *params, const svdf_shape_t *shape, const int8_t *in, const int8_t *features,
    const int16_t *times, const int32_t *bias, int16_t *state, int8_t *out) {
    const int32_t filters = shape->units * shape->rank;
    const int32_t memory = shape->memory;
    for (int32_t batch = 0; batch < shape->batches; ++batch, in += shape->depth) {
        int32_t results[4];
        for (int32_t filter = 0; filter < filters; filter += 4) {
            const int32_t n = filter_features(params, shape, in, features, filter, results);
            for (int32_t i = 0; i < n; ++i) {
                int16_t *kept = state + (filter + i) * memory;
                memmove(kept, kept + 1, (size_t)(memory - 1) * sizeof(*kept));
                kept[memory - 1] = (int16_t)fixed_clamp(results[i], INT16_MIN, INT16_MAX);
            }
        }
        const int16_t *weight = times;
        for (int32_t unit = 0; unit < shape->units; ++unit) {
            int32_t sum = bias ? bias[unit] : 0;
            for (int32_t i = 0; i < shape->rank * memory; ++i) {
                sum += *state++ * *weight++;
            }
            *out++ = scale(params, sum);
        }
    }
}

void svdf_f32(float least, float most, const svdf_shape_t *shape, const float *in, const float *features,
    const float *times, const float *bias, float *state, float *out) {
    const int32_t memory = shape->memory;
    for (int32_t batch = 0; batch < shape->batches; ++batch, in += shape->depth) {
        const float *feature = features;
        const float *weight = times;
        for (int32_t unit = 0; unit < shape->units; ++unit) {
            float total = bias ? bias[unit] : 0;
            for (int32_t i = 0; i < shape->rank; ++i, state += memory) {
                float sum = 0;
                for (int32_t j = 0; j < shape->depth; ++j) {
                    sum += *feature++ * in[j];
                }
                memmove(state, state + 1, (size_t)(memory - 1) * sizeof(*state));
                state[memory - 1] = sum;
                sum = 0;
                for (int32_t j = 0; j < memory; ++j) {
                    sum += *weight++ * state[j];
                }
                total += sum;
            }
            *out++ = total < least ? least : total > most ? most : total;
        }
    }
}
