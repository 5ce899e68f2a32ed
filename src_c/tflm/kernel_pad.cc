// PAD, PADV2 and MIRROR_PAD.

#include "kernel_move.h"

static void add_input(move_t *move, const TfLiteTensor *in, const TfLiteTensor *out, int axis) {
    move_add(move, dim(in, axis), stride(in, axis), stride(out, axis));
}

// Puts the input where the paddings want it.
static void place_input(const TfLiteTensor *in, const int32_t *paddings, TfLiteTensor *out) {
    move_t move = {};
    int32_t to = 0;
    for (int i = 0; i < out->dims->size; ++i) {
        add_input(&move, in, out, i);
        to += paddings[2 * i] * stride(out, i);
    }
    move_between(&move, in, 0, out, to);
}

static TfLiteStatus pad(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *value = kernel_in(context, node, 2);
    TfLiteTensor *out = kernel_out(context, node, 0);
    if (value) {
        fill_with(out, value->data.data);
    } else {
        fill_with_zero(out);
    }
    place_input(kernel_in(context, node, 0), kernel_read<int32_t>(kernel_in(context, node, 1)), out);
    return kTfLiteOk;
}

KERNEL(PAD, nullptr, pad)
KERNEL(PADV2, nullptr, pad)

// Mirrors along an axis: before it only the input's part is there yet, behind it all is.
static void mirror(const TfLiteTensor *in, const int32_t *paddings, TfLiteTensor *out, int axis, int32_t size,
    int32_t from, int32_t to) {
    const int32_t step = stride(out, axis);
    int32_t start = 0;
    move_t move = {};
    for (int i = 0; i < axis; ++i) {
        move_add(&move, dim(in, i), stride(out, i), stride(out, i));
        start += paddings[2 * i] * stride(out, i);
    }
    move_add(&move, size, from < to ? -step : step, from < to ? step : -step);
    move_add(&move, step, 1, 1);
    if (size > 0) {
        move_between(&move, out, start + from * step, out, start + to * step);
    }
}

static TfLiteStatus mirror_pad(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    const int32_t *paddings = kernel_read<int32_t>(kernel_in(context, node, 1));
    TfLiteTensor *out = kernel_out(context, node, 0);
    const auto *params = (const TfLiteMirrorPaddingParams *)node->builtin_data;
    const int32_t skip = params->mode == kTfLiteMirrorPaddingReflect;
    place_input(in, paddings, out);
    for (int axis = out->dims->size; axis-- > 0;) {
        const int32_t first = paddings[2 * axis];
        const int32_t end = first + dim(in, axis);
        mirror(in, paddings, out, axis, first, first + skip, first - 1);
        mirror(in, paddings, out, axis, paddings[2 * axis + 1], end - 1 - skip, end);
    }
    return kTfLiteOk;
}

KERNEL(MIRROR_PAD, nullptr, mirror_pad)
