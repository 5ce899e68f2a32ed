// What is right in a model and wrong in a kernel of TFLM, see check_limits.h.

#include "check_limits.h"

bool limit_dilated_same(const op_view_t *op, int padding, int dilation_h, int dilation_w) {
    return NEED(padding == kTfLitePaddingValid || (dilation_h == 1 && dilation_w == 1),
        "dilation with padding SAME is not supported");
}

bool limit_depthwise_activation(const op_view_t *op, int activation) {
    const bool six = activation == kTfLiteActRelu6;
    const bool clamps = op->out.zero_point != -128 || !(six ? op->out.scale * 254.5f <= 6
        : activation == kTfLiteActRelu);
    return NEED(op->out.type != 'b' || activation == kTfLiteActNone || !clamps,
        "fused activation %d in the int8 range", activation);
}

bool limit_svdf_activation(const op_view_t *op, int activation) {
    return NEED(op->out.type != 'b' || (activation == kTfLiteActRelu
        && op->out.zero_point == -128), "int8 needs RELU and output zero point -128");
}

bool limit_depth(const op_view_t *op, int32_t most) {
    const view_t *input = &op->in[0];
    return NEED_OF(input, !input->is_quantised_type || input->dims[input->rank - 1] <= most,
        "last dimension above %d", (int)most);
}

bool limit_half_pixel_centers(const op_view_t *op, bool half_pixel_centers) {
    return NEED(!half_pixel_centers, "half_pixel_centers not supported");
}

bool limit_slice_masks(const op_view_t *op, int ellipsis, int new_axis) {
    return NEED(!ellipsis && !new_axis, "ellipsis and new axis not supported");
}

bool limit_slice_dropped(const op_view_t *op, int axis, int32_t count) {
    return NEED(count == 1, "axis %d is dropped with %d elements", axis, (int)count);
}
