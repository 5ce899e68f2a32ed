// Reductions, see reduce.h.

#include "reduce.h"

void reduce_init(reduce_t *reduce) {
    *reduce = (reduce_t) { .size = 1, .kept.size = 1, .reduced.size = 1 };
}

void reduce_add(reduce_t *reduce, int32_t dim, bool reduced) {
    reduce_places_t *places = reduced ? &reduce->reduced : &reduce->kept;
    const int32_t last = places->rank - 1;
    if (last >= 0 && places->steps[last] * places->dims[last] == reduce->size) {
        places->dims[last] *= dim;
    } else if (dim > 1) {
        places->dims[places->rank] = dim;
        places->steps[places->rank] = reduce->size;
        ++places->rank;
    }
    places->size *= dim;
    reduce->size *= dim;
}

// The place of number index, where dimensions count from first on.
static int32_t place_of(const reduce_places_t *places, int32_t first, int32_t index) {
    int32_t place = 0;
    for (int32_t i = first; i < places->rank; ++i) {
        const int32_t next = index / places->dims[i];
        place += (index - next * places->dims[i]) * places->steps[i];
        index = next;
    }
    return place;
}

void reduce(const reduce_t *reduce, reduce_row_t row, reduce_end_t end, const void *params, const void *in,
    size_t in_size, void *out) {
    const reduce_places_t *reduced = &reduce->reduced;
    const int32_t n = reduced->rank ? reduced->dims[0] : 1;
    const int32_t step = reduced->rank ? reduced->steps[0] : 0;
    const int32_t n_rows = reduced->size / n;
    for (int32_t i = 0; i < reduce->kept.size; ++i) {
        const int32_t start = place_of(&reduce->kept, 0, i);
        reduce_value_t value;
        for (int32_t j = 0; j < n_rows; ++j) {
            const size_t place = (size_t)(start + place_of(reduced, 1, j));
            row((const char *)in + place * in_size, step, n, j == 0, &value);
        }
        end(params, value, reduced->size, out, i);
    }
}

// --- rows ---

#define SUM(name, type, sum_type, field) \
    REDUCE_ROW(name) { \
        const type *in = row; \
        sum_type sum = 0; \
        for (int32_t i = 0; i < n; ++i, in += step) { \
            sum += *in; \
        } \
        value->field = first ? sum : value->field + sum; \
    }

SUM(sum_f32, float, float, f)
SUM(sum_s8, int8_t, int32_t, i)
SUM(sum_u8, uint8_t, int32_t, i)
SUM(sum_s16, int16_t, int64_t, i)
SUM(sum_s32, int32_t, int64_t, i)
SUM(sum_s64, int64_t, int64_t, i)

#define EXTREME(name, type, field, sign) \
    REDUCE_ROW(name) { \
        const type *in = row; \
        type best = first ? *in : (type)value->field; \
        for (int32_t i = 0; i < n; ++i, in += step) { \
            best = *in sign best ? *in : best; \
        } \
        value->field = best; \
    }

EXTREME(most_f32, float, f, >)
EXTREME(most_s8, int8_t, i, >)
EXTREME(most_u8, uint8_t, i, >)
EXTREME(most_s16, int16_t, i, >)
EXTREME(most_s32, int32_t, i, >)
EXTREME(most_s64, int64_t, i, >)
EXTREME(least_f32, float, f, <)
EXTREME(least_s8, int8_t, i, <)
EXTREME(least_u8, uint8_t, i, <)
EXTREME(least_s16, int16_t, i, <)
EXTREME(least_s32, int32_t, i, <)
EXTREME(least_s64, int64_t, i, <)

// --- ends ---

REDUCE_END(value_int) {
    (void)count;
    switch (*(const size_t *)params) {
        case 1:
            ((int8_t *)out)[place] = (int8_t)value.i;
            break;
        case 2:
            ((int16_t *)out)[place] = (int16_t)value.i;
            break;
        case 4:
            ((int32_t *)out)[place] = (int32_t)value.i;
            break;
        default:
            ((int64_t *)out)[place] = value.i;
    }
}

REDUCE_END(mean_int) {
    value.i /= count;
    value_int(params, value, count, out, place);
}

REDUCE_END(value_f32) {
    (void)params;
    (void)count;
    ((float *)out)[place] = value.f;
}

REDUCE_END(mean_f32) {
    (void)params;
    ((float *)out)[place] = value.f / (float)count;
}

// Sums of more than 32 bits lose their lowest ones; where they grow, they saturate.
static int32_t scaled(const reduce_params_t *params, int64_t value, int32_t count) {
    int32_t shift = params->factor.shift;
    int64_t sum = value - (int64_t)count * params->in_offset;
    for (; sum != (int32_t)sum; ++shift) {
        sum >>= 1;
    }
    if (shift > 0) {
        sum <<= shift;
        sum = sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
        shift = 0;
    }
    return fixed_multiply((int32_t)sum, params->factor.multiplier, shift) + params->out_offset;
}

REDUCE_END(scaled_s8) {
    ((int8_t *)out)[place] = (int8_t)fixed_clamp(scaled(params, value.i, count), INT8_MIN, INT8_MAX);
}

REDUCE_END(scaled_u8) {
    ((uint8_t *)out)[place] = (uint8_t)fixed_clamp(scaled(params, value.i, count), 0, UINT8_MAX);
}

REDUCE_END(scaled_s16) {
    ((int16_t *)out)[place] = (int16_t)fixed_clamp(scaled(params, value.i, count), INT16_MIN, INT16_MAX);
}
