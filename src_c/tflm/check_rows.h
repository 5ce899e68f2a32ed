// What ops.def names: the rules of operators, by family. A rule sees an operator whose tensors
// exist, have good shapes and data, and types of the operator's row.

#ifndef MICROLITE_TFLM_CHECK_ROWS_H
#define MICROLITE_TFLM_CHECK_ROWS_H

#include "check_op.h"

// check_math.cc
bool check_unary(const op_view_t *op);
bool check_relu(const op_view_t *op);
bool check_logistic(const op_view_t *op);
bool check_tanh(const op_view_t *op);
bool check_softmax(const op_view_t *op);
bool check_l2_normalization(const op_view_t *op);
bool check_quantize(const op_view_t *op);
bool check_broadcast(const op_view_t *op);
bool check_compare(const op_view_t *op);
bool check_maximum(const op_view_t *op);
bool check_prelu(const op_view_t *op);
bool check_add(const op_view_t *op);
bool check_sub(const op_view_t *op);
bool check_mul(const op_view_t *op);
bool check_arg_max(const op_view_t *op);
bool check_mean(const op_view_t *op);

// check_layers.cc
bool check_conv_2d(const op_view_t *op);
bool check_depthwise_conv_2d(const op_view_t *op);
bool check_fully_connected(const op_view_t *op);
bool check_svdf(const op_view_t *op);
bool check_pool_2d(const op_view_t *op);

// check_shapes.cc
bool check_reshape(const op_view_t *op);
bool check_pad(const op_view_t *op);
bool check_concatenation(const op_view_t *op);
bool check_pack(const op_view_t *op);
bool check_unpack(const op_view_t *op);
bool check_split(const op_view_t *op);
bool check_strided_slice(const op_view_t *op);
bool check_resize_nearest_neighbor(const op_view_t *op);

#endif
