// UNIDIRECTIONAL_SEQUENCE_LSTM.

#include "kernel.h"

extern "C" {
#include "../kernels/lstm.h"
}

#include <float.h>
#include <math.h>

// The first of the tensors of all gates, and the others.
#define INPUT           (0)
#define INPUT_WEIGHTS   (1)
#define LAST_WEIGHTS    (5)
#define BIAS            (12)
#define LAST_OUTPUT     (18)
#define CELL            (19)

#define GATE_SCALE      (1.0f / (1 << 12))
#define PRODUCT_SCALE   (1.0f / (1 << 30))

static const TfLiteUnidirectionalSequenceLSTMParams *options_of(const TfLiteNode *node) {
    return (const TfLiteUnidirectionalSequenceLSTMParams *)node->builtin_data;
}

// 3 times 12 fractional bits are 12288 steps.
static void set_tanh(lstm_t *params, float cell_scale) {
    int exponent;
    frexp(cell_scale, &exponent);
    const int shift = exponent - 1 + 12;
    params->tanh_multiplier = shift > 0 ? 3 << shift : 3;
    params->tanh_shift = shift > 0 ? 0 : -shift;
}

static TfLiteStatus prepare(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, INPUT);
    const TfLiteTensor *last = kernel_in(context, node, LAST_OUTPUT);
    const float cell_scale = kernel_in(context, node, CELL)->params.scale;
    const float clip = options_of(node)->cell_clip;
    if (kernel_is(in->type, kTfLiteFloat32)) {
        return kTfLiteOk;
    }
    auto *params = kernel_params<lstm_t>(context, node);
    if (!params) {
        return kTfLiteError;
    }
    params->in_offset = -in->params.zero_point;
    params->out_offset = last->params.zero_point;
    for (int i = 0; i < LSTM_GATES; ++i) {
        const float in_scale = kernel_in(context, node, INPUT_WEIGHTS + i)->params.scale;
        const float last_scale = kernel_in(context, node, LAST_WEIGHTS + i)->params.scale;
        params->in_factors[i] = kernel_factor((double)(in->params.scale * in_scale) / GATE_SCALE);
        params->last_factors[i] = kernel_factor((double)(last->params.scale * last_scale) / GATE_SCALE);
    }
    params->cell_factor = kernel_factor((double)PRODUCT_SCALE / cell_scale);
    params->out_factor = kernel_factor((double)PRODUCT_SCALE / last->params.scale);
    set_tanh(params, cell_scale);
    params->clip = !(clip > 0) ? INT16_MAX + 1
        : clip / cell_scale < INT16_MAX ? (int32_t)(clip / cell_scale) : INT16_MAX;
    return kTfLiteOk;
}

template <typename T>
static T weights_of(const TfLiteContext *context, const TfLiteNode *node) {
    T weights;
    for (int i = 0; i < LSTM_GATES; ++i) {
        weights.in[i] = (decltype(weights.in[i] + 0))kernel_in(context, node, INPUT_WEIGHTS + i)->data.data;
        weights.last[i] = (decltype(weights.last[i] + 0))kernel_in(context, node, LAST_WEIGHTS + i)->data.data;
        weights.bias[i] = (decltype(weights.bias[i] + 0))kernel_in(context, node, BIAS + i)->data.data;
    }
    return weights;
}

static TfLiteStatus invoke(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, INPUT);
    TfLiteTensor *last = kernel_state(context, node, LAST_OUTPUT);
    TfLiteTensor *cell = kernel_state(context, node, CELL);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const bool time_major = options_of(node)->time_major;
    const int *dims = in->dims->data;
    const lstm_shape_t shape = { dims[time_major], dims[!time_major], dims[2], out->dims->data[2], time_major };
    if (kernel_is(in->type, kTfLiteFloat32)) {
        const float clip = options_of(node)->cell_clip;
        const auto weights = weights_of<lstm_weights_f32_t>(context, node);
        lstm_f32(clip > 0 ? clip : FLT_MAX, &shape, &weights, kernel_read<float>(in),
            kernel_write<float>(last), kernel_write<float>(cell), kernel_write<float>(out));
    } else {
        const auto weights = weights_of<lstm_weights_s8_t>(context, node);
        lstm_s8((const lstm_t *)node->user_data, &shape, &weights, kernel_read<int8_t>(in),
            kernel_write<int8_t>(last), kernel_write<int16_t>(cell), kernel_write<int8_t>(out));
    }
    return kTfLiteOk;
}

KERNEL(UNIDIRECTIONAL_SEQUENCE_LSTM, prepare, invoke)
