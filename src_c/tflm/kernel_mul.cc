// MUL and DIV.

#include "kernel_binary.h"

extern "C" {
#include "../kernels/mul.h"
}

// Options of both begin alike.
static TfLiteFusedActivation activation_of(const TfLiteNode *node) {
    return ((const TfLiteMulParams *)node->builtin_data)->activation;
}

// What there is of one operator: runs by type.
typedef struct {
    broadcast_run_t f32;
    broadcast_run_t s32;
    broadcast_run_t s8;
    broadcast_run_t u8;
    broadcast_run_t s16;
} runs_t;

static TfLiteStatus prepare_mul(TfLiteContext *context, TfLiteNode *node, bool divide) {
    const TfLiteTensor *a = kernel_in(context, node, 0);
    const TfLiteTensor *b = kernel_in(context, node, 1);
    const TfLiteTensor *out = kernel_out(context, node, 0);
    if (kernel_is(out->type, kTfLiteFloat32) || out->type == kTfLiteInt32) {
        return kTfLiteOk;
    }
    auto *params = kernel_params<mul_t>(context, node);
    if (!params) {
        return kTfLiteError;
    }
    const factor_t factor = kernel_factor(divide ? a->params.scale / (b->params.scale * out->params.scale)
        : (double)a->params.scale * b->params.scale / out->params.scale);
    const kernel_range_t range = kernel_range(activation_of(node), out);
    *params = { factor.multiplier, (int16_t)a->params.zero_point, (int16_t)b->params.zero_point,
                (int16_t)out->params.zero_point, (int16_t)range.least, (int16_t)range.most, (int8_t)factor.shift };
    return kTfLiteOk;
}

static TfLiteStatus invoke_mul(TfLiteContext *context, TfLiteNode *node, const runs_t &runs) {
    const TfLiteType type = kernel_out(context, node, 0)->type;
    if (kernel_is(type, kTfLiteFloat32)) {
        const kernel_float_range_t range = kernel_float_range(activation_of(node));
        return binary(context, node, runs.f32, &range);
    }
    if (type == kTfLiteInt32) {
        const range_s32_t range = binary_int_range(activation_of(node));
        return binary(context, node, runs.s32, &range);
    }
    return binary(context, node, type == kTfLiteInt8 ? runs.s8 : kernel_is(type, kTfLiteUInt8) ? runs.u8 : runs.s16,
        node->user_data);
}

static TfLiteStatus prepare_product(TfLiteContext *context, TfLiteNode *node) {
    return prepare_mul(context, node, false);
}

static TfLiteStatus invoke_product(TfLiteContext *context, TfLiteNode *node) {
    static const runs_t runs = { mul_f32, mul_s32, mul_s8, mul_u8, mul_s16 };
    return invoke_mul(context, node, runs);
}

static TfLiteStatus prepare_quotient(TfLiteContext *context, TfLiteNode *node) {
    return prepare_mul(context, node, true);
}

static bool has_zero(const TfLiteTensor *tensor) {
    const int32_t *values = kernel_read<int32_t>(tensor);
    const int32_t size = kernel_size(tensor);
    for (int32_t i = 0; i < size; ++i) {
        if (values[i] == 0) {
            return true;
        }
    }
    return false;
}

static TfLiteStatus invoke_quotient(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *b = kernel_in(context, node, 1);
    if (b->type == kTfLiteInt32 && has_zero(b)) {
        context->ReportError(context, "division by zero");
        return kTfLiteError;
    }
    static const runs_t runs = { div_f32, div_s32, div_s8, div_u8, nullptr };
    return invoke_mul(context, node, runs);
}

KERNEL(MUL, prepare_product, invoke_product)
KERNEL(DIV, prepare_quotient, invoke_quotient)
