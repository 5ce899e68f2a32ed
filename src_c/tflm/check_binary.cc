// The rules of operators with two inputs, element by element.

#include "check_rows.h"

bool check_broadcast(const op_view_t *op) {
    return need_broadcast(op, ENGINE_MAX_RANK);
}

static bool need_arithmetic(const op_view_t *op) {
    return need_broadcast(op, ENGINE_MAX_RANK) && need_all_quantised(op) && need_centred(op, &op->in[0])
           && need_centred(op, &op->in[1]) && need_centred(op, &op->out);
}

static bool need_factor_below(const op_view_t *op, float factor, float limit) {
    return NEED(!op->out.is_quantised_type || factor < limit, "output scale too small");
}

static float larger_scale(const op_view_t *op) {
    return op->in[0].scale > op->in[1].scale ? op->in[0].scale : op->in[1].scale;
}

bool check_compare(const op_view_t *op) {
    const float limit = op->in[0].type == 'h' ? 1 << 6 : 1 << 14;
    return need_broadcast(op, ENGINE_MAX_RANK) && need_all_quantised(op)
           && NEED(!op->in[0].is_quantised_type || larger_scale(op) < limit, "input scale too large");
}

bool check_maximum(const op_view_t *op) {
    return check_broadcast(op) && need_same_scales(op);
}

bool check_mul(const op_view_t *op) {
    const float limit = op->out.type == 'h' ? 1 : 1 << 13;
    return need_arithmetic(op)
           && need_factor_below(op, op->in[0].scale * op->in[1].scale / op->out.scale, limit)
           && need_activation(op, ((const TfLiteMulParams *)op->params)->activation);
}

bool check_div(const op_view_t *op) {
    return need_arithmetic(op)
           && need_factor_below(op, op->in[0].scale / (op->in[1].scale * op->out.scale), 1 << 22)
           && need_activation(op, ((const TfLiteDivParams *)op->params)->activation);
}

// Inputs have 20 or 15 bits to spare when they are brought to twice the larger scale.
static bool need_sum(const op_view_t *op, int activation) {
    return need_arithmetic(op) && need_activation(op, activation)
           && need_factor_below(op, larger_scale(op) / op->out.scale, op->out.type == 'h' ? 1 << 13 : 1 << 18);
}

bool check_add(const op_view_t *op) {
    return need_sum(op, ((const TfLiteAddParams *)op->params)->activation);
}

bool check_sub(const op_view_t *op) {
    return need_sum(op, ((const TfLiteSubParams *)op->params)->activation);
}

// The same with 7 bits or none, and squares of 30 bits.
bool check_squared_difference(const op_view_t *op) {
    const float scale = larger_scale(op);
    return need_arithmetic(op)
           && need_factor_below(op, 4 * scale * scale / op->out.scale, op->out.type == 'h' ? 1 : 1 << 14);
}

bool check_prelu(const op_view_t *op) {
    const float factor = op->in[0].scale / op->out.scale;
    return need_rank_4(op, &op->in[0]) && need_broadcast(op, 4) && need_all_quantised(op)
           && (!op->out.is_quantised_type || (need_multiplier(op, factor, 1 << 9)
        && need_multiplier(op, factor * op->in[1].scale, 1 << 18)));
}
