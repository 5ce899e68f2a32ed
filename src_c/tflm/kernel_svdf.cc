// SVDF.

#include "kernel.h"

extern "C" {
#include "../kernels/svdf.h"
}

#define STATE   (4)

static const TfLiteSVDFParams *options_of(const TfLiteNode *node) {
    return (const TfLiteSVDFParams *)node->builtin_data;
}

static TfLiteStatus prepare(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    const TfLiteTensor *features = kernel_in(context, node, 1);
    const TfLiteTensor *times = kernel_in(context, node, 2);
    const TfLiteTensor *state = kernel_in(context, node, STATE);
    const TfLiteTensor *out = kernel_out(context, node, 0);
    if (kernel_is(out->type, kTfLiteFloat32)) {
        return kTfLiteOk;
    }
    auto *params = kernel_params<svdf_t>(context, node);
    if (!params) {
        return kTfLiteError;
    }
    const kernel_range_t range = kernel_range(options_of(node)->activation, out);
    const float state_scale = state->params.scale;
    *params = { -in->params.zero_point, state->params.zero_point, out->params.zero_point, range.least, range.most,
                kernel_factor(in->params.scale * features->params.scale / state_scale),
                kernel_factor(state_scale * times->params.scale / out->params.scale) };
    return kTfLiteOk;
}

static TfLiteStatus invoke(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    const TfLiteTensor *features = kernel_in(context, node, 1);
    const TfLiteTensor *times = kernel_in(context, node, 2);
    const TfLiteTensor *bias = kernel_in(context, node, 3);
    TfLiteTensor *state = kernel_state(context, node, STATE);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const auto *params = (const svdf_t *)node->user_data;
    const svdf_shape_t shape = { in->dims->data[0], in->dims->data[1], out->dims->data[1],
                                 options_of(node)->rank, times->dims->data[1] };
    if (kernel_is(state->type, kTfLiteFloat32)) {
        const kernel_float_range_t range = kernel_float_range(options_of(node)->activation);
        svdf_f32(range.least, range.most, &shape, kernel_read<float>(in), kernel_read<float>(features),
            kernel_read<float>(times), kernel_read<float>(bias), kernel_write<float>(state), kernel_write<float>(out));
    } else if (state->type == kTfLiteInt8) {
        svdf_s8(params, &shape, kernel_read<int8_t>(in), kernel_read<int8_t>(features), kernel_read<int8_t>(times),
            kernel_read<int32_t>(bias), kernel_write<int8_t>(state), kernel_write<int8_t>(out));
    } else {
        svdf_s16(params, &shape, kernel_read<int8_t>(in), kernel_read<int8_t>(features), kernel_read<int16_t>(times),
            kernel_read<int32_t>(bias), kernel_write<int16_t>(state), kernel_write<int8_t>(out));
    }
    return kTfLiteOk;
}

KERNEL(SVDF, prepare, invoke)
