// The rules of operators that pick, repeat, mirror or reorder values.

#include "check_rows.h"

extern "C" {
#include "../kernels/resize.h"
#include "../kernels/slice.h"
}

bool check_shape(const op_view_t *op) {
    return need_shape(op, &op->out, &op->in[0].rank, 1);
}

bool check_transpose(const op_view_t *op) {
    const view_t *input = &op->in[0];
    const int32_t *order = need_ints(op, &op->in[1], input->rank);
    if (!order) {
        return false;
    }
    int32_t dims[ENGINE_MAX_RANK];
    uint32_t seen = 0;
    for (int i = 0; i < input->rank; ++i) {
        if (!NEED(order[i] >= 0 && order[i] < input->rank && !(seen >> order[i] & 1), "axis %d of %d",
            (int)order[i], (int)input->rank)) {
            return false;
        }
        seen |= 1 << order[i];
        dims[i] = input->dims[order[i]];
    }
    return need_shape(op, &op->out, dims, input->rank) && need_same_scales(op);
}

bool check_reverse(const op_view_t *op) {
    const view_t *axes = &op->in[1];
    const int32_t *values = need_ints(op, axes, axes->size);
    uint32_t seen = 0;
    for (int i = 0; values && i < axes->size; ++i) {
        int place;
        if (!need_axis(op, values[i], op->in[0].rank, &place)
            || !NEED(!(seen >> place & 1), "axis %d twice", place)) {
            return false;
        }
        seen |= 1 << place;
    }
    return values && need_same_shape(op) && need_same_scales(op);
}

bool check_tile(const op_view_t *op) {
    const view_t *input = &op->in[0];
    const view_t *output = &op->out;
    const int32_t *times = need_ints(op, &op->in[1], input->rank);
    bool good = times && need_equal(op, output, "rank", output->rank, input->rank);
    for (int i = 0; good && i < input->rank; ++i) {
        good = NEED(output->dims[i] == (int64_t)input->dims[i] * times[i], "%d times dimension %d",
            (int)times[i], i);
    }
    return good && need_same_scales(op);
}

bool check_fill(const op_view_t *op) {
    const int32_t *dims = need_ints(op, &op->in[0], op->out.rank);
    return dims && need_shape(op, &op->out, dims, op->out.rank)
           && need_equal(op, &op->in[1], "size", op->in[1].size, 1) && need_same_scales(op);
}

bool check_mirror_pad(const op_view_t *op) {
    const auto *params = (const TfLiteMirrorPaddingParams *)op->params;
    const int skip = params->mode == kTfLiteMirrorPaddingReflect;
    const view_t *input = &op->in[0];
    const int32_t *paddings = need_ints(op, &op->in[1], 2 * input->rank);
    if (!paddings) {
        return false;
    }
    int32_t dims[ENGINE_MAX_RANK];
    for (int i = 0; i < 2 * input->rank; ++i) {
        if (!NEED(paddings[i] >= 0 && paddings[i] <= input->dims[i / 2] - skip, "padding of %d",
            (int)paddings[i])) {
            return false;
        }
        dims[i / 2] = paddings[i] + (i % 2 ? dims[i / 2] : input->dims[i / 2]);
    }
    return need_shape(op, &op->out, dims, input->rank) && need_same_scales(op);
}

// --- slices ---

bool check_slice(const op_view_t *op) {
    const view_t *input = &op->in[0];
    const int32_t *begin = need_ints(op, &op->in[1], input->rank);
    const int32_t *size = need_ints(op, &op->in[2], input->rank);
    if (!begin || !size) {
        return false;
    }
    int32_t dims[ENGINE_MAX_RANK];
    for (int i = 0; i < input->rank; ++i) {
        const bool starts = begin[i] >= 0 && begin[i] < input->dims[i];
        const int32_t most = starts ? input->dims[i] - begin[i] : 0;
        dims[i] = size[i] == -1 ? most : size[i];
        if (!NEED(starts && dims[i] <= most, "%d elements from %d", (int)size[i], (int)begin[i])) {
            return false;
        }
    }
    return need_shape(op, &op->out, dims, input->rank) && need_same_scales(op);
}

