// CONV_2D and DEPTHWISE_CONV_2D.

#include "kernel.h"

extern "C" {
#include "../kernels/conv.h"
#include "../kernels/depthwise.h"
}

// Both take their weights from input 1 and a bias, if any, from input 2; their channels are another
// dimension of the weights.
struct conv_op_t {
    typedef TfLiteConvParams params_t;
    enum { channel_axis = 0 };
};

struct depthwise_op_t {
    typedef TfLiteDepthwiseConvParams params_t;
    enum { channel_axis = 3 };
};

// What is kept of a layer of integers.
typedef struct {
    const int32_t *multipliers;
    const int8_t *shifts;
    int32_t least;
    int32_t most;
    int scratch;                // index of the buffer, below 0: none
    bool is_short;
} kept_t;

template <typename Op> static window_t window_of(const TfLiteContext *context, const TfLiteNode *node) {
    const auto *params = (const typename Op::params_t *)node->builtin_data;
    const int *in = kernel_in(context, node, 0)->dims->data;
    const int *filter = kernel_in(context, node, 1)->dims->data;
    const int *out = kernel_out(context, node, 0)->dims->data;
    window_t window = { in[0], in[1], in[2], in[3], out[1], out[2], out[3], filter[1], filter[2],
                        Op::channel_axis == 0 ? filter[3] : 1, params->stride_height, params->stride_width,
                        params->dilation_height_factor, params->dilation_width_factor, 0, 0 };
    if (params->padding == kTfLitePaddingSame) {
        window.pad_h = kernel_padding(window.in_h, window.out_h, window.filter_h, window.stride_h,
            window.dilation_h);
        window.pad_w = kernel_padding(window.in_w, window.out_w, window.filter_w, window.stride_w,
            window.dilation_w);
    }
    return window;
}

// Whether the short scaling is right for all channels: the largest sum is that of the largest products.
static bool all_short(const window_t &window, const TfLiteTensor *bias, const int8_t *shifts) {
    const int64_t taps = (int64_t)window.filter_h * window.filter_w * window.depth;
    for (int32_t i = 0; i < window.out_c; ++i) {
        const int64_t offset = bias ? kernel_read<int32_t>(bias)[i] : 0;
        if (!window_is_short(shifts[i], taps * UINT8_MAX * -INT8_MIN + (offset < 0 ? -offset : offset))) {
            return false;
        }
    }
    return true;
}

template <typename Op> static TfLiteStatus prepare(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    const TfLiteTensor *weights = kernel_in(context, node, 1);
    const TfLiteTensor *out = kernel_out(context, node, 0);
    if (kernel_is(out->type, kTfLiteFloat32)) {
        return kTfLiteOk;
    }
    auto *kept = kernel_params<kept_t>(context, node);
    if (!kept) {
        return kTfLiteError;
    }
    const window_t window = window_of<Op>(context, node);
    const auto activation = ((const typename Op::params_t *)node->builtin_data)->activation;
    const kernel_range_t range = kernel_range(activation, out);
    kept->least = range.least;
    kept->most = range.most;
    if (!kernel_channel_factors(context, window.out_c, in->params.scale, weights, out->params.scale,
        &kept->multipliers, &kept->shifts)) {
        return kTfLiteError;
    }
    size_t bytes = 0;
    if (out->type == kTfLiteInt8) {
        kept->is_short = all_short(window, kernel_in(context, node, 2), kept->shifts);
        bytes = Op::channel_axis == 0 ? conv_s8_scratch(&window) : depthwise_s8_scratch(&window);
    }
    kept->scratch = -1;
    return bytes ? context->RequestScratchBufferInArena(context, bytes, &kept->scratch) : kTfLiteOk;
}

// The kernels of one operator, by type.
template <typename Op> struct kernels_t {
    static constexpr auto s8 = conv_s8;
    static constexpr auto u8 = conv_u8;
    static constexpr auto s16 = conv_s16;
    static constexpr auto f32 = conv_f32;
};

template <> struct kernels_t<depthwise_op_t> {
    static constexpr auto s8 = depthwise_s8;
    static constexpr auto u8 = depthwise_u8;
    static constexpr auto s16 = depthwise_s16;
    static constexpr auto f32 = depthwise_f32;
};

template <typename Op> static TfLiteStatus invoke(TfLiteContext *context, TfLiteNode *node) {
    typedef kernels_t<Op> kernels;
    const TfLiteTensor *in = kernel_in(context, node, 0);
    const TfLiteTensor *weights = kernel_in(context, node, 1);
    const TfLiteTensor *bias = kernel_in(context, node, 2);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const window_t window = window_of<Op>(context, node);
    if (kernel_is(out->type, kTfLiteFloat32)) {
        const auto activation = ((const typename Op::params_t *)node->builtin_data)->activation;
        const kernel_float_range_t range = kernel_float_range(activation);
        kernels::f32(&window, range.least, range.most, kernel_read<float>(in), kernel_read<float>(weights),
            kernel_read<float>(bias), kernel_write<float>(out));
        return kTfLiteOk;
    }
    const auto *kept = (const kept_t *)node->user_data;
    const window_scale_t scale = { kept->multipliers, kept->shifts, -in->params.zero_point,
                                   -weights->params.zero_point, out->params.zero_point, kept->least,
                                   kept->most, kept->is_short };
    if (out->type == kTfLiteInt8) {
        void *scratch = kept->scratch < 0 ? nullptr : context->GetScratchBuffer(context, kept->scratch);
        kernels::s8(&window, &scale, kernel_read<int8_t>(in), kernel_read<int8_t>(weights),
            kernel_read<int32_t>(bias), kernel_write<int8_t>(out), scratch);
    } else if (kernel_is(out->type, kTfLiteUInt8)) {
        kernels::u8(&window, &scale, kernel_read<uint8_t>(in), kernel_read<uint8_t>(weights),
            kernel_read<int32_t>(bias), kernel_write<uint8_t>(out));
    } else {
        kernels::s16(&window, &scale, kernel_read<int16_t>(in), kernel_read<int8_t>(weights),
            kernel_read<void>(bias), !bias || bias->type == kTfLiteInt64, kernel_write<int16_t>(out));
    }
    return kTfLiteOk;
}

KERNEL(CONV_2D, prepare<conv_op_t>, invoke<conv_op_t>)
KERNEL(DEPTHWISE_CONV_2D, prepare<depthwise_op_t>, invoke<depthwise_op_t>)
