// RELU, RELU6 and RELU_N1_TO_1.

#include "kernel.h"

extern "C" {
#include "../kernels/relu.h"
}

template <TfLiteFusedActivation activation>
static TfLiteStatus prepare(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *input = kernel_in(context, node, 0);
    const TfLiteTensor *output = kernel_out(context, node, 0);
    if (kernel_is(output->type, kTfLiteFloat32)) {
        return kTfLiteOk;
    }
    auto *params = kernel_params<relu_t>(context, node);
    if (!params) {
        return kTfLiteError;
    }
    const kernel_range_t range = kernel_range(activation, output);
    *params = { kernel_factor((double)input->params.scale / output->params.scale),
                input->params.zero_point, output->params.zero_point, range.least, range.most };
    return kTfLiteOk;
}

template <TfLiteFusedActivation activation>
static TfLiteStatus invoke(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const auto *params = (const relu_t *)node->user_data;
    const int32_t size = kernel_size(out);
    if (kernel_is(out->type, kTfLiteFloat32)) {
        const kernel_float_range_t range = kernel_float_range(activation);
        relu_f32(range.least, range.most, kernel_read<float>(in), kernel_write<float>(out), size);
    } else if (out->type == kTfLiteInt8) {
        relu_s8(params, kernel_read<int8_t>(in), kernel_write<int8_t>(out), size);
    } else if (kernel_is(out->type, kTfLiteUInt8)) {
        relu_u8(params, kernel_read<uint8_t>(in), kernel_write<uint8_t>(out), size);
    } else {
        relu_s16(params, kernel_read<int16_t>(in), kernel_write<int16_t>(out), size);
    }
    return kTfLiteOk;
}

KERNEL(RELU, prepare<kTfLiteActRelu>, invoke<kTfLiteActRelu>)
KERNEL(RELU6, prepare<kTfLiteActRelu6>, invoke<kTfLiteActRelu6>)
KERNEL(RELU_N1_TO_1, prepare<kTfLiteActRelu1>, invoke<kTfLiteActRelu1>)
