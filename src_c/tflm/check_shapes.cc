// The rules of operators that move values without changing them.

#include "check_rows.h"

#include <string.h>

bool check_reshape(const op_view_t *op) {
    return need_equal(op, &op->out, "size", op->out.size, op->in[0].size) && need_same_scales(op);
}

// Only dimensions of 1 come or go.
bool check_squeeze(const op_view_t *op) {
    const view_t *a = &op->in[0];
    const view_t *b = &op->out;
    int i = 0;
    int j = 0;
    for (;;) {
        while (i < a->rank && a->dims[i] == 1) {
            ++i;
        }
        while (j < b->rank && b->dims[j] == 1) {
            ++j;
        }
        if (i == a->rank || j == b->rank || a->dims[i] != b->dims[j]) {
            break;
        }
        ++i;
        ++j;
    }
    return NEED(i == a->rank && j == b->rank, "shapes differ") && need_same_scales(op);
}

bool check_pad(const op_view_t *op) {
    const view_t *input = &op->in[0];
    const view_t *value = &op->in[2];
    const int32_t *paddings = need_ints(op, &op->in[1], 2 * input->rank);
    if (!paddings) {
        return false;
    }
    int32_t dims[ENGINE_MAX_RANK];
    for (int i = 0; i < 2 * input->rank; ++i) {
        if (!need_padding(op, paddings[i])) {
            return false;
        }
        dims[i / 2] = paddings[i] + (i % 2 ? dims[i / 2] : input->dims[i / 2]);
    }
    return need_shape(op, &op->out, dims, input->rank) && need_same_scales(op)
           && (!value->raw || (need_equal(op, value, "size", value->size, 1)
        && need_equal(op, value, "number of scales", value->n_scales, op->out.n_scales)));
}

bool check_concatenation(const op_view_t *op) {
    const auto *params = (const TfLiteConcatenationParams *)op->params;
    const view_t *output = &op->out;
    int axis;
    if (!need_axis(op, params->axis, output->rank, &axis) || !need_no_activation(op, params->activation)) {
        return false;
    }
    int32_t dims[ENGINE_MAX_RANK];
    memcpy(dims, output->dims, output->rank * sizeof(dims[0]));
    uint32_t sum = 0;
    for (size_t i = 0; i < n_in(op); ++i) {
        view_t input;
        view_in(op, i, &input);
        dims[axis] = axis < input.rank ? input.dims[axis] : 0;
        sum += dims[axis];
        if (!need_shape(op, &input, dims, output->rank) || !need_quantised(op, &input)
            || (output->type == 'B' && !need_multiplier(op, input.scale / output->scale, 1 << 9))) {
            return false;
        }
    }
    return need_equal(op, output, "size along the axis", output->dims[axis], (int32_t)sum)
           && need_quantised(op, output) && (output->type == 'B' || need_same_scales(op));
}

// The parts of a whole along an axis: n slices without that axis, or pieces of equal size.
static bool need_parts(const op_view_t *op, const view_t *whole, int axis, bool inputs, bool slices) {
    const size_t n = inputs ? n_in(op) : n_out(op);
    int place;
    if (!need_axis(op, axis, whole->rank, &place)
        || !NEED_OF(whole, slices ? whole->dims[place] == (int32_t)n : whole->dims[place] % (int32_t)n == 0,
        "size %d in %d parts", (int)whole->dims[place], (int)n)) {
        return false;
    }
    int32_t dims[ENGINE_MAX_RANK];
    for (int i = 0; i < whole->rank - slices; ++i) {
        dims[i] = whole->dims[i + (slices && i >= place)];
    }
    if (!slices) {
        dims[place] /= (int32_t)n;
    }
    for (size_t i = 0; i < n; ++i) {
        view_t part;
        (inputs ? view_in : view_out)(op, i, &part);
        if (!need_shape(op, &part, dims, whole->rank - slices)) {
            return false;
        }
    }
    return need_same_scales(op);
}

bool check_pack(const op_view_t *op) {
    const auto *params = (const TfLitePackParams *)op->params;
    return NEED(params->values_count == (int)n_in(op), "%d values", params->values_count)
           && need_parts(op, &op->out, params->axis, true, true);
}

bool check_unpack(const op_view_t *op) {
    const auto *params = (const TfLiteUnpackParams *)op->params;
    return NEED(params->num == (int)n_out(op), "%d values", params->num)
           && need_parts(op, &op->in[0], params->axis, false, true);
}

bool check_split(const op_view_t *op) {
    const int32_t *axis = need_ints(op, &op->in[0], 1);
    return axis && need_parts(op, &op->in[1], *axis, false, false);
}

// A size of -1 is what is left.
bool check_split_v(const op_view_t *op) {
    const view_t *whole = &op->in[0];
    const int32_t *sizes = need_ints(op, &op->in[1], (int32_t)n_out(op));
    const int32_t *axis = need_ints(op, &op->in[2], 1);
    int place;
    if (!sizes || !axis || !need_axis(op, *axis, whole->rank, &place)) {
        return false;
    }
    int32_t dims[ENGINE_MAX_RANK];
    memcpy(dims, whole->dims, whole->rank * sizeof(dims[0]));
    uint32_t sum = 0;
    for (size_t i = 0; i < n_out(op); ++i) {
        view_t part;
        view_out(op, i, &part);
        dims[place] = sizes[i] == -1 && place < part.rank ? part.dims[place] : sizes[i];
        sum += dims[place];
        if (!need_shape(op, &part, dims, whole->rank)) {
            return false;
        }
    }
    return need_equal(op, whole, "size along the axis", whole->dims[place], (int32_t)sum)
           && need_same_scales(op);
}