// Field 5 of the options, later than the schema: ends count from begins.
static bool has_offset(const op_view_t *op) {
    return ((const flatbuffers::Table *)op->raw->builtin_options())->GetField<uint8_t>(14, 0);
}

bool check_strided_slice(const op_view_t *op) {
    const auto *params = (const TfLiteStridedSliceParams *)op->params;
    const view_t *input = &op->in[0];
    const int32_t n = op->in[1].size;
    const int32_t *lists[3];
    for (int i = 0; i < 3; ++i) {
        lists[i] = need_ints(op, &op->in[1 + i], n);
        if (!lists[i]) {
            return false;
        }
    }
    if (!NEED(n <= 2 * SLICE_RANK && !has_offset(op), "options not supported")) {
        return false;
    }
    for (int i = 0; i < n; ++i) {
        if (!NEED(lists[2][i], "stride 0")) {
            return false;
        }
    }
    const slice_t slice = {
        lists[0], lists[1], lists[2], n, params->begin_mask, params->end_mask, params->ellipsis_mask,
        params->new_axis_mask, params->shrink_axis_mask,
    };
    slice_taken_t taken;
    return NEED(slice_take(&slice, input->dims, input->rank, &taken), "%d entries do not fit", (int)n)
           && need_shape(op, &op->out, taken.dims, taken.rank) && need_same_scales(op);
}

// --- blocks ---

static bool need_blocks(const op_view_t *op, const view_t *large, const view_t *blocks, int block) {
    const int32_t *a = large->dims;
    const int32_t *b = blocks->dims;
    return need_equal(op, large, "rank", large->rank, 4) && need_equal(op, blocks, "rank", blocks->rank, 4)
           && NEED(block > 0 && block <= a[1] && block <= a[2] && a[0] == b[0]
        && a[1] == (int64_t)b[1] * block && a[2] == (int64_t)b[2] * block
        && b[3] / block == (int64_t)a[3] * block && b[3] % block == 0, "shapes do not fit blocks of %d", block)
           && need_same_scales(op);
}

bool check_space_to_depth(const op_view_t *op) {
    return need_blocks(op, &op->in[0], &op->out, ((const TfLiteSpaceToDepthParams *)op->params)->block_size);
}

bool check_depth_to_space(const op_view_t *op) {
    return need_blocks(op, &op->out, &op->in[0], ((const TfLiteDepthToSpaceParams *)op->params)->block_size);
}

// Whether the large image with its margins is as many blocks along an axis.
static bool is_cut(const view_t *large, const view_t *blocks, int axis, int32_t size, const int32_t *margins) {
    return (int64_t)large->dims[axis] + margins[0] + margins[1] == (int64_t)blocks->dims[axis] * size;
}

static bool need_batches(const op_view_t *op, const view_t *large, const view_t *blocks) {
    const int32_t n = op->in[1].size;
    const int32_t *sizes = need_ints(op, &op->in[1], n);
    const int32_t *margins = need_ints(op, &op->in[2], 2 * n);
    if (!sizes || !margins || !need_equal(op, blocks, "rank", blocks->rank, large->rank)
        || !NEED(n < large->rank, "%d block sizes", (int)n)) {
        return false;
    }
    int32_t places = blocks->dims[0] / large->dims[0];
    bool good = blocks->dims[0] % large->dims[0] == 0;
    for (int i = 0; good && i < n; ++i) {
        good = sizes[i] > 0 && places % sizes[i] == 0 && need_padding(op, margins[2 * i])
            && need_padding(op, margins[2 * i + 1])
            && is_cut(large, blocks, i + 1, sizes[i], &margins[2 * i]);
        places /= good ? sizes[i] : 1;
    }
    for (int i = n + 1; good && i < large->rank; ++i) {
        good = large->dims[i] == blocks->dims[i];
    }
    return NEED(good && places == 1, "shapes do not fit the blocks") && need_same_scales(op);
}

bool check_space_to_batch(const op_view_t *op) {
    return need_batches(op, &op->in[0], &op->out);
}

bool check_batch_to_space(const op_view_t *op) {
    return need_batches(op, &op->out, &op->in[0]);
}

// --- by index ---

