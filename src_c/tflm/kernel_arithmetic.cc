// Operators with two inputs and without options: SQUARED_DIFFERENCE, MAXIMUM, MINIMUM, FLOOR_DIV,
// FLOOR_MOD, LOGICAL_AND and LOGICAL_OR.

#include "kernel_binary.h"

extern "C" {
#include "../kernels/compare.h"
}

static TfLiteStatus prepare_squared_difference(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *out = kernel_out(context, node, 0);
    if (kernel_is(out->type, kTfLiteFloat32) || out->type == kTfLiteInt32) {
        return kTfLiteOk;
    }
    auto *params = kernel_params<add_t>(context, node);
    if (!params) {
        return kTfLiteError;
    }
    const int left = out->type == kTfLiteInt16 ? 0 : 7;
    const double scale = binary_scale(context, node);
    const kernel_range_t range = kernel_range(kTfLiteActNone, out);
    *params = binary_sum(context, node, left, -1,
        scale * scale / ((1 << 2 * left) * (double)out->params.scale));
    params->least = (int16_t)range.least;
    params->most = (int16_t)range.most;
    return kTfLiteOk;
}

static TfLiteStatus invoke_squared_difference(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteType type = kernel_out(context, node, 0)->type;
    return binary(context, node, kernel_is(type, kTfLiteFloat32) ? squared_difference_f32
        : type == kTfLiteInt32 ? squared_difference_s32
        : type == kTfLiteInt8 ? squared_difference_s8
        : kernel_is(type, kTfLiteUInt8) ? squared_difference_u8
        : squared_difference_s16, node->user_data);
}

static TfLiteStatus invoke_maximum(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteType type = kernel_out(context, node, 0)->type;
    return binary(context, node, kernel_is(type, kTfLiteFloat32) ? maximum_f32
        : type == kTfLiteInt8 ? maximum_s8
        : kernel_is(type, kTfLiteUInt8) ? maximum_u8
        : type == kTfLiteInt16 ? maximum_s16
        : type == kTfLiteInt32 ? maximum_s32
        : maximum_s64, nullptr);
}

static TfLiteStatus invoke_minimum(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteType type = kernel_out(context, node, 0)->type;
    return binary(context, node, kernel_is(type, kTfLiteFloat32) ? minimum_f32
        : type == kTfLiteInt8 ? minimum_s8
        : kernel_is(type, kTfLiteUInt8) ? minimum_u8
        : type == kTfLiteInt16 ? minimum_s16
        : type == kTfLiteInt32 ? minimum_s32
        : minimum_s64, nullptr);
}

template <broadcast_run_t run>
static TfLiteStatus invoke_plain(TfLiteContext *context, TfLiteNode *node) {
    return binary(context, node, run, nullptr);
}

KERNEL(SQUARED_DIFFERENCE, prepare_squared_difference, invoke_squared_difference)
KERNEL(MAXIMUM, nullptr, invoke_maximum)
KERNEL(MINIMUM, nullptr, invoke_minimum)
KERNEL(FLOOR_DIV, nullptr, invoke_plain<floor_div_f32>)
KERNEL(FLOOR_MOD, nullptr, invoke_plain<floor_mod_f32>)
KERNEL(LOGICAL_AND, nullptr, invoke_plain<logical_and>)
KERNEL(LOGICAL_OR, nullptr, invoke_plain<logical_or>)
