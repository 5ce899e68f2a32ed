// Operators that join tensors along an axis or take one apart: CONCATENATION, PACK, SPLIT,
// SPLIT_V, UNPACK. In rows that begin at the axis a part is a part of each row.

#include "kernel_move.h"

static int32_t rows_before(const TfLiteTensor *whole, int axis) {
    return kernel_size_between(whole, 0, axis_of(axis, whole->dims->size));
}

// Only uint8 inputs may have scales of their own.
static void join_rescaled(const TfLiteTensor *part, TfLiteTensor *whole, int32_t rows, int32_t offset) {
    const move_rescale_t params = { part->params.scale * (1.0f / whole->params.scale),
                                    part->params.zero_point, whole->params.zero_point };
    const int32_t size = kernel_size(part) / rows;
    for (int32_t i = 0; i < rows; ++i) {
        move_rescale_u8(&params, kernel_read<uint8_t>(part) + i * size,
            kernel_write<uint8_t>(whole) + offset + i * (kernel_size(whole) / rows), size);
    }
}

static TfLiteStatus join(const TfLiteContext *context, const TfLiteNode *node, int axis) {
    TfLiteTensor *whole = kernel_out(context, node, 0);
    const int32_t rows = rows_before(whole, axis);
    int32_t offset = 0;
    for (int i = 0; i < node->inputs->size; ++i) {
        const TfLiteTensor *part = kernel_in(context, node, i);
        const int32_t size = kernel_size(part) / rows;
        if (kernel_is(part->type, kTfLiteUInt8) && (part->params.scale != whole->params.scale
            || part->params.zero_point != whole->params.zero_point)) {
            join_rescaled(part, whole, rows, offset);
        } else {
            move_t move = {};
            move_add(&move, rows, size, kernel_size(whole) / rows);
            move_add(&move, size, 1, 1);
            move_between(&move, part, 0, whole, offset);
        }
        offset += size;
    }
    return kTfLiteOk;
}

static TfLiteStatus take_apart(const TfLiteContext *context, const TfLiteNode *node, int input, int axis) {
    const TfLiteTensor *whole = kernel_in(context, node, input);
    const int32_t rows = rows_before(whole, axis);
    int32_t offset = 0;
    for (int i = 0; i < node->outputs->size; ++i) {
        TfLiteTensor *part = kernel_out(context, node, i);
        const int32_t size = kernel_size(part) / rows;
        move_t move = {};
        move_add(&move, rows, kernel_size(whole) / rows, size);
        move_add(&move, size, 1, 1);
        move_between(&move, whole, offset, part, 0);
        offset += size;
    }
    return kTfLiteOk;
}

static TfLiteStatus concatenation(TfLiteContext *context, TfLiteNode *node) {
    return join(context, node, ((const TfLiteConcatenationParams *)node->builtin_data)->axis);
}

static TfLiteStatus pack(TfLiteContext *context, TfLiteNode *node) {
    return join(context, node, ((const TfLitePackParams *)node->builtin_data)->axis);
}

static TfLiteStatus unpack(TfLiteContext *context, TfLiteNode *node) {
    return take_apart(context, node, 0, ((const TfLiteUnpackParams *)node->builtin_data)->axis);
}

static TfLiteStatus split(TfLiteContext *context, TfLiteNode *node) {
    return take_apart(context, node, 1, *kernel_read<int32_t>(kernel_in(context, node, 0)));
}

static TfLiteStatus split_v(TfLiteContext *context, TfLiteNode *node) {
    return take_apart(context, node, 0, *kernel_read<int32_t>(kernel_in(context, node, 2)));
}

KERNEL(CONCATENATION, nullptr, concatenation)
KERNEL(PACK, nullptr, pack)
KERNEL(UNPACK, nullptr, unpack)
KERNEL(SPLIT, nullptr, split)
KERNEL(SPLIT_V, nullptr, split_v)
