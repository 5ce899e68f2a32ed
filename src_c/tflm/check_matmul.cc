// The rule of products of matrices.

#include "check_rows.h"

// Sums of this many products of 8-bit values stay within 32 bits.
#define DEPTH_MAX (1 << 15)

// The largest product of two values less their zero points.
#define PRODUCT_MAX         (65536.0f)
#define PRODUCT_MAX_16_BITS (1073741824.0f)

// A dimension counted from the last one, which is 0; those that are missing in front are 1.
static int32_t dim_of(const view_t *view, int32_t place) {
    return place < view->rank ? view->dims[view->rank - 1 - place] : 1;
}

static bool need_scales(const op_view_t *op, int32_t depth) {
    const float largest = op->out.type == 'h' ? PRODUCT_MAX_16_BITS : PRODUCT_MAX;
    return need_all_quantised(op) && NEED(depth <= DEPTH_MAX, "depth %d", (int)depth)
           && need_multiplier(op, op->in[0].scale * op->in[1].scale / op->out.scale, (float)depth * largest)
           && (op->out.type == 'b' || (need_equal(op, &op->in[0], "zero point", op->in[0].zero_point, 0)
        && need_equal(op, &op->in[1], "zero point", op->in[1].zero_point, 0)
        && need_equal(op, &op->out, "zero point", op->out.zero_point, 0)));
}

bool check_batch_matmul(const op_view_t *op) {
    const auto *params = (const TfLiteBatchMatMulParams *)op->params;
    const view_t *a = &op->in[0];
    const view_t *b = &op->in[1];
    if (!NEED(a->rank >= 2 && b->rank >= 2, "no matrices")) {
        return false;
    }
    const int32_t depth = dim_of(a, params->adj_x);
    const int32_t b_depth = dim_of(b, !params->adj_y);
    const int32_t rank = a->rank > b->rank ? a->rank : b->rank;
    int32_t dims[ENGINE_MAX_RANK];
    dims[rank - 2] = dim_of(a, !params->adj_x);
    dims[rank - 1] = dim_of(b, params->adj_y);
    if (!NEED(depth == b_depth, "depths of %d and %d", (int)depth, (int)b_depth)) {
        return false;
    }
    for (int32_t i = 2; i < rank; ++i) {
        const int32_t in = dim_of(a, i);
        const int32_t other = dim_of(b, i);
        if (!NEED(in == other || in == 1 || other == 1, "batches of %d and %d", (int)in, (int)other)) {
            return false;
        }
        dims[rank - 1 - i] = in == 1 ? other : in;
    }
    return need_shape(op, &op->out, dims, rank) && (!op->out.is_quantised_type || need_scales(op, depth));
}
