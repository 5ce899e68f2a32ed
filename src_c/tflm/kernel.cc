// What glue shares, see kernel.h.

#include "kernel.h"

#include "tensorflow/lite/kernels/internal/cppmath.h"
#include "tensorflow/lite/kernels/internal/quantization_util.h"

#include <float.h>
#include <string.h>

const TfLiteTensor *kernel_in(const TfLiteContext *context, const TfLiteNode *node, int index) {
    const int tensor = index < node->inputs->size ? node->inputs->data[index] : -1;
    return tensor < 0 ? nullptr : &context->tensors[tensor];
}

TfLiteTensor *kernel_state(const TfLiteContext *context, const TfLiteNode *node, int index) {
    return &context->tensors[node->inputs->data[index]];
}

TfLiteTensor *kernel_out(const TfLiteContext *context, const TfLiteNode *node, int index) {
    return &context->tensors[node->outputs->data[index]];
}

size_t kernel_item_size(const TfLiteTensor *tensor) {
    switch (tensor->type) {
        case kTfLiteInt64:
            return 8;
        case kTfLiteFloat32:
        case kTfLiteInt32:
            return 4;
        case kTfLiteFloat16:
        case kTfLiteInt16:
            return 2;
        default:
            return 1;
    }
}

int32_t kernel_size_between(const TfLiteTensor *tensor, int first, int last) {
    int32_t size = 1;
    for (int i = first; i < last; ++i) {
        size *= tensor->dims->data[i];
    }
    return size;
}

int32_t kernel_size(const TfLiteTensor *tensor) {
    return kernel_size_between(tensor, 0, tensor->dims->size);
}

int32_t kernel_dim(const TfLiteTensor *tensor, int index, int rank) {
    const int place = index - (rank - tensor->dims->size);
    return place < 0 ? 1 : tensor->dims->data[place];
}

void *kernel_keep(TfLiteContext *context, size_t bytes) {
    void *memory = nullptr;
    if (context->AllocatePersistentBuffer(context, bytes, &memory) != kTfLiteOk) {
        return nullptr;
    }
    memset(memory, 0, bytes);
    return memory;
}

factor_t kernel_factor(double real) {
    factor_t factor;
    int shift;
    tflite::QuantizeMultiplier(real, &factor.multiplier, &shift);
    factor.shift = shift;
    return factor;
}

float kernel_channel_scale(const TfLiteTensor *weights, int channel) {
    const auto *affine = (const TfLiteAffineQuantization *)weights->quantization.params;
    if (!affine || !affine->scale) {
        return weights->params.scale;
    }
    return affine->scale->data[affine->scale->size > 1 ? channel : 0];
}

bool kernel_channel_factors(TfLiteContext *context, int32_t channels, float in_scale,
    const TfLiteTensor *weights, float out_scale, const int32_t **multipliers, const int8_t **shifts) {
    auto *values = (int32_t *)kernel_keep(context, channels * 5u);
    if (!values) {
        return false;
    }
    auto *exponents = (int8_t *)(values + channels);
    for (int32_t i = 0; i < channels; ++i) {
        const double scale = kernel_channel_scale(weights, i);
        const factor_t factor = kernel_factor((double)in_scale * scale / out_scale);
        values[i] = factor.multiplier;
        exponents[i] = (int8_t)factor.shift;
    }
    *multipliers = values;
    *shifts = exponents;
    return true;
}

int32_t kernel_padding(int32_t in, int32_t out, int32_t filter, int32_t stride, int32_t dilation) {
    const int32_t beyond = (out - 1) * stride + (filter - 1) * dilation + 1 - in;
    return beyond > 0 ? beyond / 2 : 0;
}

static kernel_range_t type_range(TfLiteType type) {
    switch (type) {
        case kTfLiteUInt8:
            return { 0, UINT8_MAX };
        case kTfLiteInt8:
            return { INT8_MIN, INT8_MAX };
        case kTfLiteInt16:
            return { INT16_MIN, INT16_MAX };
        default:
            return { INT32_MIN, INT32_MAX };
    }
}

// A real limit in the numbers of a tensor, kept within their range.
static int32_t limit(const TfLiteTensor *tensor, float real, kernel_range_t range) {
    const int32_t scaled = (int32_t)tflite::TfLiteRound(real / tensor->params.scale);
    return fixed_clamp(tensor->params.zero_point + scaled, range.least, range.most);
}

kernel_range_t kernel_range(TfLiteFusedActivation activation, const TfLiteTensor *output) {
    const kernel_range_t range = type_range(output->type);
    const kernel_float_range_t real = kernel_float_range(activation);
    return {
        real.least == -FLT_MAX ? range.least : limit(output, real.least, range),
        real.most == FLT_MAX ? range.most : limit(output, real.most, range),
    };
}

kernel_float_range_t kernel_float_range(TfLiteFusedActivation activation) {
    switch (activation) {
        case kTfLiteActRelu:
            return { 0, FLT_MAX };
        case kTfLiteActRelu1:
            return { -1, 1 };
        case kTfLiteActRelu6:
            return { 0, 6 };
        default:
            return { -FLT_MAX, FLT_MAX };
    }
}
