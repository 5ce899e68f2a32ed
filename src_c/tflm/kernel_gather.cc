// GATHER and GATHER_ND. Indices come from anywhere: each is looked at before it is used.

#include "kernel_move.h"

static bool is_index(TfLiteContext *context, int32_t index, int32_t size) {
    if (index < 0 || index >= size) {
        context->ReportError(context, "index %d of %d", (int)index, (int)size);
        return false;
    }
    return true;
}

static TfLiteStatus gather(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    const TfLiteTensor *indices = kernel_in(context, node, 1);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const auto *params = (const TfLiteGatherParams *)node->builtin_data;
    const int axis = axis_of(params->axis, in->dims->size);
    // The dimensions that values and indices have in common occur once in the output.
    const int n_common = in->dims->size + indices->dims->size - 1 - out->dims->size;
    const int32_t n_indices = kernel_size(indices);
    const int32_t count = kernel_size_between(indices, n_common, indices->dims->size);
    const int32_t rows = kernel_size_between(in, n_common, axis);
    const int32_t size = dim(in, axis);
    const int32_t inner = stride(in, axis);
    for (int32_t i = 0; i < n_indices; ++i) {
        const int32_t index = kernel_read<int32_t>(indices)[i];
        if (!is_index(context, index, size)) {
            return kTfLiteError;
        }
        const int32_t batch = i / count;
        move_t move = {};
        move_add(&move, rows, size * inner, count * inner);
        move_add(&move, inner, 1, 1);
        move_between(&move, in, (batch * rows * size + index) * inner, out,
            (batch * rows * count + i % count) * inner);
    }
    return kTfLiteOk;
}

KERNEL(GATHER, nullptr, gather)

static TfLiteStatus gather_nd(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    const TfLiteTensor *indices = kernel_in(context, node, 1);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const int n = dim(indices, indices->dims->size - 1);
    const int32_t inner = stride(in, n - 1);
    const int32_t *index = kernel_read<int32_t>(indices);
    for (int32_t to = 0; to < kernel_size(out); to += inner) {
        int32_t from = 0;
        for (int i = 0; i < n; ++i, ++index) {
            if (!is_index(context, *index, dim(in, i))) {
                return kTfLiteError;
            }
            from += *index * stride(in, i);
        }
        move_t move = {};
        move_add(&move, inner, 1, 1);
        move_between(&move, in, from, out, to);
    }
    return kTfLiteOk;
}

KERNEL(GATHER_ND, nullptr, gather_nd)
