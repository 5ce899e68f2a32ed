// What is right in a model and wrong in a kernel of TFLM: without these rules a wrong number
// would come out, or memory would be touched that is not the model's. A kernel that computes it
// makes its rule superfluous.

#ifndef MICROLITE_TFLM_CHECK_LIMITS_H
#define MICROLITE_TFLM_CHECK_LIMITS_H

#include "check_op.h"

// DEPTHWISE_CONV_2D pads as if there were no dilation.
bool limit_dilated_same(const op_view_t *op, int padding, int dilation_h, int dilation_w);

// DEPTHWISE_CONV_2D int8 does not clamp to the fused activation.
bool limit_depthwise_activation(const op_view_t *op, int activation);

// SVDF int8 rescales and clamps to int8, whatever the activation.
bool limit_svdf_activation(const op_view_t *op, int activation);

// SOFTMAX of integers sums exponentials in 12 integer bits, L2_NORMALIZATION squares in 31.
bool limit_depth(const op_view_t *op, int32_t most);

// RESIZE_NEAREST_NEIGHBOR ignores half_pixel_centers.
bool limit_half_pixel_centers(const op_view_t *op, bool half_pixel_centers);

// STRIDED_SLICE ignores new axes and ellipses. Of an axis that is dropped it writes all elements
// when the mask lifts its end, and none when it runs backwards.
bool limit_slice_masks(const op_view_t *op, int ellipsis, int new_axis);
bool limit_slice_dropped(const op_view_t *op, int axis, int32_t count);

#endif