// Appends dimensions from first to before last.
static bool append(const op_view_t *op, const view_t *view, int first, int last, int32_t *dims, int *rank) {
    if (!NEED_OF(&op->out, *rank + last - first <= ENGINE_MAX_RANK, "rank above %d", ENGINE_MAX_RANK)) {
        return false;
    }
    for (int i = first; i < last; ++i) {
        dims[(*rank)++] = view->dims[i];
    }
    return true;
}

// Constant indices are within the dimensions that they are about, n of them in turn; others are
// looked at when they are used.
static bool need_indices(const op_view_t *op, const int32_t *dims, int n) {
    const view_t *indices = &op->in[1];
    const auto *data = graph_tensor_data(op->check->engine->model, indices->raw);
    for (int32_t i = 0; data && i < indices->size; ++i) {
        const int32_t index = ((const int32_t *)data->data())[i];
        const int32_t size = dims[i % n];
        if (!NEED_OF(indices, index >= 0 && index < size, "index %d of %d", (int)index, (int)size)) {
            return false;
        }
    }
    return true;
}

bool check_gather(const op_view_t *op) {
    const view_t *input = &op->in[0];
    const view_t *indices = &op->in[1];
    int32_t dims[ENGINE_MAX_RANK];
    int rank = 0;
    int axis;
    int common;
    // Field 1 of the options, later than the schema.
    const int batch_dims = ((const flatbuffers::Table *)op->raw->builtin_options())->GetField<int32_t>(6, 0);
    if (!need_axis(op, ((const TfLiteGatherParams *)op->params)->axis, input->rank, &axis)
        || (batch_dims && !need_axis(op, batch_dims, indices->rank + 1, &common))) {
        return false;
    }
    common = batch_dims < 0 ? batch_dims + indices->rank : batch_dims;
    if (!NEED(common >= 0 && common <= axis, "%d batch dimensions", batch_dims)) {
        return false;
    }
    for (int i = 0; i < common; ++i) {
        if (!NEED_OF(indices, indices->dims[i] == input->dims[i], "dimension %d differs", i)) {
            return false;
        }
    }
    return append(op, input, 0, axis, dims, &rank)
           && append(op, indices, common, indices->rank, dims, &rank)
           && append(op, input, axis + 1, input->rank, dims, &rank)
           && need_shape(op, &op->out, dims, rank) && need_same_scales(op)
           && need_indices(op, &input->dims[axis], 1);
}

bool check_gather_nd(const op_view_t *op) {
    const view_t *input = &op->in[0];
    const view_t *indices = &op->in[1];
    const int last = indices->rank - 1;
    int32_t dims[ENGINE_MAX_RANK];
    int rank = 0;
    return NEED_OF(indices, last >= 0 && indices->dims[last] <= input->rank, "too many indices")
           && append(op, indices, 0, last, dims, &rank)
           && append(op, input, indices->dims[last], input->rank, dims, &rank)
           && need_shape(op, &op->out, dims, rank) && need_same_scales(op)
           && need_indices(op, input->dims, indices->dims[last]);
}

// --- sizes of images ---

static bool need_resize(const op_view_t *op, bool align_corners, bool half_pixel_centers) {
    const view_t *input = &op->in[0];
    const int32_t *size = need_ints(op, &op->in[1], 2);
    if (!size || !need_equal(op, input, "rank", input->rank, 4)) {
        return false;
    }
    const int32_t dims[] = { input->dims[0], size[0], size[1], input->dims[3] };
    bool good = NEED(!align_corners || !half_pixel_centers, "align_corners with half_pixel_centers");
    for (int i = 1; good && i < 3; ++i) {
        good = NEED(dims[i] <= RESIZE_MAX && input->dims[i] <= RESIZE_MAX, "more than %d rows or columns",
            RESIZE_MAX);
    }
    return good && need_shape(op, &op->out, dims, 4) && need_same_scales(op);
}

bool check_resize_nearest_neighbor(const op_view_t *op) {
    const auto *params = (const TfLiteResizeNearestNeighborParams *)op->params;
    return need_resize(op, params->align_corners, params->half_pixel_centers);
}

bool check_resize_bilinear(const op_view_t *op) {
    const auto *params = (const TfLiteResizeBilinearParams *)op->params;
    return need_resize(op, params->align_corners, params->half_pixel_centers);
}
