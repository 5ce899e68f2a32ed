// The rules of layers with weights, and of pooling.

#include "check_rows.h"

#include <math.h>

// Sizes of windows and steps stay free of overflow.
#define WINDOW_MAX  (1 << 14)
#define FILTER_MAX  (1 << 24)

// The largest product of an input and a weight, both less their zero points.
#define PRODUCT_MAX         (65536.0f)
#define PRODUCT_MAX_16_BITS (8388608.0f)

typedef struct {
    int32_t height;
    int32_t width;
} pair_t;

static bool need_window(const op_view_t *op, int padding, int32_t input, int32_t filter, int32_t stride,
    int32_t dilation, int32_t output) {
    if (!NEED(filter >= 1 && filter <= WINDOW_MAX && stride >= 1 && stride <= WINDOW_MAX
        && dilation >= 1 && dilation <= WINDOW_MAX, "filter %d, stride %d, dilation %d",
        (int)filter, (int)stride, (int)dilation)) {
        return false;
    }
    const int32_t reach = padding == kTfLitePaddingValid ? (filter - 1) * dilation + 1 : 1;
    return need_equal(op, &op->out, "image size", output, (input + stride - reach) / stride);
}

// An image becomes one of the size that a window over it makes. Of sizes, those with the letters H
// and W belong to the input, h and w to the output.
static bool need_windows(const op_view_t *op, int padding, const sizes_t &of, pair_t filter, pair_t stride,
    pair_t dilation) {
    return NEED(padding != kTfLitePaddingUnknown, "padding is not known")
           && need_window(op, padding, of['H'], filter.height, stride.height, dilation.height, of['h'])
           && need_window(op, padding, of['W'], filter.width, stride.width, dilation.width, of['w']);
}

static bool need_bias(const op_view_t *op, const view_t *bias, int32_t channels) {
    return !bias->raw || need_equal(op, bias, "size", bias->size, channels);
}

// The kernels want a bias in the scale of the products, to a fiftieth of the output's.
static bool need_bias_scale(const op_view_t *op) {
    const view_t *bias = &op->in[2];
    const float product = op->in[0].scale * op->in[1].scale;
    return NEED_OF(bias, !bias->raw || !op->in[1].is_quantised_type
        || fabsf(product - bias->scale) < 0.0199f * op->out.scale,
        "scale is not input times weights");
}

// The scales of weights, for sums of depth products.
static bool need_weight_scales(const op_view_t *op, int32_t depth) {
    const auto *scales = op->in[1].raw->quantization()->scale();
    if (!NEED(op->out.type == 'h' || depth <= (op->out.type == 'b' ? INT32_MAX / 32640 : INT32_MAX / 65025),
        "sums of %d values", (int)depth)) {
        return false;
    }
    for (uint32_t i = 0; i < scales->size(); ++i) {
        const float factor = scales->Get(i) * op->in[0].scale / op->out.scale;
        if (!NEED_OF(&op->in[1], scales->Get(i) >= 0 && scales->Get(i) <= 1e9f, "scale out of range")
            || !need_multiplier(op, factor,
            (float)depth * (op->out.type == 'h' ? PRODUCT_MAX_16_BITS : PRODUCT_MAX))) {
            return false;
        }
    }
    return true;
}

// Weights have one scale, or int8 one for each slice along an axis; int8 kernels that are not
// asymmetric take their zero points for 0.
static bool need_weights(const op_view_t *op, int axis, int32_t depth, bool asymmetric) {
    const view_t *weights = &op->in[1];
    if (!weights->is_quantised_type) {
        return true;
    }
    if (!need_quantised(op, &op->in[0]) || !need_quantised(op, &op->out)) {
        return false;
    }
    if ((weights->type != 'b' || weights->n_scales <= 1) ? !need_quantised(op, weights)
        : !need_equal(op, weights, "number of scales", weights->n_scales, weights->dims[axis])
        || !need_equal(op, weights, "quantized dimension",
        weights->raw->quantization()->quantized_dimension(), axis)) {
        return false;
    }
    const auto *quantization = weights->raw->quantization();
    for (uint32_t i = 0; i < quantization->zero_point()->size() && !asymmetric; ++i) {
        if (!need_equal(op, weights, "zero point", (int32_t)graph_zero_point(quantization, i), 0)) {
            return false;
        }
    }
    return need_weight_scales(op, depth);
}

