// Long short-term memories of int8, see lstm.h. The gates of a unit are made together: each input
// is loaded once for all four.

#include <string.h>

#include "logistic.h"
#include "lstm.h"
#include "rows.h"

static int32_t saturate(int32_t value) {
    return fixed_clamp(value, INT16_MIN, INT16_MAX);
}

static void add_rows(const factor_t factors[LSTM_GATES], int32_t depth, int32_t in_offset, const int8_t *in,
    const int8_t *const weights[LSTM_GATES], int32_t unit, int32_t sums[LSTM_GATES], int16_t gates[LSTM_GATES]) {
    const int8_t *rows[LSTM_GATES];
    for (int32_t i = 0; i < LSTM_GATES; ++i) {
        rows[i] = weights[i] + unit * depth;
    }
    rows_s8(depth, in_offset, in, rows, sums);
    for (int32_t i = 0; i < LSTM_GATES; ++i) {
        const int32_t value = fixed_multiply(sums[i], factors[i].multiplier, factors[i].shift);
        gates[i] = (int16_t)saturate(gates[i] + saturate(value));
    }
}

static int32_t product(int16_t a, int16_t b, factor_t factor) {
    return fixed_multiply(a * b, factor.multiplier, factor.shift);
}

// A gate has 15 fractional bits.
static const factor_t gate_factor = { 1 << 30, -14 };

static void add_to_cell(const lstm_t *params, const int16_t gates[LSTM_GATES], int16_t *cell) {
    const int32_t kept = saturate(product(gates[LSTM_FORGET], *cell, gate_factor));
    const int32_t added = saturate(product(gates[LSTM_INPUT], gates[LSTM_CELL], params->cell_factor));
    *cell = (int16_t)fixed_clamp(saturate(kept + added), -params->clip, params->clip);
}

static void step(const lstm_t *params, const lstm_shape_t *shape, const lstm_weights_s8_t *weights,
    const int8_t *in, const int8_t *last, int16_t *cell, int8_t *out) {
    for (int32_t unit = 0; unit < shape->units; ++unit) {
        int16_t gates[LSTM_GATES] = { 0 };
        int32_t sums[LSTM_GATES] = { 0 };
        for (int32_t i = 0; i < LSTM_GATES; ++i) {
            sums[i] = weights->bias[i][unit];
        }
        add_rows(params->in_factors, shape->depth, params->in_offset, in, weights->in, unit, sums, gates);
        memset(sums, 0, sizeof(sums));
        add_rows(params->last_factors, shape->units, -params->out_offset, last, weights->last, unit, sums, gates);
        int16_t turned;
        tanh_s16(3, 0, &gates[LSTM_CELL], &turned, 1);
        logistic_s16(3, 0, gates, gates, LSTM_GATES);
        gates[LSTM_CELL] = turned;
        add_to_cell(params, gates, &cell[unit]);
        tanh_s16(params->tanh_multiplier, params->tanh_shift, &cell[unit], &turned, 1);
        const int32_t value = product(turned, gates[LSTM_OUTPUT], params->out_factor);
        out[unit] = (int8_t)fixed_clamp(value + params->out_offset, INT8_MIN, INT8_MAX);
    }
}

void lstm_s8(const lstm_t *params, const lstm_shape_t *shape, const lstm_weights_s8_t *weights,
    const int8_t *in, int8_t *last, int16_t *cell, int8_t *out) {
    for (int32_t batch = 0; batch < shape->batches; ++batch) {
        const int8_t *before = last;
        for (int32_t i = 0; i < shape->steps; ++i) {
            const int32_t place = lstm_place(shape, batch, i);
            step(params, shape, weights, in + place * shape->depth, before, cell, out + place * shape->units);
            before = out + place * shape->units;
        }
        memcpy(last, before, (size_t)shape->units);
        last += shape->units;
        cell += shape->units;
    }
}
