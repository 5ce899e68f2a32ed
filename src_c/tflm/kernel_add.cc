// ADD and SUB.

#include "kernel_binary.h"

// Options of both begin alike.
static TfLiteFusedActivation activation_of(const TfLiteNode *node) {
    return ((const TfLiteAddParams *)node->builtin_data)->activation;
}

template <int sign>
static TfLiteStatus prepare_add(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *out = kernel_out(context, node, 0);
    if (kernel_is(out->type, kTfLiteFloat32) || out->type == kTfLiteInt32) {
        return kTfLiteOk;
    }
    auto *params = kernel_params<add_t>(context, node);
    if (!params) {
        return kTfLiteError;
    }
    const int left = out->type == kTfLiteInt16 ? 15 : 20;
    const kernel_range_t range = kernel_range(activation_of(node), out);
    *params = binary_sum(context, node, left, sign,
        binary_scale(context, node) / ((1 << left) * (double)out->params.scale));
    params->least = (int16_t)range.least;
    params->most = (int16_t)range.most;
    return kTfLiteOk;
}

template <int sign>
static TfLiteStatus invoke_add(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteType type = kernel_out(context, node, 0)->type;
    if (kernel_is(type, kTfLiteFloat32)) {
        const kernel_float_range_t range = kernel_float_range(activation_of(node));
        return binary(context, node, sign > 0 ? add_f32 : sub_f32, &range);
    }
    if (type == kTfLiteInt32) {
        const range_s32_t range = binary_int_range(activation_of(node));
        return binary(context, node, sign > 0 ? add_s32 : sub_s32, &range);
    }
    return binary(context, node, type == kTfLiteInt8 ? add_s8 : kernel_is(type, kTfLiteUInt8) ? add_u8 : add_s16,
        node->user_data);
}

KERNEL(ADD, prepare_add<1>, invoke_add<1>)
KERNEL(SUB, prepare_add<-1>, invoke_add<-1>)
