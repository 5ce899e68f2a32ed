// What is right in a model and wrong in a kernel of TFLM, see check_limits.h.

#include "check_limits.h"

bool limit_depth(const op_view_t *op, int32_t most) {
    const view_t *input = &op->in[0];
    return NEED_OF(input, !input->is_quantised_type || input->dims[input->rank - 1] <= most,
        "last dimension above %d", (int)most);
}
