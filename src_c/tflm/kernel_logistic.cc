// LOGISTIC and TANH.

#include "kernel.h"

extern "C" {
#include "../kernels/logistic.h"
}

typedef void (*function_s8_t)(const logistic_t *, const int8_t *, int8_t *, int32_t);
typedef void (*function_s16_t)(int32_t, int32_t, const int16_t *, int16_t *, int32_t);
typedef void (*function_f32_t)(const float *, float *, int32_t);

// Scales that converters mean to be a power of two are that within 0.07 %.
static bool is_about(float value, float power) {
    return value > power * 0.999307f && value < power * 1.000693f;
}

// 12288 steps a unit: exactly for a scale of 2^-12 (for TANH, 2^-11 too), else by the largest
// multiplier of 15 bits that there is, cut off.
static factor_t factor_16(float scale, bool is_tanh) {
    if (is_about(scale, 1.0f / 4096)) {
        return { 3, 0 };
    }
    if (is_tanh && is_about(scale, 1.0f / 2048)) {
        return { 6, 0 };
    }
    double multiplier = (double)scale * (3 * 4096);
    int32_t shift = 0;
    for (; multiplier <= 32767.0 / 2 && shift <= 30; multiplier *= 2) {
        ++shift;
    }
    return { (int32_t)multiplier, shift };
}

template <bool is_tanh>
static TfLiteStatus prepare(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *input = kernel_in(context, node, 0);
    if (kernel_is(input->type, kTfLiteFloat32)) {
        return kTfLiteOk;
    }
    auto *params = kernel_params<logistic_t>(context, node);
    if (!params) {
        return kTfLiteError;
    }
    if (input->type == kTfLiteInt16) {
        params->factor = factor_16(input->params.scale, is_tanh);
    } else {
        *params = logistic_params(kernel_factor((double)input->params.scale * (1 << 27)),
            input->params.zero_point);
    }
    return kTfLiteOk;
}

template <function_s8_t function_s8, function_s16_t function_s16, function_f32_t function_f32>
static TfLiteStatus invoke(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const auto *params = (const logistic_t *)node->user_data;
    const int32_t size = kernel_size(out);
    if (kernel_is(in->type, kTfLiteFloat32)) {
        function_f32(kernel_read<float>(in), kernel_write<float>(out), size);
    } else if (in->type == kTfLiteInt16) {
        function_s16(params->factor.multiplier, params->factor.shift, kernel_read<int16_t>(in),
            kernel_write<int16_t>(out), size);
    } else {
        function_s8(params, kernel_read<int8_t>(in), kernel_write<int8_t>(out), size);
    }
    return kTfLiteOk;
}

KERNEL(LOGISTIC, prepare<false>, (invoke<logistic_s8, logistic_s16, logistic_f32>))
KERNEL(TANH, prepare<true>, (invoke<tanh_s8, tanh_s16, tanh_f32>))
