// BATCH_MATMUL.

#include "kernel.h"

extern "C" {
#include "../kernels/batch_matmul.h"
}

#define MAX_RANK (BATCH_MATMUL_MAX_BATCHES + 2)

// Steps through an input; is_lines: the last but one dimension counts rows of a or columns of b.
static batch_matmul_steps_t steps_of(const TfLiteTensor *in, bool is_lines) {
    const int32_t inner = kernel_dim(in, MAX_RANK - 1, MAX_RANK);
    batch_matmul_steps_t steps = { {}, is_lines ? inner : 1, is_lines ? 1 : inner };
    int32_t size = inner * kernel_dim(in, MAX_RANK - 2, MAX_RANK);
    for (int i = BATCH_MATMUL_MAX_BATCHES - 1; i >= 0; --i) {
        const int32_t dim = kernel_dim(in, i, MAX_RANK);
        steps.batches[i] = dim > 1 ? size : 0;
        size *= dim;
    }
    return steps;
}

static batch_matmul_t params_of(const TfLiteContext *context, const TfLiteNode *node) {
    const auto *options = (const TfLiteBatchMatMulParams *)node->builtin_data;
    const TfLiteTensor *a = kernel_in(context, node, 0);
    const TfLiteTensor *out = kernel_out(context, node, 0);
    batch_matmul_t params = { {}, kernel_dim(out, MAX_RANK - 2, MAX_RANK),
                              kernel_dim(out, MAX_RANK - 1, MAX_RANK),
                              kernel_dim(a, options->adj_x ? MAX_RANK - 2 : MAX_RANK - 1, MAX_RANK),
                              steps_of(a, !options->adj_x),
                              steps_of(kernel_in(context, node, 1), options->adj_y) };
    for (int i = 0; i < BATCH_MATMUL_MAX_BATCHES; ++i) {
        params.batches[i] = kernel_dim(out, i, MAX_RANK);
    }
    return params;
}

static TfLiteStatus prepare(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *out = kernel_out(context, node, 0);
    if (kernel_is(out->type, kTfLiteFloat32)) {
        return kTfLiteOk;
    }
    auto *factor = kernel_params<factor_t>(context, node);
    if (!factor) {
        return kTfLiteError;
    }
    const float product = kernel_in(context, node, 0)->params.scale
        * kernel_in(context, node, 1)->params.scale;
    *factor = kernel_factor((double)product / out->params.scale);
    return kTfLiteOk;
}

static TfLiteStatus invoke(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *a = kernel_in(context, node, 0);
    const TfLiteTensor *b = kernel_in(context, node, 1);
    TfLiteTensor *out = kernel_out(context, node, 0);
    const batch_matmul_t params = params_of(context, node);
    if (kernel_is(out->type, kTfLiteFloat32)) {
        batch_matmul(&params, BATCH_MATMUL_F32, nullptr, a->data.data, b->data.data, out->data.data);
        return kTfLiteOk;
    }
    const batch_matmul_scale_t scale = { *(const factor_t *)node->user_data, -a->params.zero_point,
                                         -b->params.zero_point, out->params.zero_point };
    const batch_matmul_kind_t kind = out->type == kTfLiteInt8 ? BATCH_MATMUL_S8 : BATCH_MATMUL_S16;
    batch_matmul(&params, kind, &scale, a->data.data, b->data.data, out->data.data);
    return kTfLiteOk;
}

KERNEL(BATCH_MATMUL, prepare, invoke)
