// The rules of what has one input, element by element, and of the softmax family.

#include "check_rows.h"

#include <math.h>

bool check_unary(const op_view_t *op) {
    return need_same_shape(op) && need_all_quantised(op);
}

// Differences from zero points become those of the output by a factor.
static bool need_rescaling(const op_view_t *op, float factor) {
    return check_unary(op) && (op->out.type == 'f'
        || need_multiplier(op, factor * op->in[0].scale / op->out.scale, 1 << 17));
}

bool check_relu(const op_view_t *op) {
    return need_rescaling(op, 1) && need_activation(op, kTfLiteActRelu6);
}

bool check_abs(const op_view_t *op) {
    return need_rescaling(op, 1);
}

// The kernel has 20 bits for fractions.
bool check_rsqrt(const op_view_t *op) {
    const float factor = op->out.scale * sqrtf(op->in[0].scale);
    return check_unary(op) && NEED(op->out.type == 'f' || (factor > 1.0f / (1 << 29) && factor < 1 << 10),
        "scales out of range");
}

bool check_leaky_relu(const op_view_t *op) {
    const float alpha = ((const TfLiteLeakyReluParams *)op->params)->alpha;
    return need_rescaling(op, 1) && need_rescaling(op, fabsf(alpha));
}

bool check_hard_swish(const op_view_t *op) {
    return check_unary(op) && NEED(op->out.type == 'f' || op->in[0].scale < op->out.scale * 128,
        "output scale too small");
}

// --- fixed scales ---

// Real values become integers of that many to one; one step of the input is at least one.
static bool need_step(const op_view_t *op, float per_unit) {
    return NEED_OF(&op->in[0], op->in[0].scale * per_unit > 1, "scale too small");
}

// What the kernel takes for granted: scale 1 / per_unit. Scales of int16 are those of converters,
// which do not write them exactly.
static bool need_output_scale(const op_view_t *op, int per_unit, int zero_point) {
    const view_t *view = &op->out;
    return NEED_OF(view, fabsf(view->scale * per_unit - 1) <= (view->type == 'h' ? 1e-3f : 0)
        && view->zero_point == zero_point, "scale 1/%d and zero point %d are needed", per_unit, zero_point);
}

// Int16 times a multiplier stays within 32 bits.
static bool need_sigmoid(const op_view_t *op, int per_unit, int zero_point) {
    const view_t *input = &op->in[0];
    return check_unary(op) && (input->type == 'f' || (input->type == 'h'
        ? need_output_scale(op, 1 << 15, 0) && NEED_OF(input, input->zero_point == 0 && input->scale < 5,
        "scale below 5 and zero point 0 are needed")
        : need_output_scale(op, per_unit, zero_point) && need_step(op, 1 << 27)));
}

bool check_logistic(const op_view_t *op) {
    return need_sigmoid(op, 256, -128);
}

bool check_tanh(const op_view_t *op) {
    return need_sigmoid(op, 128, 0);
}

// A sum of exponentials or squares over the last axis.
static bool need_last_axis(const op_view_t *op) {
    return NEED(op->in[0].rank >= 1, "a scalar") && check_unary(op);
}

// As many terms as the sum of a kernel has room for.
static bool need_depth(const op_view_t *op, int32_t most) {
    const view_t *input = &op->in[0];
    return NEED_OF(input, !input->is_quantised_type || input->dims[input->rank - 1] <= most,
        "last dimension above %d", (int)most);
}

static bool need_exponents(const op_view_t *op, float beta) {
    return need_step(op, beta * (1 << 26)) && need_depth(op, 4095);
}

bool check_softmax(const op_view_t *op) {
    const float beta = ((const TfLiteSoftmaxParams *)op->params)->beta;
    if (!need_last_axis(op)) {
        return false;
    }
    if (op->out.type == 'f') {
        return true;
    }
    if (op->in[0].type == 'h') {
        const float factor = beta * op->in[0].scale * 6553.5f;
        return need_output_scale(op, 1 << 15, 0) && need_depth(op, 65535)
               && NEED(factor > 0, "beta must be positive") && need_multiplier(op, factor, 1 << 17);
    }
    const int per_unit = op->out.type == 'h' ? 1 << 16 : 1 << 8;
    return need_output_scale(op, per_unit, op->out.type == 'B' ? 0 : -per_unit / 2)
           && need_exponents(op, beta);
}

bool check_log_softmax(const op_view_t *op) {
    return need_last_axis(op) && (op->out.type == 'f'
        || (need_output_scale(op, 16, 127) && need_exponents(op, 1)));
}

bool check_l2_normalization(const op_view_t *op) {
    const auto *params = (const TfLiteL2NormParams *)op->params;
    return need_no_activation(op, params->activation) && need_last_axis(op) && (op->out.type == 'f'
        || need_output_scale(op, 128, op->out.type == 'b' ? 0 : 128)) && need_depth(op, 32768);
}

// --- conversions ---

static bool need_int32_scale(const op_view_t *op, const view_t *view) {
    return view->type != 'i' || NEED_OF(view, view->n_scales == 1 && view->scale >= 1e-18f
        && view->scale <= 1e9f && view->zero_point == 0, "one scale and zero point 0 are needed");
}

// Between float and integers, or between integers.
bool check_quantize(const op_view_t *op) {
    const view_t *in = &op->in[0];
    const view_t *out = &op->out;
    return check_unary(op) && need_int32_scale(op, in) && need_int32_scale(op, out)
           && (in->type == 'f' || out->type == 'f' || need_multiplier(op, in->scale / out->scale,
        in->type == 'i' || out->type == 'i' ? 2 : 1 << 17));
}

bool check_cast(const op_view_t *op) {
    return need_same_shape(op);
}
