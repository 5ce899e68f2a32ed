// Long short-term memories of float32, see lstm.h.

#include <string.h>

#include "logistic.h"
#include "lstm.h"

static float row_sum(int32_t depth, const float *in, const float *row) {
    float sum = 0;
    for (int32_t i = 0; i < depth; ++i) {
        sum += in[i] * row[i];
    }
    return sum;
}

static void step(float clip, const lstm_shape_t *shape, const lstm_weights_f32_t *weights,
    const float *in, const float *last, float *cell, float *out) {
    for (int32_t unit = 0; unit < shape->units; ++unit) {
        float gates[LSTM_GATES];
        for (int32_t i = 0; i < LSTM_GATES; ++i) {
            gates[i] = row_sum(shape->depth, in, weights->in[i] + unit * shape->depth) + weights->bias[i][unit];
            gates[i] += row_sum(shape->units, last, weights->last[i] + unit * shape->units);
        }
        float turned;
        tanh_f32(&gates[LSTM_CELL], &turned, 1);
        logistic_f32(gates, gates, LSTM_GATES);
        const float value = gates[LSTM_FORGET] * cell[unit] + gates[LSTM_INPUT] * turned;
        cell[unit] = value < -clip ? -clip : value > clip ? clip : value;
        tanh_f32(&cell[unit], &turned, 1);
        out[unit] = turned * gates[LSTM_OUTPUT];
    }
}

void lstm_f32(float clip, const lstm_shape_t *shape, const lstm_weights_f32_t *weights,
    const float *in, float *last, float *cell, float *out) {
    for (int32_t batch = 0; batch < shape->batches; ++batch) {
        const float *before = last;
        for (int32_t i = 0; i < shape->steps; ++i) {
            const int32_t place = lstm_place(shape, batch, i);
            step(clip, shape, weights, in + place * shape->depth, before, cell, out + place * shape->units);
            before = out + place * shape->units;
        }
        memcpy(last, before, (size_t)shape->units * sizeof(float));
        last += shape->units;
        cell += shape->units;
    }
}