static bool need_convolution(const op_view_t *op, int activation, int axis) {
    const view_t *filter = &op->in[1];
    const int32_t channels = filter->dims[axis];
    const int32_t size = filter->size / channels;
    const bool is_uint8 = filter->type == 'B';
    return NEED_OF(filter, size <= FILTER_MAX, "filters of size %d", (int)size)
           && need_bias(op, &op->in[2], channels) && need_weights(op, axis, size, is_uint8)
           && (!is_uint8 || need_bias_scale(op)) && need_centred(op, &op->in[0]) && need_centred(op, &op->out)
           && need_activation(op, activation);
}

bool check_conv_2d(const op_view_t *op) {
    const auto *params = (const TfLiteConvParams *)op->params;
    sizes_t of;
    return need_shapes(op, "BHWC OYXI *>BhwO", &of)
           && NEED(of['C'] % of['I'] == 0 && of['O'] % (of['C'] / of['I']) == 0,
        "%d channels to %d with filters of %d", (int)of['C'], (int)of['O'], (int)of['I'])
           && need_windows(op, params->padding, of, { of['Y'], of['X'] },
        { params->stride_height, params->stride_width },
        { params->dilation_height_factor, params->dilation_width_factor })
           && need_convolution(op, params->activation, 0);
}

bool check_depthwise_conv_2d(const op_view_t *op) {
    const auto *params = (const TfLiteDepthwiseConvParams *)op->params;
    const pair_t dilation = { params->dilation_height_factor, params->dilation_width_factor };
    sizes_t of;
    return need_shapes(op, "BHWC 1YXO *>BhwO", &of)
           && need_windows(op, params->padding, of, { of['Y'], of['X'] },
        { params->stride_height, params->stride_width }, dilation)
           && NEED(of['O'] == (int64_t)of['C'] * params->depth_multiplier,
        "%d times %d channels are not %d", params->depth_multiplier, (int)of['C'], (int)of['O'])
           && need_convolution(op, params->activation, 3);
}

// The output becomes the input by the convolution with the same windows. A shape that is computed
// at run time is not looked at: the output's own counts.
bool check_transpose_conv(const op_view_t *op) {
    const auto *params = (const TfLiteTransposeConvParams *)op->params;
    const view_t *shape = &op->in[0];
    const bool is_constant = graph_tensor_data(op->check->engine->model, shape->raw);
    const int32_t *dims = is_constant ? need_ints(op, shape, 4) : nullptr;
    // Field 3 of the options, later than the schema.
    const int activation = ((const flatbuffers::Table *)op->raw->builtin_options())->GetField<int8_t>(10, 0);
    op_view_t conv = *op;
    conv.in[0] = op->in[2];
    conv.in[2] = op->in[3];
    sizes_t of;
    return (!is_constant || (dims && need_shape(op, &op->out, dims, 4)))
           && need_no_activation(op, activation) && need_shapes(&conv, "Bhwc OYXc *>BHWO", &of)
           && need_windows(op, params->padding, of, { of['Y'], of['X'] },
        { params->stride_height, params->stride_width }, { 1, 1 })
           && need_convolution(&conv, activation, 0);
}

bool check_pool_2d(const op_view_t *op) {
    const auto *params = (const TfLitePoolParams *)op->params;
    sizes_t of;
    return need_shapes(op, "BHWC>BhwC", &of)
           && need_windows(op, params->padding, of, { params->filter_height, params->filter_width },
        { params->stride_height, params->stride_width }, { 1, 1 })
           && need_all_quantised(op) && need_same_scales(op) && need_activation(op, params->activation)
           && NEED(!op->out.is_quantised_type || (int64_t)params->filter_height * params->filter_width
        <= (op->out.type == 'h' ? UINT16_MAX : 1 << 23), "window too large");
}

bool check_fully_connected(const op_view_t *op) {
    const auto *params = (const TfLiteFullyConnectedParams *)op->params;
    const view_t *input = &op->in[0];
    const view_t *output = &op->out;
    sizes_t of;
    return need_shapes(op, "* OI", &of)
           && NEED(params->weights_format == kTfLiteFullyConnectedWeightsFormatDefault,
        "shuffled weights not supported")
           && NEED_OF(output, output->rank && output->dims[output->rank - 1] == of['O'],
        "last dimension, %d is needed", (int)of['O'])
           && NEED_OF(input, (int64_t)output->size / of['O'] * of['I'] == input->size,
        "size %d does not fit", (int)input->size)
           && need_bias(op, &op->in[2], of['O'])
           && need_weights(op, 0, of['I'], op->in[1].n_scales <= 1) && need_bias_scale(op)
           && need_centred(op, &op->in[0]) && need_centred(op, &op->out) && need_activation(op, params->activation);
}
