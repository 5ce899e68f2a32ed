// Operators that exchange the height and width of images for channels or for images: DEPTH_TO_SPACE,
// SPACE_TO_DEPTH, BATCH_TO_SPACE_ND, SPACE_TO_BATCH_ND. Each is a move between a large image and what
// became of its blocks, one way or the other.

#include "kernel_move.h"

// A move as it would go from the large image.
static void run(move_t *move, bool back, TfLiteTensor *large, int32_t large_at, TfLiteTensor *blocks,
    int32_t blocks_at) {
    for (int i = 0; back && i < move->rank; ++i) {
        move_dim_t *one = &move->dims[i];
        *one = { one->size, one->to, one->from };
    }
    if (back) {
        move_between(move, blocks, blocks_at, large, large_at);
    } else {
        move_between(move, large, large_at, blocks, blocks_at);
    }
}

// The channels of a block's pixels follow each other, row by row.
static void depth(TfLiteTensor *large, TfLiteTensor *blocks, int32_t block, bool back) {
    const int32_t channels = dim(large, 3);
    move_t move = {};
    move_add(&move, dim(blocks, 0), stride(large, 0), stride(blocks, 0));
    move_add(&move, dim(blocks, 1), stride(large, 1) * block, stride(blocks, 1));
    move_add(&move, dim(blocks, 2), stride(large, 2) * block, stride(blocks, 2));
    move_add(&move, block, stride(large, 1), block * channels);
    move_add(&move, block, stride(large, 2), channels);
    move_add(&move, channels, 1, 1);
    run(&move, back, large, 0, blocks, 0);
}

static TfLiteStatus space_to_depth(TfLiteContext *context, TfLiteNode *node) {
    depth((TfLiteTensor *)kernel_in(context, node, 0), kernel_out(context, node, 0),
        ((const TfLiteSpaceToDepthParams *)node->builtin_data)->block_size, false);
    return kTfLiteOk;
}

static TfLiteStatus depth_to_space(TfLiteContext *context, TfLiteNode *node) {
    depth(kernel_out(context, node, 0), (TfLiteTensor *)kernel_in(context, node, 0),
        ((const TfLiteDepthToSpaceParams *)node->builtin_data)->block_size, true);
    return kTfLiteOk;
}

KERNEL(SPACE_TO_DEPTH, nullptr, space_to_depth)
KERNEL(DEPTH_TO_SPACE, nullptr, depth_to_space)

typedef struct {
    TfLiteTensor *large;
    TfLiteTensor *blocks;
    const int32_t *sizes;       // of a block
    const int32_t *margins;     // before and behind each axis, in the blocks and not in the large image
    int n;                      // axes that are cut into blocks
    bool back;
} batch_t;

// Moves what lies at one place in all blocks.
static void run_place(const batch_t *batch, int32_t place) {
    const TfLiteTensor *large = batch->large;
    const TfLiteTensor *blocks = batch->blocks;
    int32_t large_at = 0;
    int32_t blocks_at = place * dim(large, 0) * stride(blocks, 0);
    move_t move = { batch->n + 2, {} };
    move.dims[0] = { dim(large, 0), stride(large, 0), stride(blocks, 0) };
    for (int axis = batch->n; axis > 0; --axis) {
        const int32_t size = batch->sizes[axis - 1];
        const int32_t start = place % size - batch->margins[2 * (axis - 1)];
        const int32_t first = start < 0 ? (-start + size - 1) / size : 0;
        int32_t end = (dim(large, axis) - start + size - 1) / size;
        end = end < dim(blocks, axis) ? end : dim(blocks, axis);
        if (end <= first) {
            return;
        }
        move.dims[axis] = { end - first, size * stride(large, axis), stride(blocks, axis) };
        large_at += (first * size + start) * stride(large, axis);
        blocks_at += first * stride(blocks, axis);
        place /= size;
    }
    move.dims[batch->n + 1] = { stride(large, batch->n), 1, 1 };
    run(&move, batch->back, batch->large, large_at, batch->blocks, blocks_at);
}

static void run_places(const batch_t *batch) {
    for (int32_t place = 0; place < dim(batch->blocks, 0) / dim(batch->large, 0); ++place) {
        run_place(batch, place);
    }
}

static batch_t batch_of(const TfLiteContext *context, const TfLiteNode *node, bool back) {
    const TfLiteTensor *sizes = kernel_in(context, node, 1);
    TfLiteTensor *in = (TfLiteTensor *)kernel_in(context, node, 0);
    TfLiteTensor *out = kernel_out(context, node, 0);
    return { back ? out : in, back ? in : out, kernel_read<int32_t>(sizes),
             kernel_read<int32_t>(kernel_in(context, node, 2)), kernel_size(sizes), back };
}

static TfLiteStatus space_to_batch(TfLiteContext *context, TfLiteNode *node) {
    const batch_t batch = batch_of(context, node, false);
    fill_with_zero(batch.blocks);
    run_places(&batch);
    return kTfLiteOk;
}

static TfLiteStatus batch_to_space(TfLiteContext *context, TfLiteNode *node) {
    const batch_t batch = batch_of(context, node, true);
    run_places(&batch);
    return kTfLiteOk;
}

KERNEL(SPACE_TO_BATCH_ND, nullptr, space_to_batch)
KERNEL(BATCH_TO_SPACE_ND, nullptr, batch_to_space)
