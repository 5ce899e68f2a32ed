// The words of the model check: an operator, its tensors, and what is needed of them. Every
// need_...() that is not met tells the problem and returns false.

#ifndef MICROLITE_TFLM_CHECK_OP_H
#define MICROLITE_TFLM_CHECK_OP_H

#include "internal.h"

typedef const tflite::Tensor *tensor_t;

typedef struct {
    engine_t *engine;
    const void *data;           // the file
    size_t size;
    engine_report_t report;     // nullptr: the check ends at the first problem
    void *context;
    bool quiet;
    bool good;
    uint32_t n_entries;         // of the lists of operators
} check_t;

// A tensor of an operator, as far as rules look at it.
typedef struct {
    tensor_t raw;               // nullptr: absent, all else is 0
    const int32_t *dims;
    int32_t rank;
    int32_t size;               // elements
    int32_t n_scales;           // 0 when not quantised
    float scale;                // the first, 0 when not quantised
    int32_t zero_point;
    char type;                  // the letter of ops.def
    bool is_quantised_type;     // values stand for real numbers by scale and zero point
} view_t;

#define MAX_VIEWS (5)

struct op_view_t {
    check_t *check;
    const tflite::Operator *raw;
    size_t index;
    const void *params;         // as the kernel gets them, such as TfLiteConvParams
    view_t in[MAX_VIEWS];       // the first inputs
    view_t out;                 // the first output
};

void op_view(op_view_t *op);
size_t n_in(const op_view_t *op);
size_t n_out(const op_view_t *op);
void view_in(const op_view_t *op, size_t i, view_t *view);
void view_out(const op_view_t *op, size_t i, view_t *view);

// Tell a problem of the model or a tensor, or of an operator or a tensor of it; all return false.
bool tell(check_t *check, tensor_t tensor, const char *format, ...);
bool tell_op(const op_view_t *op, const char *format, ...);
bool tell_op_tensor(const op_view_t *op, tensor_t tensor, const char *format, ...);

// Whether a tensor has a type, shape, data and quantisation that can be; tells nothing.
bool is_good_tensor(check_t *check, tensor_t tensor);

#define NEED(condition, ...) ((condition) || (tell_op(op, __VA_ARGS__), false))
#define NEED_OF(view, condition, ...) ((condition) || (tell_op_tensor(op, (view)->raw, __VA_ARGS__), false))

bool need_types(const op_view_t *op, const char *types);

// --- shapes ---

// "rank 3, 4 is needed"
bool need_equal(const op_view_t *op, const view_t *view, const char *what, int32_t value, int32_t needed);
// The rank is 4 at most.
bool need_rank_4(const op_view_t *op, const view_t *view);
bool need_shape(const op_view_t *op, const view_t *view, const int32_t *dims, int32_t rank);

// The output has the shape of the first input.
bool need_same_shape(const op_view_t *op);

// The output has the shape that both inputs broadcast to; the kernel can do it up to max_rank.
bool need_broadcast(const op_view_t *op, int max_rank);

// Shapes of inputs and output by one letter a dimension, such as "BI OI O>BO": the same letter is
// the same size everywhere, a digit that size, * any shape.
typedef struct {
    int32_t dims[64];
    int32_t operator[](char letter) const {
        return dims[letter & 63];
    }
} sizes_t;
bool need_shapes(const op_view_t *op, const char *shapes, sizes_t *sizes);

// The values of a constant int32 tensor of n elements, nullptr when it is not one.
const int32_t *need_ints(const op_view_t *op, const view_t *view, int32_t n);

// Counts a negative axis from the end.
bool need_axis(const op_view_t *op, int axis, int rank, int *place);

// Elements beside a tensor: not negative, and far from overflow.
bool need_padding(const op_view_t *op, int32_t padding);

// --- quantisation ---

// A tensor of 8- or 16-bit integers has one scale and zero point.
bool need_quantised(const op_view_t *op, const view_t *view);
bool need_all_quantised(const op_view_t *op);

// 16-bit values have their zero point at 0, so that differences from it stay of 16 bits.
bool need_centred(const op_view_t *op, const view_t *view);

// Values go from inputs to outputs as they are: all mean the same by them, or do not say.
bool need_same_scales(const op_view_t *op);

// A fixed-point factor for integers up to the limit stays within 32 bits.
bool need_multiplier(const op_view_t *op, float multiplier, float limit);

// The fused activation is one that kernels have, and fits the output's scale.
bool need_activation(const op_view_t *op, int activation);
bool need_no_activation(const op_view_t *op, int activation);

#endif
