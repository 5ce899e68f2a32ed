// RESIZE_NEAREST_NEIGHBOR and RESIZE_BILINEAR.

#include "kernel.h"

extern "C" {
#include "../kernels/resize.h"
}

static resize_t resize_of(const TfLiteTensor *in, const TfLiteTensor *out, bool align_corners,
    bool half_pixel_centers) {
    const int *from = in->dims->data;
    const int *to = out->dims->data;
    return { { from[1], to[1] }, { from[2], to[2] }, from[0], from[3], align_corners, half_pixel_centers };
}

static TfLiteStatus nearest(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const auto *options = (const TfLiteResizeNearestNeighborParams *)node->builtin_data;
    const resize_t params = resize_of(in, out, options->align_corners, options->half_pixel_centers);
    resize_nearest(&params, in->data.data, out->data.data, (int32_t)kernel_item_size(out));
    return kTfLiteOk;
}

static TfLiteStatus bilinear(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const auto *options = (const TfLiteResizeBilinearParams *)node->builtin_data;
    const resize_t params = resize_of(in, out, options->align_corners, options->half_pixel_centers);
    if (kernel_is(out->type, kTfLiteFloat32)) {
        resize_bilinear_f32(&params, kernel_read<float>(in), kernel_write<float>(out));
    } else {
        resize_bilinear_s8(&params, kernel_read<int8_t>(in), kernel_write<int8_t>(out));
    }
    return kTfLiteOk;
}

KERNEL(RESIZE_NEAREST_NEIGHBOR, nullptr, nearest)
KERNEL(RESIZE_BILINEAR, nullptr, bilinear)
