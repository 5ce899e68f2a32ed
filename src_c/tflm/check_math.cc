// The rules of arithmetic, element by element or along axes.

#include "check_limits.h"
#include "check_rows.h"

bool check_prelu(const op_view_t *op) {
    const float factor = op->in[0].scale / op->out.scale;
    return need_rank_4(op, &op->in[0]) && need_broadcast(op, 4) && need_all_quantised(op)
           && (!op->out.is_quantised_type || (need_multiplier(op, factor, 1 << 9)
        && need_multiplier(op, factor * op->in[1].scale, 1 << 18)));
}
