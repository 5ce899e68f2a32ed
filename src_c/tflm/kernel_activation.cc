// LEAKY_RELU, HARD_SWISH and ELU.

#include "kernel.h"

extern "C" {
#include "../kernels/activation.h"
}

static TfLiteStatus prepare_leaky_relu(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    const TfLiteTensor *out = kernel_out(context, node, 0);
    const float alpha = ((const TfLiteLeakyReluParams *)node->builtin_data)->alpha;
    if (kernel_is(in->type, kTfLiteFloat32)) {
        return kTfLiteOk;
    }
    auto *params = kernel_params<leaky_relu_t>(context, node);
    if (!params) {
        return kTfLiteError;
    }
    const double factor = (double)in->params.scale / out->params.scale;
    const double below = (double)in->params.scale * alpha / out->params.scale;
    *params = { kernel_factor(factor), kernel_factor(below), in->params.zero_point, out->params.zero_point };
    return kTfLiteOk;
}

static TfLiteStatus invoke_leaky_relu(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const auto *params = (const leaky_relu_t *)node->user_data;
    const int32_t size = kernel_size(out);
    if (kernel_is(in->type, kTfLiteFloat32)) {
        const float alpha = ((const TfLiteLeakyReluParams *)node->builtin_data)->alpha;
        leaky_relu_f32(alpha, kernel_read<float>(in), kernel_write<float>(out), size);
    } else if (in->type == kTfLiteInt16) {
        leaky_relu_s16(params, kernel_read<int16_t>(in), kernel_write<int16_t>(out), size);
    } else {
        leaky_relu_s8(params, kernel_read<int8_t>(in), kernel_write<int8_t>(out), size);
    }
    return kTfLiteOk;
}

static TfLiteStatus prepare_hard_swish(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    const TfLiteTensor *out = kernel_out(context, node, 0);
    if (kernel_is(in->type, kTfLiteFloat32)) {
        return kTfLiteOk;
    }
    auto *params = kernel_params<hard_swish_t>(context, node);
    if (!params) {
        return kTfLiteError;
    }
    const float step = in->params.scale / 128;
    *params = { kernel_factor((double)step / (3.0f / 32768)), kernel_factor((double)step / out->params.scale),
                in->params.zero_point, out->params.zero_point };
    return kTfLiteOk;
}

static TfLiteStatus invoke_hard_swish(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const int32_t size = kernel_size(out);
    if (kernel_is(in->type, kTfLiteFloat32)) {
        hard_swish_f32(kernel_read<float>(in), kernel_write<float>(out), size);
    } else {
        hard_swish_s8((const hard_swish_t *)node->user_data, kernel_read<int8_t>(in),
            kernel_write<int8_t>(out), size);
    }
    return kTfLiteOk;
}

static TfLiteStatus invoke_elu(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const int32_t size = kernel_size(out);
    if (kernel_is(in->type, kTfLiteFloat32)) {
        elu_f32(kernel_read<float>(in), kernel_write<float>(out), size);
    } else {
        const elu_t params = { in->params.scale, out->params.scale, in->params.zero_point,
                               out->params.zero_point };
        elu_s8(&params, kernel_read<int8_t>(in), kernel_write<int8_t>(out), size);
    }
    return kTfLiteOk;
}

KERNEL(LEAKY_RELU, prepare_leaky_relu, invoke_leaky_relu)
KERNEL(HARD_SWISH, prepare_hard_swish, invoke_hard_swish)
KERNEL(ELU, nullptr, invoke_elu)
