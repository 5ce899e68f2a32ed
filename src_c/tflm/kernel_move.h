// What the glue of operators that move values shares.

#ifndef MICROLITE_TFLM_KERNEL_MOVE_H
#define MICROLITE_TFLM_KERNEL_MOVE_H

#include "kernel.h"

extern "C" {
#include "../kernels/move.h"
}

inline int32_t dim(const TfLiteTensor *tensor, int axis) {
    return tensor->dims->data[axis];
}

// Elements from one to the next along an axis.
inline int32_t stride(const TfLiteTensor *tensor, int axis) {
    return kernel_size_between(tensor, axis + 1, tensor->dims->size);
}

// Counts a negative axis from the end.
inline int axis_of(int axis, int rank) {
    return axis < 0 ? axis + rank : axis;
}

// Runs a move from an element of a tensor to an element of another.
inline void move_between(move_t *move, const TfLiteTensor *in, int32_t from, TfLiteTensor *out, int32_t to) {
    const int32_t item = (int32_t)kernel_item_size(out);
    move_run(move, (const char *)in->data.data + from * item, (char *)out->data.data + to * item, item);
}

// Sets all elements to a value.
inline void fill_with(TfLiteTensor *tensor, const void *value) {
    move_t move = {};
    move_add(&move, kernel_size(tensor), 0, 1);
    move_run(&move, value, tensor->data.data, (int32_t)kernel_item_size(tensor));
}

// Sets all elements to the number that stands for 0.
inline void fill_with_zero(TfLiteTensor *tensor) {
    const bool quantised = tensor->type == kTfLiteInt8 || tensor->type == kTfLiteUInt8
        || tensor->type == kTfLiteInt16;
    const int64_t zero = quantised ? tensor->params.zero_point : 0;
    fill_with(tensor, &zero);
}

#endif
