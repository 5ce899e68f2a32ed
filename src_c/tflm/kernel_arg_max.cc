// ARG_MAX and ARG_MIN.

#include "kernel.h"

extern "C" {
#include "../kernels/arg_max.h"
}

static arg_max_t arg_max_of(TfLiteType type) {
    switch (type) {
        case kTfLiteFloat32:
            return arg_max_f32;
        case kTfLiteInt8:
            return arg_max_s8;
        case kTfLiteUInt8:
            return arg_max_u8;
        case kTfLiteInt16:
            return arg_max_s16;
        default:
            return arg_max_s32;
    }
}

template <bool least>
static TfLiteStatus invoke_arg_max(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const int32_t axis = *kernel_read<int32_t>(kernel_in(context, node, 1));
    const int place = axis < 0 ? axis + in->dims->size : axis;
    const int32_t n = in->dims->data[place];
    const int32_t step = kernel_size_between(in, place + 1, in->dims->size);
    const size_t item_size = kernel_item_size(in);
    const arg_max_t arg_max = arg_max_of(in->type);
    for (int32_t i = 0; i < kernel_size(out); ++i) {
        const size_t start = (size_t)(i / step * n * step + i % step);
        const int32_t found = arg_max(kernel_read<char>(in) + start * item_size, step, n, least);
        if (out->type == kTfLiteInt64) {
            kernel_write<int64_t>(out)[i] = found;
        } else {
            kernel_write<int32_t>(out)[i] = found;
        }
    }
    return kTfLiteOk;
}

KERNEL(ARG_MAX, nullptr, invoke_arg_max<false>)
KERNEL(ARG_MIN, nullptr, invoke_arg_max<true>)
