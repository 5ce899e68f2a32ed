// The rules of operators along axes.

#include "check_rows.h"

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

// The output has the shape of the input without its axes, or with 1 in their place.
static bool need_reduced(const op_view_t *op, int32_t *count) {
    const view_t *input = &op->in[0];
    const int32_t n = op->in[1].size;
    const int32_t *axes = need_ints(op, &op->in[1], n);
    uint32_t mask = 0;
    for (int32_t i = 0; i < n; ++i) {
        int place;
        if (!axes || !need_axis(op, axes[i], input->rank, &place)) {
            return false;
        }
        mask |= 1u << place;
    }
    int32_t dims[ENGINE_MAX_RANK];
    int rank = 0;
    *count = 1;
    for (int i = 0; i < input->rank; ++i) {
        const bool reduced = mask >> i & 1;
        *count *= reduced ? input->dims[i] : 1;
        if (!reduced || ((const TfLiteReducerParams *)op->params)->keep_dims) {
            dims[rank++] = reduced ? 1 : input->dims[i];
        }
    }
    return need_shape(op, &op->out, dims, rank);
}

bool check_reduce(const op_view_t *op) {
    int32_t count;
    return need_reduced(op, &count) && need_same_scales(op);
}

// Sums of 8-bit values stay within 32 bits.
bool check_sum(const op_view_t *op) {
    int32_t count;
    const char type = op->out.type;
    return need_reduced(op, &count) && need_all_quantised(op)
           && NEED((type != 'b' && type != 'B') || count < 1 << 23, "sums of %d values", (int)count);
}
