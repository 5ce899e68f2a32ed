// TensorFlow Lite models on memory that the caller owns.
//
// An engine lives in a block of engine_size() bytes, aligned to 8. It is opened on a model,
// which is checked first, then loaded into an arena, then run one operator at a time. The
// block, the model and the arena belong to the caller, stay where they are and outlive every
// call but engine_close(). The engine allocates nothing, prints nothing and never jumps out.
// It may be used by one thread at a time; different engines are independent.

#ifndef MICROLITE_ENGINE_H
#define MICROLITE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ENGINE_ALIGN        (16)    // alignment of the model and of the arena
#define ENGINE_MAX_RANK     (5)
#define ENGINE_PROBLEM_SIZE (160)
#define ENGINE_LOG_SIZE     (192)

typedef enum {
    ENGINE_OK         = 0,
    ENGINE_MORE       = 1,      // engine_step: operators are left to run
    ENGINE_ERR_ARENA  = -1,     // the arena is too small: error.needed, given, exact, stage
    ENGINE_ERR_MODEL  = -2,     // not a model, damaged or inconsistent: error.problem
    ENGINE_ERR_OP     = -3,     // operators that this build lacks: engine_missing_op()
    ENGINE_ERR_INVOKE = -4,     // a kernel failed: error.op_index, op, log
    ENGINE_ERR_STATE  = -5,     // the call does not fit the engine's state
} engine_status_t;

typedef enum {
    ENGINE_CLOSED,      // no model
    ENGINE_OPEN,        // model checked, no arena
    ENGINE_READY,       // loaded; outputs hold the results of the last complete run, if any
    ENGINE_INVOKING,    // begun and not finished; engine_begin() starts over
    ENGINE_FAILED,      // a kernel failed; engine_begin() starts over
    ENGINE_BROKEN,      // an assertion fired in a kernel; only engine_close() is left
} engine_state_t;

// The values are those of TensorType in the TFLite schema.
typedef enum {
    ENGINE_FLOAT32   = 0,
    ENGINE_FLOAT16   = 1,
    ENGINE_INT32     = 2,
    ENGINE_UINT8     = 3,
    ENGINE_INT64     = 4,
    ENGINE_STRING    = 5,
    ENGINE_BOOL      = 6,
    ENGINE_INT16     = 7,
    ENGINE_COMPLEX64 = 8,
    ENGINE_INT8      = 9,
} engine_type_t;

// A tensor as it stands in the model. Everything pointed to belongs to the model, but for
// data, which lies in the arena (in the model when the tensor is a constant).
typedef struct {
    const char *name;               // never NULL, may be empty
    void *data;                     // NULL until the engine is loaded
    size_t nbytes;
    size_t size;                    // elements
    const int32_t *shape;           // rank entries
    const float *scales;            // one, or one per slice along quantized_dimension
    const int64_t *zero_points;     // as many as scales, or one for all; perhaps not aligned
    uint32_t n_scales;              // 0 when the tensor is not quantised
    uint32_t n_zero_points;
    int32_t quantized_dimension;
    uint8_t rank;
    uint8_t type;                   // engine_type_t
    bool constant;
    bool overwritten;               // an input that a run leaves with other contents; known once loaded
} engine_tensor_t;

// What the last failed call left. Strings are NUL-terminated ASCII without control characters.
typedef struct {
    size_t needed;                      // ARENA: least arena size, or a lower bound of it
    size_t given;                       // ARENA: bytes that were there
    const char *stage;                  // ARENA: what did not fit: "tensors", "operators" or "activations"
    const char *op;                     // INVOKE, or a MODEL error of one operator: its name, else NULL
    int32_t op_index;                   // the operator's index, else -1
    bool exact;                         // ARENA: needed is the least size, not only a bound
    char problem[ENGINE_PROBLEM_SIZE];  // MODEL: what is wrong, with the numbers
    char log[ENGINE_LOG_SIZE];          // TFLM's own lines, joined by "; "; cut when too long
} engine_error_t;

