// SOFTMAX and LOG_SOFTMAX.

#include "kernel.h"

extern "C" {
#include "../kernels/softmax.h"
}

// Exponents of 5 integer bits; steeper ones than the largest multiplier are as good as that.
static softmax_t params_of(double beta, const TfLiteTensor *input) {
    const double factor = beta * input->params.scale * (1 << 26);
    return softmax_params(kernel_factor(factor < INT32_MAX ? factor : INT32_MAX));
}

static TfLiteStatus prepare(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *input = kernel_in(context, node, 0);
    const double beta = ((const TfLiteSoftmaxParams *)node->builtin_data)->beta;
    if (kernel_is(input->type, kTfLiteFloat32)) {
        return kTfLiteOk;
    }
    auto *params = kernel_params<softmax_t>(context, node);
    if (!params) {
        return kTfLiteError;
    }
    if (input->type == kTfLiteInt16) {
        params->factor = kernel_factor(beta * input->params.scale / (10.0 / 65535));
    } else {
        *params = params_of(beta, input);
    }
    return kTfLiteOk;
}

static TfLiteStatus invoke(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const auto *params = (const softmax_t *)node->user_data;
    const int last = out->dims->size - 1;
    const int32_t rows = kernel_size_between(out, 0, last);
    const int32_t depth = out->dims->data[last];
    if (kernel_is(in->type, kTfLiteFloat32)) {
        const float beta = ((const TfLiteSoftmaxParams *)node->builtin_data)->beta;
        softmax_f32(beta, kernel_read<float>(in), kernel_write<float>(out), rows, depth);
    } else if (in->type == kTfLiteInt16) {
        softmax_s16(params->factor, kernel_read<int16_t>(in), kernel_write<int16_t>(out), rows, depth);
    } else if (kernel_is(in->type, kTfLiteUInt8)) {
        softmax_u8(params, kernel_read<uint8_t>(in), kernel_write<uint8_t>(out), rows, depth);
    } else if (out->type == kTfLiteInt16) {
        softmax_s8_s16(params, kernel_read<int8_t>(in), kernel_write<int16_t>(out), rows, depth);
    } else {
        softmax_s8(params, kernel_read<int8_t>(in), kernel_write<int8_t>(out), rows, depth);
    }
    return kTfLiteOk;
}

typedef struct {
    softmax_t softmax;
    factor_t back;
} log_softmax_t;

static TfLiteStatus prepare_log(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *input = kernel_in(context, node, 0);
    if (kernel_is(input->type, kTfLiteFloat32)) {
        return kTfLiteOk;
    }
    auto *params = kernel_params<log_softmax_t>(context, node);
    if (!params) {
        return kTfLiteError;
    }
    params->softmax = params_of(1, input);
    const factor_t *factor = &params->softmax.factor;
    params->back = kernel_factor((1 << (31 - factor->shift)) / (double)factor->multiplier);
    return kTfLiteOk;
}

static TfLiteStatus invoke_log(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const auto *params = (const log_softmax_t *)node->user_data;
    const int last = out->dims->size - 1;
    const int32_t rows = kernel_size_between(out, 0, last);
    const int32_t depth = out->dims->data[last];
    if (kernel_is(in->type, kTfLiteFloat32)) {
        log_softmax_f32(kernel_read<float>(in), kernel_write<float>(out), rows, depth);
    } else {
        log_softmax_s8(&params->softmax, params->back, kernel_read<int8_t>(in), kernel_write<int8_t>(out),
            rows, depth);
    }
    return kTfLiteOk;
}

KERNEL(SOFTMAX, prepare, invoke)
KERNEL(LOG_SOFTMAX, prepare_log, invoke_log)
