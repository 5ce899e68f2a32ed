// Operators with two inputs, see kernel_binary.h.

#include "kernel_binary.h"

#include <float.h>

TfLiteStatus binary(const TfLiteContext *context, const TfLiteNode *node, broadcast_run_t run,
    const void *params, int first) {
    const TfLiteTensor *a = kernel_in(context, node, first);
    const TfLiteTensor *b = kernel_in(context, node, 1 - first);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const int rank = out->dims->size;
    broadcast_t shape = {};
    for (int i = rank - 1; i >= 0; --i) {
        broadcast_add(&shape, kernel_dim(a, i, rank), kernel_dim(b, i, rank));
    }
    broadcast(&shape, run, params, a->data.data, b->data.data, kernel_item_size(a), out->data.data,
        kernel_item_size(out));
    return kTfLiteOk;
}

range_s32_t binary_int_range(TfLiteFusedActivation activation) {
    const kernel_float_range_t real = kernel_float_range(activation);
    return { real.least == -FLT_MAX ? INT32_MIN : (int32_t)real.least,
             real.most == FLT_MAX ? INT32_MAX : (int32_t)real.most };
}

double binary_scale(const TfLiteContext *context, const TfLiteNode *node) {
    const float a = kernel_in(context, node, 0)->params.scale;
    const float b = kernel_in(context, node, 1)->params.scale;
    return 2.0 * (a > b ? a : b);
}

add_t binary_sum(const TfLiteContext *context, const TfLiteNode *node, int left, int sign, double to_output) {
    const TfLiteTensor *a = kernel_in(context, node, 0);
    const TfLiteTensor *b = kernel_in(context, node, 1);
    const double scale = binary_scale(context, node);
    const factor_t a_factor = kernel_factor(a->params.scale / scale);
    const factor_t b_factor = kernel_factor(b->params.scale / scale);
    const factor_t out_factor = kernel_factor(to_output);
    add_t params = {};
    params.a_multiplier = a_factor.multiplier;
    params.b_multiplier = b_factor.multiplier;
    params.out_multiplier = out_factor.multiplier;
    params.a_offset = (int16_t)a->params.zero_point;
    params.b_offset = (int16_t)b->params.zero_point;
    params.out_offset = (int16_t)kernel_out(context, node, 0)->params.zero_point;
    params.a_shift = (int8_t)a_factor.shift;
    params.b_shift = (int8_t)b_factor.shift;
    params.out_shift = (int8_t)out_factor.shift;
    params.left = (int8_t)left;
    params.sign = (int8_t)sign;
    return params;
}
