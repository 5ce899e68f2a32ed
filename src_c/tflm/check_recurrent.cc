// The rules of layers with a memory.

#include "check_rows.h"

#include <math.h>

// The largest product of an input and a weight, both less their zero points.
#define PRODUCT_MAX (32768.0f)

// Kernels take the zero points of weights and wide memories for 0.
static bool need_symmetric(const op_view_t *op, const view_t *view) {
    return need_quantised(op, view)
           && (!view->is_quantised_type || need_equal(op, view, "zero point", view->zero_point, 0));
}

static bool need_memory(const op_view_t *op, const view_t *view) {
    return NEED_OF(view, view->raw->is_variable(), "a variable is needed");
}

bool check_svdf(const op_view_t *op) {
    const auto *params = (const TfLiteSVDFParams *)op->params;
    const view_t *in = &op->in[0];
    const view_t *weights = &op->in[1];
    const view_t *times = &op->in[2];
    const view_t *bias = &op->in[3];
    const view_t *state = &op->in[4];
    sizes_t of;
    if (!need_shapes(op, "BI FI FM U BS>BU", &of)
        || !NEED(of['U'] * (int64_t)params->rank == of['F'], "%d filters, %d units, rank %d", (int)of['F'],
        (int)of['U'], params->rank)
        || !need_memory(op, state)
        || !NEED_OF(state, of['F'] * (int64_t)of['M'] == of['S'], "%d times %d are needed", (int)of['F'], (int)of['M'])
        || !need_activation(op, params->activation)) {
        return false;
    }
    return op->out.type == 'f' || (need_quantised(op, in) && need_quantised(op, &op->out)
        && need_symmetric(op, weights) && need_symmetric(op, times) && need_quantised(op, state)
        && (state->type == 'b' || need_symmetric(op, state))
        && NEED_OF(bias, !bias->raw || fabsf(bias->scale - state->scale * times->scale) < 1e-5f,
        "scale is not state times time weights")
        && need_multiplier(op, in->scale * weights->scale / state->scale, (float)of['I'] * PRODUCT_MAX)
        && need_multiplier(op, state->scale * times->scale / op->out.scale, 2147483648.0f));
}

// --- LSTM ---

#define GATES        (4)
#define IN_WEIGHTS   (1)
#define LAST_WEIGHTS (5)
#define BIAS         (12)
#define LAST         (18)
#define CELL         (19)

// Gates have 12 fractional bits before their functions and 15 behind them.
#define GATE_SCALE      (1.0f / (1 << 12))
#define PRODUCT_SCALE   (1.0f / (1 << 30))
#define CELL_SCALE_MIN  (1.0f / (1 << 24))

// What stands between and behind the inputs that are needed.
static const struct {
    uint8_t first;
    uint8_t end;
    char name[24];
} extensions[] = {
    { 9, 12, "peephole weights" },
    { 16, 18, "projection" },
    { 20, 24, "layer normalisation" },
};

static bool need_standard_inputs(const op_view_t *op) {
    bool is_extension[24] = {};
    for (const auto &extension : extensions) {
        for (size_t i = extension.first; i < extension.end && i < n_in(op); ++i) {
            is_extension[i] = true;
            if (!NEED(graph_inputs(op->raw)->Get(i) < 0, "%s not supported", extension.name)) {
                return false;
            }
        }
    }
    for (size_t i = 0; i < n_in(op); ++i) {
        if (!NEED(is_extension[i] || graph_inputs(op->raw)->Get(i) >= 0, "input %zu is absent", i)) {
            return false;
        }
    }
    return true;
}

// The scale is a power of two.
static bool need_cell_scale(const op_view_t *op, const view_t *cell) {
    float scale = 1;
    while (scale > cell->scale && scale > CELL_SCALE_MIN) {
        scale /= 2;
    }
    return need_symmetric(op, cell) && NEED_OF(cell, scale == cell->scale, "scale is no power of two up to 1");
}

static bool need_gate_shapes(const op_view_t *op, size_t gate, int32_t depth, int32_t units) {
    const int32_t in_dims[] = { units, depth };
    const int32_t last_dims[] = { units, units };
    view_t in_weights, last_weights, bias;
    view_in(op, IN_WEIGHTS + gate, &in_weights);
    view_in(op, LAST_WEIGHTS + gate, &last_weights);
    view_in(op, BIAS + gate, &bias);
    return need_shape(op, &in_weights, in_dims, 2) && need_shape(op, &last_weights, last_dims, 2)
           && need_shape(op, &bias, &units, 1);
}

// The weights from first on are those of all gates for one source.
static bool need_gate_scales(const op_view_t *op, size_t first, const view_t *source) {
    const int32_t depth = source->dims[source->rank - 1];
    bool good = need_quantised(op, source);
    for (size_t i = first; good && i < first + GATES; ++i) {
        view_t weights;
        view_in(op, i, &weights);
        good = need_symmetric(op, &weights)
            && need_multiplier(op, source->scale * weights.scale / GATE_SCALE, (float)depth * PRODUCT_MAX);
    }
    return good;
}

bool check_lstm(const op_view_t *op) {
    const auto *params = (const TfLiteUnidirectionalSequenceLSTMParams *)op->params;
    const view_t *in = &op->in[0];
    const view_t *out = &op->out;
    sizes_t of;
    if (!need_standard_inputs(op) || !need_shapes(op, "TBI>TBU", &of)
        || !NEED(params->activation == kTfLiteActTanh, "fused activation %d not supported", params->activation)) {
        return false;
    }
    const int32_t dims[] = { params->time_major ? of['B'] : of['T'], of['U'] };
    view_t last, cell;
    view_in(op, LAST, &last);
    view_in(op, CELL, &cell);
    bool good = need_memory(op, &last) && need_memory(op, &cell) && need_shape(op, &last, dims, 2)
        && need_shape(op, &cell, dims, 2);
    for (size_t i = 0; good && i < GATES; ++i) {
        good = need_gate_shapes(op, i, of['I'], of['U']);
    }
    return good && (out->type == 'f' || (need_gate_scales(op, IN_WEIGHTS, in)
        && need_gate_scales(op, LAST_WEIGHTS, &last) && need_cell_scale(op, &cell)
        && need_multiplier(op, PRODUCT_SCALE / last.scale, 1 / PRODUCT_SCALE)
        && NEED_OF(out, out->n_scales == 1 && out->scale == last.scale && out->zero_point == last.zero_point,
        "scale is not that of the state")));
}
