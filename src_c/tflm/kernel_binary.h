// What the glue of operators with two inputs shares.

#ifndef MICROLITE_TFLM_KERNEL_BINARY_H
#define MICROLITE_TFLM_KERNEL_BINARY_H

#include "kernel.h"

extern "C" {
#include "../kernels/add.h"
#include "../kernels/arithmetic.h"
}

// Computes the output from inputs first and 1 - first.
TfLiteStatus binary(const TfLiteContext *context, const TfLiteNode *node, broadcast_run_t run,
    const void *params, int first = 0);

// The values that a fused activation of int32 leaves.
range_s32_t binary_int_range(TfLiteFusedActivation activation);

// Parameters of sums of quantised inputs, and the factor that brings them to the output.
add_t binary_sum(const TfLiteContext *context, const TfLiteNode *node, int left, int sign, double to_output);

// Twice the larger scale of the inputs.
double binary_scale(const TfLiteContext *context, const TfLiteNode *node);

#endif