typedef struct _engine_t engine_t;

// Compiled into both sides of this header; when they differ the two do not fit together.
#define ENGINE_ABI ((uint32_t)(1u << 24 | sizeof(engine_status_t) << 20 | sizeof(size_t) << 16 \
        | sizeof(engine_tensor_t) << 9 | sizeof(engine_error_t) >> 2))
uint32_t engine_abi(void);

// Bytes that an engine's block needs.
size_t engine_size(void);

// Checks the model and looks its operators up. The block needs no preparation. On failure
// (MODEL, OP) the engine is closed, but engine_error() and engine_missing_op() still answer.
engine_status_t engine_open(engine_t *engine, const void *model, size_t size);

// Gets one line for each problem of a model, in words, at most one for each tensor and operator.
typedef void (*engine_report_t)(void *context, const char *problem);

// engine_open() that goes on after the first problem and reports all of them. OP comes before
// MODEL when the model has both kinds of fault.
engine_status_t engine_check(engine_t *engine, const void *model, size_t size, engine_report_t report,
    void *context);

// A lower bound of the arena size, from the model alone.
size_t engine_arena_floor(const engine_t *engine);

// Between open and load: all inputs get memory of their own, which no run writes into. That makes
// the arena larger. An engine that is opened again has forgotten it.
engine_status_t engine_keep_inputs(engine_t *engine);

#ifdef MICROLITE_VARIANTS
// Between open and load: which kernels operators use, the first n of them; 0 is the default, and those
// behind n use it too. STATE when an operator lacks what is chosen. The array stays until the engine is loaded.
engine_status_t engine_use_variants(engine_t *engine, const uint8_t *variants, size_t n);

// The name of kernel `variant`, from 1, or NULL past the last; and whether operator index has it.
const char *engine_variant(size_t variant);
bool engine_has_variant(const engine_t *engine, size_t index, size_t variant);
#endif

// Prepares all operators in the arena, which is zeroed first. When it is too small, ARENA
// with error.needed > size, never more than the least size; the engine is open as before and
// may be loaded again. Repeating with error.needed ends at exactly the least size.
engine_status_t engine_load(engine_t *engine, void *arena, size_t size);

// The least size of arena for this model; 0 until it was loaded.
size_t engine_arena_needed(const engine_t *engine);

// Starts a run; an unfinished one is given up.
engine_status_t engine_begin(engine_t *engine);

// Runs the next operator: MORE, or OK after the last one. ERR_INVOKE ends the run.
engine_status_t engine_step(engine_t *engine);

// Index of the operator that engine_step() would run next.
size_t engine_next_op(const engine_t *engine);

// Sets the variables of the model back to their initial values and gives up an unfinished run.
engine_status_t engine_reset(engine_t *engine);

// Lets go of model and arena. May be called in any state, more than once.
void engine_close(engine_t *engine);

engine_state_t engine_state(const engine_t *engine);
const engine_error_t *engine_error(const engine_t *engine);

size_t engine_n_inputs(const engine_t *engine);
size_t engine_n_outputs(const engine_t *engine);
size_t engine_n_ops(const engine_t *engine);
void engine_input(const engine_t *engine, size_t index, engine_tensor_t *tensor);
void engine_output(const engine_t *engine, size_t index, engine_tensor_t *tensor);

// The name of operator index of the model, such as "CONV_2D" or a custom operator's own.
const char *engine_op(const engine_t *engine, size_t index);

// The names of the operators that the model needs and this build lacks, each once; NULL when
// index is past the last.
const char *engine_missing_op(const engine_t *engine, size_t index);

// The names of the operators in this build; NULL when index is past the last.
const char *engine_builtin_op(size_t index);

// Which kernels this build has: "reference" (TFLM's), "portable" (plain C) or "dsp" (Arm's extension).
const char *engine_kernels(void);

// The library under the engine, in words.
const char *engine_library(void);

#ifdef __cplusplus
}
#endif

#endif
