// MEAN, SUM, REDUCE_MAX and REDUCE_MIN.

#include "kernel.h"

extern "C" {
#include "../kernels/reduce.h"
}

typedef reduce_row_t rows_t[6];

// The place of a type in the tables of rows.
static int type_place(TfLiteType type) {
    switch (type) {
        case kTfLiteFloat32:
            return 0;
        case kTfLiteInt8:
            return 1;
        case kTfLiteUInt8:
            return 2;
        case kTfLiteInt16:
            return 3;
        case kTfLiteInt32:
            return 4;
        default:
            return 5;
    }
}

static reduce_t shape_of(const TfLiteContext *context, const TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    const TfLiteTensor *axes = kernel_in(context, node, 1);
    const int rank = in->dims->size;
    uint32_t mask = 0;
    for (int i = 0; i < kernel_size(axes); ++i) {
        const int axis = kernel_read<int32_t>(axes)[i];
        mask |= 1u << (axis < 0 ? axis + rank : axis);
    }
    reduce_t shape;
    reduce_init(&shape);
    for (int i = rank - 1; i >= 0; --i) {
        reduce_add(&shape, in->dims->data[i], mask >> i & 1);
    }
    return shape;
}

static bool is_scaled(const TfLiteTensor *tensor) {
    return tensor->type == kTfLiteInt8 || kernel_is(tensor->type, kTfLiteUInt8) || tensor->type == kTfLiteInt16;
}

template <bool mean>
static TfLiteStatus prepare_sum(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    const TfLiteTensor *out = kernel_out(context, node, 0);
    if (!is_scaled(in)) {
        return kTfLiteOk;
    }
    auto *params = kernel_params<reduce_params_t>(context, node);
    if (!params) {
        return kTfLiteError;
    }
    factor_t factor = kernel_factor((double)in->params.scale / out->params.scale);
    if (mean) {
        // The multiplier keeps its bits while it is divided, as far as the shift goes.
        const int32_t count = shape_of(context, node).reduced.size;
        const int bits = 31 - __builtin_clz((uint32_t)count);
        const int shift = bits < 31 + factor.shift ? bits : 31 + factor.shift;
        factor.multiplier = (int32_t)(((int64_t)factor.multiplier << shift) / count);
        factor.shift -= shift;
    }
    *params = { factor, (int16_t)in->params.zero_point, (int16_t)out->params.zero_point };
    return kTfLiteOk;
}

static TfLiteStatus invoke_reduce(TfLiteContext *context, TfLiteNode *node, const rows_t &rows,
    reduce_end_t end_float, reduce_end_t end_int) {
    const TfLiteTensor *in = kernel_in(context, node, 0);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const reduce_t shape = shape_of(context, node);
    const size_t item_size = kernel_item_size(in);
    const void *params = &item_size;
    reduce_end_t end = kernel_is(in->type, kTfLiteFloat32) ? end_float : end_int;
    if (node->user_data) {
        params = node->user_data;
        end = in->type == kTfLiteInt8 ? scaled_s8 : kernel_is(in->type, kTfLiteUInt8) ? scaled_u8 : scaled_s16;
    }
    reduce(&shape, rows[type_place(in->type)], end, params, in->data.data, item_size, out->data.data);
    return kTfLiteOk;
}

static const rows_t sum_rows = { sum_f32, sum_s8, sum_u8, sum_s16, sum_s32, sum_s64 };

static TfLiteStatus invoke_mean(TfLiteContext *context, TfLiteNode *node) {
    return invoke_reduce(context, node, sum_rows, mean_f32, mean_int);
}

static TfLiteStatus invoke_sum(TfLiteContext *context, TfLiteNode *node) {
    return invoke_reduce(context, node, sum_rows, value_f32, value_int);
}

static TfLiteStatus invoke_reduce_max(TfLiteContext *context, TfLiteNode *node) {
    static const rows_t rows = { most_f32, most_s8, most_u8, most_s16, most_s32, most_s64 };
    return invoke_reduce(context, node, rows, value_f32, value_int);
}

static TfLiteStatus invoke_reduce_min(TfLiteContext *context, TfLiteNode *node) {
    static const rows_t rows = { least_f32, least_s8, least_u8, least_s16, least_s32, least_s64 };
    return invoke_reduce(context, node, rows, value_f32, value_int);
}

KERNEL(MEAN, prepare_sum<true>, invoke_mean)
KERNEL(SUM, prepare_sum<false>, invoke_sum)
KERNEL(REDUCE_MAX, nullptr, invoke_reduce_max)
KERNEL(REDUCE_MIN, nullptr, invoke_reduce_min)
