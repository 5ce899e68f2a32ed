// The rules of operators that move values without changing them.

#include "check_limits.h"
#include "check_rows.h"

#include <string.h>

// Slices step over at most this many values.
#define STEP_MAX (1 << 30)

static bool need_rank_4(const op_view_t *op, const view_t *view) {
    return NEED_OF(view, view->rank <= 4, "rank %d, at most 4 is supported", (int)view->rank);
}

bool check_reshape(const op_view_t *op) {
    return need_equal(op, &op->out, "size", op->out.size, op->in[0].size) && need_same_scales(op);
}

bool check_pad(const op_view_t *op) {
    const view_t *input = &op->in[0];
    const view_t *value = &op->in[2];
    const int32_t *paddings = need_ints(op, &op->in[1], 2 * input->rank);
    if (!paddings || !need_rank_4(op, input)) {
        return false;
    }
    int32_t dims[ENGINE_MAX_RANK];
    for (int i = 0; i < 2 * input->rank; ++i) {
        if (!NEED((uint32_t)paddings[i] < 1 << 28, "padding of %d", (int)paddings[i])) {
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
    if (!need_axis(op, params->axis, output->rank, &axis) || !need_rank_4(op, output)
        || !need_no_activation(op, params->activation)
        || !NEED(n_in(op) <= 10, "%zu inputs, at most 10 are supported", n_in(op))) {
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

// --- slices ---

static int clamp(int value, int least, int most) {
    return value < least ? least : value > most ? most : value;
}

static int from_end(int value, int dim) {
    return value < 0 ? value + dim : value;
}

// How many elements the kernel takes along an axis.
static int slice_count(const TfLiteStridedSliceParams *params, int axis, int dim, int begin, int end,
    int stride) {
    const bool forward = stride > 0;
    if (params->begin_mask >> axis & 1) {
        begin = forward ? 0 : dim - 1;
    }
    begin = clamp(from_end(begin, dim), 0, dim - 1);
    if (params->shrink_axis_mask >> axis & 1) {
        end = begin + 1;
    }
    end = from_end(end, dim);
    if (params->end_mask >> axis & 1) {
        end = forward ? dim : -1;
    }
    const int length = forward ? clamp(end, 0, dim) - begin : begin - clamp(end, -1, dim - 1);
    return length > 0 ? (length - 1) / (forward ? stride : -stride) + 1 : 0;
}

bool check_strided_slice(const op_view_t *op) {
    const auto *params = (const TfLiteStridedSliceParams *)op->params;
    const view_t *input = &op->in[0];
    const int32_t *lists[3];
    for (int i = 0; i < 3; ++i) {
        lists[i] = need_ints(op, &op->in[1 + i], input->rank);
        if (!lists[i]) {
            return false;
        }
    }
    if (!need_rank_4(op, input) || !limit_slice_masks(op, params->ellipsis_mask, params->new_axis_mask)
        || !NEED((uint32_t)(params->begin_mask | params->end_mask | params->shrink_axis_mask)
        < 1 << ENGINE_MAX_RANK, "masks of more than 5 bits")) {
        return false;
    }
    int32_t dims[ENGINE_MAX_RANK];
    int rank = 0;
    for (int i = 0; i < input->rank; ++i) {
        const int stride = lists[2][i];
        const int most = STEP_MAX / input->size;
        if (!NEED(stride && stride >= -most && stride <= most, "stride %d", stride)) {
            return false;
        }
        dims[rank] = slice_count(params, i, input->dims[i], lists[0][i], lists[1][i], stride);
        if (!(params->shrink_axis_mask >> i & 1)) {
            ++rank;
        } else if (!limit_slice_dropped(op, i, dims[rank])) {
            return false;
        }
    }
    return need_shape(op, &op->out, dims, rank) && need_same_scales(op);
}

bool check_resize_nearest_neighbor(const op_view_t *op) {
    const auto *params = (const TfLiteResizeNearestNeighborParams *)op->params;
    const view_t *input = &op->in[0];
    const int32_t *size = need_ints(op, &op->in[1], 2);
    if (!size || !need_equal(op, input, "rank", input->rank, 4)) {
        return false;
    }
    const int32_t dims[] = { input->dims[0], size[0], size[1], input->dims[3] };
    return need_shape(op, &op->out, dims, 4) && need_same_scales(op)
           && limit_half_pixel_centers(op, params->half_pixel_centers);
}
