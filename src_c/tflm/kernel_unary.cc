// Functions of one element: ABS, RSQRT, LOGICAL_NOT and those of float32 alone.

#include "kernel.h"

#include <math.h>

extern "C" {
#include "../kernels/unary.h"
}

typedef float (*function_f32_t)(float);
typedef void (*function_s8_t)(const unary_t *, const int8_t *, int8_t *, int32_t);
typedef void (*function_s16_t)(const unary_t *, const int16_t *, int16_t *, int32_t);
typedef float (*scaling_t)(float in, float out);

static float rsqrt_f32(float value) {
    return 1 / sqrtf(value);
}

static float square_f32(float value) {
    return value * value;
}

static float negative_f32(float value) {
    return -value;
}

// To even where two integers are as near.
static float round_f32(float value) {
    const float below = floorf(value);
    const float rest = value - below;
    const bool up = rest > 0.5f || (rest == 0.5f && floorf(below / 2) * 2 != below);
    return up ? below + 1 : below;
}

template <function_f32_t function>
static TfLiteStatus invoke_f32(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    TfLiteTensor *out = kernel_out(context, node, 0);
    unary_f32(function, kernel_read<float>(in), kernel_write<float>(out), kernel_size(out));
    return kTfLiteOk;
}

static float scaling_of_abs(float in, float out) {
    return in / out;
}

static float scaling_of_rsqrt(float in, float out) {
    return 1 / (sqrtf(in) * out);
}

template <scaling_t scaling>
static TfLiteStatus prepare(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    const TfLiteTensor *out = kernel_out(context, node, 0);
    if (kernel_is(in->type, kTfLiteFloat32)) {
        return kTfLiteOk;
    }
    auto *params = kernel_params<unary_t>(context, node);
    if (!params) {
        return kTfLiteError;
    }
    *params = { kernel_factor(scaling(in->params.scale, out->params.scale)), in->params.zero_point,
                out->params.zero_point };
    return kTfLiteOk;
}

template <function_f32_t function_f32, function_s8_t function_s8, function_s16_t function_s16>
static TfLiteStatus invoke(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const auto *params = (const unary_t *)node->user_data;
    const int32_t size = kernel_size(out);
    if (kernel_is(in->type, kTfLiteFloat32)) {
        unary_f32(function_f32, kernel_read<float>(in), kernel_write<float>(out), size);
    } else if (in->type == kTfLiteInt8) {
        function_s8(params, kernel_read<int8_t>(in), kernel_write<int8_t>(out), size);
    } else {
        function_s16(params, kernel_read<int16_t>(in), kernel_write<int16_t>(out), size);
    }
    return kTfLiteOk;
}

static TfLiteStatus invoke_not(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    TfLiteTensor *out = kernel_out(context, node, 0);
    logical_not(kernel_read<bool>(in), kernel_write<bool>(out), kernel_size(out));
    return kTfLiteOk;
}

// Ports without a C library's maths have no function fabsf.
static float absolute(float value) {
    return __builtin_fabsf(value);
}

KERNEL(ABS, prepare<scaling_of_abs>, (invoke<absolute, abs_s8, abs_s16>))
KERNEL(CEIL, nullptr, invoke_f32<ceilf>)
KERNEL(COS, nullptr, invoke_f32<cosf>)
KERNEL(EXP, nullptr, invoke_f32<expf>)
KERNEL(FLOOR, nullptr, invoke_f32<floorf>)
KERNEL(LOG, nullptr, invoke_f32<logf>)
KERNEL(LOGICAL_NOT, nullptr, invoke_not)
KERNEL(NEG, nullptr, invoke_f32<negative_f32>)
KERNEL(ROUND, nullptr, invoke_f32<round_f32>)
KERNEL(RSQRT, prepare<scaling_of_rsqrt>, (invoke<rsqrt_f32, rsqrt_s8, rsqrt_s16>))
KERNEL(SIN, nullptr, invoke_f32<sinf>)
KERNEL(SQRT, nullptr, invoke_f32<sqrtf>)
KERNEL(SQUARE, nullptr, invoke_f32<square_f32>)
