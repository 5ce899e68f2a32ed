// SLICE and STRIDED_SLICE.

#include "kernel_move.h"

extern "C" {
#include "../kernels/slice.h"
}

static TfLiteStatus slice(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    const int32_t *begin = kernel_read<int32_t>(kernel_in(context, node, 1));
    TfLiteTensor *out = kernel_out(context, node, 0);
    move_t move = {};
    int32_t from = 0;
    for (int i = 0; i < out->dims->size; ++i) {
        move_add(&move, dim(out, i), stride(in, i), stride(out, i));
        from += begin[i] * stride(in, i);
    }
    move_between(&move, in, from, out, 0);
    return kTfLiteOk;
}

KERNEL(SLICE, nullptr, slice)

static TfLiteStatus strided_slice(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    const TfLiteTensor *begin = kernel_in(context, node, 1);
    const auto *params = (const TfLiteStridedSliceParams *)node->builtin_data;
    const slice_t slice = {
        kernel_read<int32_t>(begin), kernel_read<int32_t>(kernel_in(context, node, 2)),
        kernel_read<int32_t>(kernel_in(context, node, 3)), kernel_size(begin), params->begin_mask,
        params->end_mask, params->ellipsis_mask, params->new_axis_mask, params->shrink_axis_mask,
    };
    slice_taken_t taken;
    slice_take(&slice, (const int32_t *)in->dims->data, in->dims->size, &taken);
    move_t move = {};
    int32_t from = 0;
    int32_t to = 1;
    for (int i = in->dims->size; i-- > 0;) {
        const slice_axis_t *axis = &taken.axes[i];
        move.dims[i] = { axis->count, axis->stride * stride(in, i), to };
        from += axis->begin * stride(in, i);
        to *= axis->count;
    }
    move.rank = in->dims->size;
    move_between(&move, in, from, kernel_out(context, node, 0), 0);
    return kTfLiteOk;
}

KERNEL(STRIDED_SLICE, nullptr, strided_slice)
