// QUANTIZE, DEQUANTIZE and CAST.

#include "kernel.h"

extern "C" {
#include "../kernels/convert.h"
}

static convert_type_t type_of(const TfLiteTensor *tensor) {
    switch (tensor->type) {
        case kTfLiteFloat32:
            return CONVERT_F32;
        case kTfLiteInt8:
            return CONVERT_S8;
        case kTfLiteUInt8:
            return CONVERT_U8;
        case kTfLiteInt16:
            return CONVERT_S16;
        case kTfLiteInt64:
            return CONVERT_S64;
        case kTfLiteBool:
            return CONVERT_BOOL;
        default:
            return CONVERT_S32;
    }
}

static bool differ_in_sign_bit(const TfLiteTensor *in, const TfLiteTensor *out) {
    const int32_t offset = out->params.zero_point - in->params.zero_point;
    return in->params.scale == out->params.scale && ((in->type == kTfLiteInt8 && kernel_is(out->type, kTfLiteUInt8)
        && offset == 128) || (kernel_is(in->type, kTfLiteUInt8) && out->type == kTfLiteInt8 && offset == -128));
}

static TfLiteStatus prepare(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    const TfLiteTensor *out = kernel_out(context, node, 0);
    if (kernel_is(in->type, kTfLiteFloat32) || kernel_is(out->type, kTfLiteFloat32) || differ_in_sign_bit(in, out)) {
        return kTfLiteOk;
    }
    auto *params = kernel_params<requantize_t>(context, node);
    if (!params) {
        return kTfLiteError;
    }
    *params = { kernel_factor((double)in->params.scale / out->params.scale), in->params.zero_point,
                out->params.zero_point };
    return kTfLiteOk;
}

static TfLiteStatus invoke(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const int32_t size = kernel_size(out);
    if (kernel_is(in->type, kTfLiteFloat32)) {
        quantize_f32(out->params.scale, out->params.zero_point, kernel_read<float>(in), type_of(out),
            out->data.data, size);
    } else if (kernel_is(out->type, kTfLiteFloat32)) {
        dequantize_f32(in->params.scale, in->params.zero_point, type_of(in), in->data.data,
            kernel_write<float>(out), size);
    } else if (differ_in_sign_bit(in, out)) {
        requantize_sign(in->data.data, out->data.data, size);
    } else {
        requantize((const requantize_t *)node->user_data, type_of(in), in->data.data, type_of(out),
            out->data.data, size);
    }
    return kTfLiteOk;
}

static TfLiteStatus invoke_cast(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    TfLiteTensor *out = kernel_out(context, node, 0);
    cast(type_of(in), in->data.data, type_of(out), out->data.data, kernel_size(out));
    return kTfLiteOk;
}

KERNEL(QUANTIZE, prepare, invoke)
KERNEL(DEQUANTIZE, prepare, invoke)
KERNEL(CAST, nullptr, invoke_cast)
