// FULLY_CONNECTED.

#include "kernel.h"

extern "C" {
#include "../kernels/fully_connected.h"
}

static TfLiteFusedActivation activation_of(const TfLiteNode *node) {
    return ((const TfLiteFullyConnectedParams *)node->builtin_data)->activation;
}

// A factor for each channel where the weights have scales of their own.
static bool set_factors(TfLiteContext *context, const TfLiteNode *node, fully_connected_t *params) {
    const TfLiteTensor *weights = kernel_in(context, node, 1);
    const float in_scale = kernel_in(context, node, 0)->params.scale;
    const float out_scale = kernel_out(context, node, 0)->params.scale;
    const auto *affine = (const TfLiteAffineQuantization *)weights->quantization.params;
    if (!affine || !affine->scale || affine->scale->size <= 1) {
        params->factor = kernel_factor((double)(in_scale * weights->params.scale) / out_scale);
        return true;
    }
    return kernel_channel_factors(context, params->channels, in_scale, weights, out_scale,
        &params->multipliers, &params->shifts);
}

static TfLiteStatus prepare(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    const TfLiteTensor *weights = kernel_in(context, node, 1);
    const TfLiteTensor *out = kernel_out(context, node, 0);
    if (kernel_is(out->type, kTfLiteFloat32)) {
        return kTfLiteOk;
    }
    auto *params = kernel_params<fully_connected_t>(context, node);
    if (!params) {
        return kTfLiteError;
    }
    const kernel_range_t range = kernel_range(activation_of(node), out);
    params->depth = weights->dims->data[1];
    params->channels = weights->dims->data[0];
    params->in_offset = -in->params.zero_point;
    params->weight_offset = -weights->params.zero_point;
    params->out_offset = out->params.zero_point;
    params->least = range.least;
    params->most = range.most;
    return set_factors(context, node, params) ? kTfLiteOk : kTfLiteError;
}

static TfLiteStatus invoke(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    const TfLiteTensor *weights = kernel_in(context, node, 1);
    const TfLiteTensor *bias = kernel_in(context, node, 2);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const auto *params = (const fully_connected_t *)node->user_data;
    const int32_t depth = weights->dims->data[1];
    const int32_t channels = weights->dims->data[0];
    const int32_t batches = kernel_size(out) / channels;
    if (kernel_is(out->type, kTfLiteFloat32)) {
        const kernel_float_range_t range = kernel_float_range(activation_of(node));
        fully_connected_f32(depth, channels, range.least, range.most, batches, kernel_read<float>(in),
            kernel_read<float>(weights), kernel_read<float>(bias), kernel_write<float>(out));
    } else if (out->type == kTfLiteInt8) {
        fully_connected_s8(params, batches, kernel_read<int8_t>(in), kernel_read<int8_t>(weights),
            kernel_read<int32_t>(bias), kernel_write<int8_t>(out));
    } else if (kernel_is(out->type, kTfLiteUInt8)) {
        fully_connected_u8(params, batches, kernel_read<uint8_t>(in), kernel_read<uint8_t>(weights),
            kernel_read<int32_t>(bias), kernel_write<uint8_t>(out));
    } else {
        fully_connected_s16(params, batches, kernel_read<int16_t>(in), kernel_read<int8_t>(weights),
            kernel_read<int64_t>(bias), kernel_write<int16_t>(out));
    }
    return kTfLiteOk;
}

KERNEL(FULLY_CONNECTED, prepare, invoke)
