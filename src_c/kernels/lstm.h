// A long short-term memory over a sequence. Each step makes of its input and the last output, by
// four gates, a new state of the cell and the next output. No gate sees the cell.

#ifndef MICROLITE_KERNELS_LSTM_H
#define MICROLITE_KERNELS_LSTM_H

#include <stdbool.h>

#include "fixed.h"

enum {
    LSTM_INPUT,
    LSTM_FORGET,
    LSTM_CELL,
    LSTM_OUTPUT,
    LSTM_GATES,
};

// Inputs are batches x steps x depth, or steps x batches x depth when time is major, and outputs
// the same of units.
typedef struct {
    int32_t batches;
    int32_t steps;
    int32_t depth;
    int32_t units;
    bool time_major;
} lstm_shape_t;

static inline int32_t lstm_place(const lstm_shape_t *shape, int32_t batch, int32_t step) {
    return shape->time_major ? step * shape->batches + batch : batch * shape->steps + step;
}

// Of each gate the weights of the input, units x depth, and of the last output, units x units.
typedef struct {
    const int8_t *in[LSTM_GATES];
    const int8_t *last[LSTM_GATES];
    const int32_t *bias[LSTM_GATES];
} lstm_weights_s8_t;

typedef struct {
    const float *in[LSTM_GATES];
    const float *last[LSTM_GATES];
    const float *bias[LSTM_GATES];
} lstm_weights_f32_t;

// Gates have 12 fractional bits before their functions and 15 behind them. The cell is a power of
// two apart from the former: by tanh_multiplier / 2^tanh_shift it has 12288 steps a unit.
typedef struct {
    int32_t in_offset;              // added to each input
    int32_t out_offset;             // of outputs
    factor_t in_factors[LSTM_GATES];
    factor_t last_factors[LSTM_GATES];
    factor_t cell_factor;           // of the product of two gates, for the cell
    factor_t out_factor;            // and for the output
    int32_t tanh_multiplier;
    int32_t tanh_shift;
    int32_t clip;                   // most of the cell
} lstm_t;

// The outputs of the last step, batches x units, go on in last, the cells in cell.
void lstm_s8(const lstm_t *params, const lstm_shape_t *shape, const lstm_weights_s8_t *weights,
    const int8_t *in, int8_t *last, int16_t *cell, int8_t *out);

// The cell stays between -clip and clip.
void lstm_f32(float clip, const lstm_shape_t *shape, const lstm_weights_f32_t *weights,
    const float *in, float *last, float *cell, float *out);

#endif
