// Operators that give values another shape or order: RESHAPE, EXPAND_DIMS, SQUEEZE, SHAPE,
// TRANSPOSE, REVERSE_V2, TILE, FILL, ZEROS_LIKE.

#include "kernel_move.h"

#include <string.h>

static TfLiteStatus copy(TfLiteContext *context, TfLiteNode *node) {
    TfLiteTensor *out = kernel_out(context, node, 0);
    memcpy(out->data.data, kernel_in(context, node, 0)->data.data, out->bytes);
    return kTfLiteOk;
}

KERNEL(RESHAPE, nullptr, copy)
KERNEL(EXPAND_DIMS, nullptr, copy)
KERNEL(SQUEEZE, nullptr, copy)

static TfLiteStatus shape(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    TfLiteTensor *out = kernel_out(context, node, 0);
    for (int i = 0; i < in->dims->size; ++i) {
        if (out->type == kTfLiteInt64) {
            kernel_write<int64_t>(out)[i] = dim(in, i);
        } else {
            kernel_write<int32_t>(out)[i] = dim(in, i);
        }
    }
    return kTfLiteOk;
}

KERNEL(SHAPE, nullptr, shape)

static TfLiteStatus transpose(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    const int32_t *order = kernel_read<int32_t>(kernel_in(context, node, 1));
    TfLiteTensor *out = kernel_out(context, node, 0);
    move_t move = {};
    for (int i = 0; i < out->dims->size; ++i) {
        move_add(&move, dim(out, i), stride(in, order[i]), stride(out, i));
    }
    move_between(&move, in, 0, out, 0);
    return kTfLiteOk;
}

KERNEL(TRANSPOSE, nullptr, transpose)

static TfLiteStatus reverse(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    const TfLiteTensor *axes = kernel_in(context, node, 1);
    TfLiteTensor *out = kernel_out(context, node, 0);
    move_t move = {};
    for (int i = 0; i < out->dims->size; ++i) {
        move_add(&move, dim(out, i), stride(in, i), stride(out, i));
    }
    int32_t from = 0;
    for (int i = 0; i < kernel_size(axes); ++i) {
        move_dim_t *reversed = &move.dims[axis_of(kernel_read<int32_t>(axes)[i], out->dims->size)];
        from += (reversed->size - 1) * reversed->from;
        reversed->from = -reversed->from;
    }
    move_between(&move, in, from, out, 0);
    return kTfLiteOk;
}

KERNEL(REVERSE_V2, nullptr, reverse)

// The input lands in a corner of the output, then axis after axis, from the last on, what is there
// is repeated.
static TfLiteStatus tile(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const int rank = out->dims->size;
    move_t move = {};
    for (int i = 0; i < rank; ++i) {
        move_add(&move, dim(in, i), stride(in, i), stride(out, i));
    }
    move_between(&move, in, 0, out, 0);
    for (int axis = rank; axis-- > 0;) {
        const int32_t part = dim(in, axis) * stride(out, axis);
        const int32_t more = dim(out, axis) / dim(in, axis) - 1;
        move = {};
        for (int i = 0; i < axis; ++i) {
            move_add(&move, dim(in, i), stride(out, i), stride(out, i));
        }
        move_add(&move, more, 0, part);
        move_add(&move, part, 1, 1);
        if (more > 0) {
            move_between(&move, out, 0, out, part);
        }
    }
    return kTfLiteOk;
}

KERNEL(TILE, nullptr, tile)

static TfLiteStatus fill(TfLiteContext *context, TfLiteNode *node) {
    fill_with(kernel_out(context, node, 0), kernel_in(context, node, 1)->data.data);
    return kTfLiteOk;
}

KERNEL(FILL, nullptr, fill)

static TfLiteStatus zeros(TfLiteContext *context, TfLiteNode *node) {
    TfLiteTensor *out = kernel_out(context, node, 0);
    memset(out->data.data, 0, out->bytes);
    return kTfLiteOk;
}

KERNEL(ZEROS_LIKE, nullptr, zeros)
