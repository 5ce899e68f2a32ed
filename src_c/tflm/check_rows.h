// What ops.def names: the rules of operators, by family. A rule sees an operator whose tensors
// exist, have good shapes and data, and types of the operator's row.

#ifndef MICROLITE_TFLM_CHECK_ROWS_H
#define MICROLITE_TFLM_CHECK_ROWS_H

#include "check_op.h"

// check_unary.cc
bool check_unary(const op_view_t *op);
bool check_relu(const op_view_t *op);
bool check_abs(const op_view_t *op);
bool check_rsqrt(const op_view_t *op);
bool check_leaky_relu(const op_view_t *op);
bool check_hard_swish(const op_view_t *op);
bool check_logistic(const op_view_t *op);
bool check_tanh(const op_view_t *op);
bool check_softmax(const op_view_t *op);
bool check_log_softmax(const op_view_t *op);
bool check_l2_normalization(const op_view_t *op);
bool check_quantize(const op_view_t *op);
bool check_cast(const op_view_t *op);

// check_binary.cc
bool check_broadcast(const op_view_t *op);
bool check_compare(const op_view_t *op);
bool check_maximum(const op_view_t *op);
bool check_add(const op_view_t *op);
bool check_sub(const op_view_t *op);
bool check_mul(const op_view_t *op);
bool check_div(const op_view_t *op);
bool check_squared_difference(const op_view_t *op);
bool check_prelu(const op_view_t *op);

// check_reduce.cc
bool check_arg_max(const op_view_t *op);
bool check_reduce(const op_view_t *op);
bool check_sum(const op_view_t *op);

// check_layers.cc
bool check_conv_2d(const op_view_t *op);
bool check_depthwise_conv_2d(const op_view_t *op);
bool check_fully_connected(const op_view_t *op);
bool check_pool_2d(const op_view_t *op);
bool check_transpose_conv(const op_view_t *op);

// check_matmul.cc
bool check_batch_matmul(const op_view_t *op);

// check_recurrent.cc
bool check_svdf(const op_view_t *op);
bool check_lstm(const op_view_t *op);

// check_shapes.cc
bool check_reshape(const op_view_t *op);
bool check_squeeze(const op_view_t *op);
bool check_pad(const op_view_t *op);
bool check_concatenation(const op_view_t *op);
bool check_pack(const op_view_t *op);
bool check_unpack(const op_view_t *op);
bool check_split(const op_view_t *op);
bool check_split_v(const op_view_t *op);

// check_moves.cc
bool check_shape(const op_view_t *op);
bool check_transpose(const op_view_t *op);
bool check_reverse(const op_view_t *op);
bool check_tile(const op_view_t *op);
bool check_fill(const op_view_t *op);
bool check_mirror_pad(const op_view_t *op);
bool check_slice(const op_view_t *op);
bool check_strided_slice(const op_view_t *op);
bool check_depth_to_space(const op_view_t *op);
bool check_space_to_depth(const op_view_t *op);
bool check_batch_to_space(const op_view_t *op);
bool check_space_to_batch(const op_view_t *op);
bool check_gather(const op_view_t *op);
bool check_gather_nd(const op_view_t *op);
bool check_resize_nearest_neighbor(const op_view_t *op);
bool check_resize_bilinear(const op_view_t *op);

// check_variables.cc
bool check_var_handle(const op_view_t *op);
bool check_read_variable(const op_view_t *op);
bool check_assign_variable(const op_view_t *op);
bool check_call_once(const op_view_t *op);

#endif
