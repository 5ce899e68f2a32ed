// TRANSPOSE_CONV. Input 0 is the shape of the output, which the model states for its tensor anyway.

#include "kernel.h"

extern "C" {
#include "../kernels/transpose_conv.h"
}

enum { WEIGHTS = 1, INPUT, BIAS };

typedef struct {
    const int32_t *multipliers;
    const int8_t *shifts;
} kept_t;

static window_t window_of(const TfLiteContext *context, const TfLiteNode *node) {
    const auto *params = (const TfLiteTransposeConvParams *)node->builtin_data;
    const int *in = kernel_in(context, node, INPUT)->dims->data;
    const int *filter = kernel_in(context, node, WEIGHTS)->dims->data;
    const int *out = kernel_out(context, node, 0)->dims->data;
    window_t window = { in[0], in[1], in[2], in[3], out[1], out[2], out[3], filter[1], filter[2], in[3],
                        params->stride_height, params->stride_width, 1, 1, 0, 0 };
    if (params->padding == kTfLitePaddingSame) {
        // Of the convolution that makes the input of the output.
        window.pad_h = kernel_padding(out[1], in[1], filter[1], params->stride_height, 1);
        window.pad_w = kernel_padding(out[2], in[2], filter[2], params->stride_width, 1);
    }
    return window;
}

static TfLiteStatus prepare(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *out = kernel_out(context, node, 0);
    if (kernel_is(out->type, kTfLiteFloat32)) {
        return kTfLiteOk;
    }
    auto *kept = kernel_params<kept_t>(context, node);
    return kept && kernel_channel_factors(context, out->dims->data[3],
        kernel_in(context, node, INPUT)->params.scale, kernel_in(context, node, WEIGHTS), out->params.scale,
        &kept->multipliers, &kept->shifts) ? kTfLiteOk : kTfLiteError;
}

static TfLiteStatus invoke(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, INPUT);
    const TfLiteTensor *weights = kernel_in(context, node, WEIGHTS);
    const TfLiteTensor *bias = kernel_in(context, node, BIAS);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const window_t window = window_of(context, node);
    if (kernel_is(out->type, kTfLiteFloat32)) {
        transpose_conv_f32(&window, kernel_read<float>(in), kernel_read<float>(weights),
            kernel_read<float>(bias), kernel_write<float>(out));
        return kTfLiteOk;
    }
    const auto *kept = (const kept_t *)node->user_data;
    const kernel_range_t range = kernel_range(kTfLiteActNone, out);
    const window_scale_t scale = { kept->multipliers, kept->shifts, -in->params.zero_point, 0,
                                   out->params.zero_point, range.least, range.most, false };
    if (out->type == kTfLiteInt8) {
        transpose_conv_s8(&window, &scale, kernel_read<int8_t>(in), kernel_read<int8_t>(weights),
            kernel_read<int32_t>(bias), kernel_write<int8_t>(out));
    } else {
        transpose_conv_s16(&window, &scale, kernel_read<int16_t>(in), kernel_read<int8_t>(weights),
            kernel_read<void>(bias), !bias || bias->type == kTfLiteInt64, kernel_write<int16_t>(out));
    }
    return kTfLiteOk;
}

KERNEL(TRANSPOSE_CONV, prepare, invoke)
