// EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, LESS and LESS_EQUAL.

#include "kernel_binary.h"

extern "C" {
#include "../kernels/compare.h"
}

// Runs by type.
typedef struct {
    broadcast_run_t f32;
    broadcast_run_t s8;
    broadcast_run_t u8;
    broadcast_run_t s16;
    broadcast_run_t s32;
    broadcast_run_t s64;
    broadcast_run_t truth;
} runs_t;

static bool is_scaled(const TfLiteTensor *tensor) {
    return tensor->type == kTfLiteInt8 || kernel_is(tensor->type, kTfLiteUInt8) || tensor->type == kTfLiteInt16;
}

// Compares inputs first and 1 - first: "greater" is "less" with the inputs exchanged.
static TfLiteStatus prepare_compare(TfLiteContext *context, TfLiteNode *node, int first, bool opposite) {
    const TfLiteTensor *a = kernel_in(context, node, first);
    const TfLiteTensor *b = kernel_in(context, node, 1 - first);
    if (!is_scaled(a)) {
        return kTfLiteOk;
    }
    auto *params = kernel_params<compare_t>(context, node);
    if (!params) {
        return kTfLiteError;
    }
    const factor_t a_factor = kernel_factor(a->params.scale);
    const factor_t b_factor = kernel_factor(b->params.scale);
    *params = { a_factor.multiplier, b_factor.multiplier, (int16_t)a->params.zero_point,
                (int16_t)b->params.zero_point, (int8_t)a_factor.shift, (int8_t)b_factor.shift, opposite };
    return kTfLiteOk;
}

static TfLiteStatus invoke_compare(TfLiteContext *context, TfLiteNode *node, const runs_t &runs, int first,
    bool opposite) {
    const TfLiteType type = kernel_in(context, node, 0)->type;
    compare_t params = {};
    params.opposite = opposite;
    return binary(context, node, kernel_is(type, kTfLiteFloat32) ? runs.f32
        : type == kTfLiteInt8 ? runs.s8
        : kernel_is(type, kTfLiteUInt8) ? runs.u8
        : type == kTfLiteInt16 ? runs.s16
        : type == kTfLiteInt32 ? runs.s32
        : type == kTfLiteInt64 ? runs.s64
        : runs.truth, node->user_data ? node->user_data : &params, first);
}

static const runs_t equal_runs = { equal_f32, equal_s8, equal_u8, equal_s16, equal_s32, equal_s64, equal_bool };
static const runs_t less_runs = { less_f32, less_s8, less_u8, less_s16, less_s32, less_s64, nullptr };
static const runs_t less_equal_runs = {
    less_equal_f32, less_equal_s8, less_equal_u8, less_equal_s16, less_equal_s32, less_equal_s64, nullptr,
};

#define COMPARE(name, runs, first, opposite) \
    static TfLiteStatus prepare_##name(TfLiteContext *context, TfLiteNode *node) { \
        return prepare_compare(context, node, first, opposite); \
    } \
    static TfLiteStatus invoke_##name(TfLiteContext *context, TfLiteNode *node) { \
        return invoke_compare(context, node, runs, first, opposite); \
    } \
    KERNEL(name, prepare_##name, invoke_##name)
COMPARE(EQUAL, equal_runs, 0, false)
COMPARE(NOT_EQUAL, equal_runs, 0, true)
COMPARE(GREATER, less_runs, 1, false)
COMPARE(GREATER_EQUAL, less_equal_runs, 1, false)
COMPARE(LESS, less_runs, 0, false)
COMPARE(LESS_EQUAL, less_equal_runs, 0, false)
