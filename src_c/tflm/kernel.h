// What the glue between TFLM's registrations and the kernels of kernels/ shares. A registration's
// prepare() works out the parameters of a kernel and keeps them in the arena, its invoke() hands
// them to the kernel with the tensors' memory. The model check was before: glue checks nothing.

#ifndef MICROLITE_TFLM_KERNEL_H
#define MICROLITE_TFLM_KERNEL_H

#include "compat.h"

extern "C" {
#include "../kernels/fixed.h"
}

// With TFLM's own kernels for comparison, those win where there are both.
#ifdef MICROLITE_KERNELS_reference
#define KERNEL_LINKAGE __attribute__((weak))
#else
#define KERNEL_LINKAGE
#endif

// Registers an operator: prepare() and invoke() as of TfLiteRegistration, prepare may be nullptr.
#define KERNEL(name, prepare, invoke) \
    namespace tflite { namespace ops { namespace micro { \
    KERNEL_LINKAGE TfLiteRegistration *Register_##name() { \
        static const TfLiteRegistration registration = { nullptr, nullptr, prepare, invoke, nullptr, 0, nullptr, 0 }; \
        return (TfLiteRegistration *)&registration; \
    } \
    } } }

// Kernels of types that a build may leave out.
#ifdef MICROLITE_WITHOUT_float32
#define KERNEL_F32(function) nullptr
#else
#define KERNEL_F32(function) function
#endif
#ifdef MICROLITE_WITHOUT_uint8
#define KERNEL_U8(function) nullptr
#else
#define KERNEL_U8(function) function
#endif

// Whether a type is that one, in a build that does not leave that one out: of types that it leaves
// out the model check lets no tensor pass, and what only they need is not linked.
inline __attribute__((always_inline)) bool kernel_is(TfLiteType type, TfLiteType wanted) {
    #ifdef MICROLITE_WITHOUT_float32
    if (wanted == kTfLiteFloat32) {
        return false;
    }
    #endif
    #ifdef MICROLITE_WITHOUT_uint8
    if (wanted == kTfLiteUInt8) {
        return false;
    }
    #endif
    return type == wanted;
}

// A tensor of a node. An input that is absent is nullptr.
const TfLiteTensor *kernel_in(const TfLiteContext *context, const TfLiteNode *node, int index);
TfLiteTensor *kernel_out(const TfLiteContext *context, const TfLiteNode *node, int index);

// An input that is a variable: what it holds stays until the next run.
TfLiteTensor *kernel_state(const TfLiteContext *context, const TfLiteNode *node, int index);

template <typename T> inline const T *kernel_read(const TfLiteTensor *tensor) {
    return tensor ? (const T *)tensor->data.data : nullptr;
}

template <typename T> inline T *kernel_write(TfLiteTensor *tensor) {
    return (T *)tensor->data.data;
}

// Bytes of one element.
size_t kernel_item_size(const TfLiteTensor *tensor);

// Elements of all dimensions, or of those from first to before last.
int32_t kernel_size(const TfLiteTensor *tensor);
int32_t kernel_size_between(const TfLiteTensor *tensor, int first, int last);

// The size of a dimension as if missing ones in front were 1; the last of rank is the tensor's last.
int32_t kernel_dim(const TfLiteTensor *tensor, int index, int rank);

// Memory that stays as long as the model, zero at first; nullptr when the arena is full, after which
// prepare() returns kTfLiteError. kernel_params() makes it what invoke() finds in node->user_data.
void *kernel_keep(TfLiteContext *context, size_t bytes);
template <typename T> inline T *kernel_params(TfLiteContext *context, TfLiteNode *node) {
    node->user_data = kernel_keep(context, sizeof(T));
    return (T *)node->user_data;
}

// The fixed-point form of a factor.
factor_t kernel_factor(double real);

// The scale of weights for a channel: there is one for each, or one for all.
float kernel_channel_scale(const TfLiteTensor *weights, int channel);

// Keeps the factors in_scale * scale of weights / out_scale of all channels, in two arrays of 5 bytes a
// channel together; false when the arena is full.
bool kernel_channel_factors(TfLiteContext *context, int32_t channels, float in_scale,
    const TfLiteTensor *weights, float out_scale, const int32_t **multipliers, const int8_t **shifts);

// How far the first window of padding SAME reaches over the edge of an image.
int32_t kernel_padding(int32_t in, int32_t out, int32_t filter, int32_t stride, int32_t dilation);

// The numbers that a fused activation of an integer tensor leaves, or the values of a float tensor.
typedef struct {
    int32_t least;
    int32_t most;
} kernel_range_t;
kernel_range_t kernel_range(TfLiteFusedActivation activation, const TfLiteTensor *output);

typedef struct {
    float least;
    float most;
} kernel_float_range_t;
kernel_float_range_t kernel_float_range(TfLiteFusedActivation activation);

#endif
