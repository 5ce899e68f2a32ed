// AVERAGE_POOL_2D and MAX_POOL_2D. Nothing is kept in the arena.

#include "kernel.h"

extern "C" {
#include "../kernels/pool.h"
}

static pool_t geometry(const TfLitePoolParams *params, const TfLiteTensor *in, const TfLiteTensor *out) {
    pool_t pool = {};
    pool.batches = out->dims->data[0];
    pool.in_height = in->dims->data[1];
    pool.in_width = in->dims->data[2];
    pool.out_height = out->dims->data[1];
    pool.out_width = out->dims->data[2];
    pool.channels = out->dims->data[3];
    pool.filter_height = params->filter_height;
    pool.filter_width = params->filter_width;
    pool.stride_height = params->stride_height;
    pool.stride_width = params->stride_width;
    if (params->padding == kTfLitePaddingSame) {
        pool.pad_height = kernel_padding(pool.in_height, pool.out_height, pool.filter_height, pool.stride_height, 1);
        pool.pad_width = kernel_padding(pool.in_width, pool.out_width, pool.filter_width, pool.stride_width, 1);
    }
    return pool;
}

// The kernels of one way of pooling.
typedef struct {
    void (*s8)(const pool_t *, int32_t, int32_t, const int8_t *, int8_t *);
    void (*u8)(const pool_t *, int32_t, int32_t, const uint8_t *, uint8_t *);
    void (*s16)(const pool_t *, int32_t, int32_t, const int16_t *, int16_t *);
    void (*f32)(const pool_t *, float, float, const float *, float *);
} kernels_t;

static TfLiteStatus invoke(TfLiteContext *context, TfLiteNode *node, const kernels_t *kernels) {
    const auto *params = (const TfLitePoolParams *)node->builtin_data;
    const TfLiteTensor *in = kernel_in(context, node, 0);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const pool_t pool = geometry(params, in, out);
    if (kernel_is(out->type, kTfLiteFloat32)) {
        const kernel_float_range_t range = kernel_float_range(params->activation);
        kernels->f32(&pool, range.least, range.most, kernel_read<float>(in), kernel_write<float>(out));
        return kTfLiteOk;
    }
    const kernel_range_t range = kernel_range(params->activation, out);
    if (out->type == kTfLiteInt8) {
        kernels->s8(&pool, range.least, range.most, kernel_read<int8_t>(in), kernel_write<int8_t>(out));
    } else if (kernel_is(out->type, kTfLiteUInt8)) {
        kernels->u8(&pool, range.least, range.most, kernel_read<uint8_t>(in), kernel_write<uint8_t>(out));
    } else {
        kernels->s16(&pool, range.least, range.most, kernel_read<int16_t>(in), kernel_write<int16_t>(out));
    }
    return kTfLiteOk;
}

static TfLiteStatus invoke_average(TfLiteContext *context, TfLiteNode *node) {
    static const kernels_t kernels = { average_pool_s8, KERNEL_U8(average_pool_u8), average_pool_s16,
                                       KERNEL_F32(average_pool_f32) };
    return invoke(context, node, &kernels);
}

static TfLiteStatus invoke_max(TfLiteContext *context, TfLiteNode *node) {
    static const kernels_t kernels = { max_pool_s8, KERNEL_U8(max_pool_u8), max_pool_s16,
                                       KERNEL_F32(max_pool_f32) };
    return invoke(context, node, &kernels);
}

KERNEL(AVERAGE_POOL_2D, nullptr, invoke_average)
KERNEL(MAX_POOL_2D, nullptr, invoke_max)
