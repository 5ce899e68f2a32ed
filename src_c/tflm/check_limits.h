// What is right in a model and wrong in a kernel of TFLM: without these rules a wrong number
// would come out, or memory would be touched that is not the model's. A kernel that computes it
// makes its rule superfluous.

#ifndef MICROLITE_TFLM_CHECK_LIMITS_H
#define MICROLITE_TFLM_CHECK_LIMITS_H

#include "check_op.h"

// SOFTMAX of integers sums exponentials in 12 integer bits, L2_NORMALIZATION squares in 31.
bool limit_depth(const op_view_t *op, int32_t most);

#endif
