// The rules of arithmetic, element by element or along axes.

#include "check_limits.h"
#include "check_rows.h"

bool check_unary(const op_view_t *op) {
    return need_same_shape(op);
}

bool check_relu(const op_view_t *op) {
    return need_same_shape(op) && need_all_quantised(op)
           && (op->out.type == 'f' || need_multiplier(op, op->in[0].scale / op->out.scale, 1 << 17))
           && need_activation(op, kTfLiteActRelu6);
}

// Real values become integers of that many to one; one step of the input is at least one.
static bool need_step(const op_view_t *op, float per_unit) {
    return NEED_OF(&op->in[0], op->in[0].scale * per_unit > 1, "scale too small");
}

static bool need_sigmoid(const op_view_t *op, int per_unit, int zero_point) {
    return need_same_shape(op) && need_all_quantised(op) && (!op->in[0].is_quantised_type
        || (need_fixed_scale(op, &op->out, per_unit, zero_point) && need_step(op, 1 << 27)));
}

bool check_logistic(const op_view_t *op) {
    return need_sigmoid(op, 256, -128);
}

bool check_tanh(const op_view_t *op) {
    return need_sigmoid(op, 128, 0);
}

// A sum of exponentials or squares over the last axis.
static bool need_last_axis(const op_view_t *op) {
    return NEED(op->in[0].rank >= 1, "a scalar") && need_same_shape(op) && need_all_quantised(op);
}

bool check_softmax(const op_view_t *op) {
    const auto *params = (const TfLiteSoftmaxParams *)op->params;
    const char type = op->out.type;
    const int per_unit = type == 'h' ? 65536 : 256;
    const int zero_point = type == 'B' ? 0 : -per_unit / 2;
    return need_last_axis(op) && (type == 'f' || (need_fixed_scale(op, &op->out, per_unit, zero_point)
        && need_step(op, params->beta * (1 << 26)) && limit_depth(op, 4095)));
}

bool check_l2_normalization(const op_view_t *op) {
    const auto *params = (const TfLiteL2NormParams *)op->params;
    return need_no_activation(op, params->activation) && need_last_axis(op) && (op->out.type == 'f'
        || need_fixed_scale(op, &op->out, 128, op->out.type == 'b' ? 0 : 128)) && limit_depth(op, 32768);
}

// From float, to float or between integers of up to 16 bits.
bool check_quantize(const op_view_t *op) {
    return need_same_shape(op) && need_all_quantised(op) && (op->in[0].type == 'f' || op->out.type == 'f'
        || (NEED_OF(&op->out, op->out.scale > 0 && (op->out.type != 'i' || op->out.zero_point == 0),
        "scale or zero point") && need_multiplier(op, op->in[0].scale / op->out.scale, 1 << 17)));
}

// --- two inputs ---

bool check_broadcast(const op_view_t *op) {
    return need_broadcast(op, 4);
}

bool check_compare(const op_view_t *op) {
    return need_broadcast(op, 4) && need_all_quantised(op) && NEED(!op->in[0].is_quantised_type
        || (op->in[0].scale < 1 && op->in[1].scale < 1), "scales below 1 are needed");
}

bool check_maximum(const op_view_t *op) {
    return need_broadcast(op, 5) && need_same_scales(op);
}

static bool need_product(const op_view_t *op, float factor, float limit) {
    return !op->out.is_quantised_type
           || need_multiplier(op, op->in[0].scale * factor / op->out.scale, limit);
}

bool check_mul(const op_view_t *op) {
    const auto *params = (const TfLiteMulParams *)op->params;
    return need_broadcast(op, 4) && need_all_quantised(op) && need_product(op, op->in[1].scale, 1 << 18)
           && need_activation(op, params->activation);
}

bool check_prelu(const op_view_t *op) {
    return NEED(op->in[0].rank <= 4, "rank %d, at most 4 is supported", (int)op->in[0].rank)
           && need_broadcast(op, 4) && need_all_quantised(op)
           && need_product(op, 1, 1 << 9) && need_product(op, op->in[1].scale, 1 << 18);
}

// Both inputs are brought to twice the larger scale, then to the output's, with 20 bits to spare.
static bool need_sum(const op_view_t *op, int max_rank, int activation) {
    const float most = op->out.scale * (1 << 18);
    return need_broadcast(op, max_rank) && need_all_quantised(op) && need_activation(op, activation)
           && NEED(!op->out.is_quantised_type || (op->in[0].scale <= most && op->in[1].scale <= most),
        "output scale too small");
}

bool check_add(const op_view_t *op) {
    return need_sum(op, 4, ((const TfLiteAddParams *)op->params)->activation);
}

bool check_sub(const op_view_t *op) {
    return need_sum(op, 5, ((const TfLiteSubParams *)op->params)->activation);
}

// --- along axes ---

bool check_arg_max(const op_view_t *op) {
    const view_t *input = &op->in[0];
    const int32_t *axis = need_ints(op, &op->in[1], 1);
    int place;
    if (!axis || !need_axis(op, *axis, input->rank, &place)) {
        return false;
    }
    int32_t dims[ENGINE_MAX_RANK];
    for (int i = 0; i + 1 < input->rank; ++i) {
        dims[i] = input->dims[i + (i >= place)];
    }
    return need_shape(op, &op->out, dims, input->rank - 1);
}

// Only over height and width of an image.
bool check_mean(const op_view_t *op) {
    const auto *params = (const TfLiteReducerParams *)op->params;
    const int32_t *axes = need_ints(op, &op->in[1], 2);
    sizes_t of;
    return axes && need_shapes(op, params->keep_dims ? "BHWC *>B11C" : "BHWC *>BC", &of)
           && NEED((axes[0] == 1 && axes[1] == 2) || (axes[0] == 2 && axes[1] == 1),
        "axes %d and %d, 1 and 2 are needed", (int)axes[0], (int)axes[1]);
}
