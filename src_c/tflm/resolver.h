// The operators of this build: a constant table made from ops.def.

#ifndef MICROLITE_TFLM_RESOLVER_H
#define MICROLITE_TFLM_RESOLVER_H

#include "compat.h"

extern "C" {
#include "../kernels/dsp.h"
}

#define OP_MANY (255)
#define OP_NONE (255)
#define OP_ANY  (254)

struct op_view_t;

// Kernels of an operator besides the first one, by their names in kernels/variant.h.
#ifdef MICROLITE_VARIANTS
#if KERNELS_DSP
#define OP_VARIANTS(V, name) V(portable, name) V(small, name)
#else
#define OP_VARIANTS(V, name) V(small, name)
#endif
#define OP_MAX_VARIANTS (2)
#endif

typedef struct {
    TfLiteRegistration *(*kernel)();
    #ifdef MICROLITE_VARIANTS
    TfLiteRegistration *(*variants[OP_MAX_VARIANTS])();     // nullptr: the operator lacks it
    #endif
    bool (*check)(const op_view_t *op);     // what its kernel needs beyond the rest of this row
    const char *types;
    uint8_t code;               // tflite::BuiltinOperator
    uint8_t min_inputs;
    uint8_t max_inputs;         // OP_MANY: no limit
    uint8_t max_outputs;        // OP_MANY: no limit
    uint8_t optional_input;     // OP_NONE: none; OP_ANY: those that the rule allows
    uint8_t options;            // tflite::BuiltinOptions that must be there
} op_row_t;

// The row of an operator, or nullptr when this build lacks it. Versions do not count: what an
// operator asks for is checked instead.
const op_row_t *op_find(const tflite::OperatorCode *code);

// The builtin code of an operator; newer models keep it in a second field.
int32_t op_code(const tflite::OperatorCode *code);

// The operator's name: of a custom operator its own, of one that this schema does not know
// "BUILTIN_" and its number, written into buf.
#define OP_NAME_SIZE (24)
const char *op_name(const tflite::OperatorCode *code, char buf[OP_NAME_SIZE]);

#ifdef MICROLITE_VARIANTS
// The name of a variant, or nullptr past the last.
const char *op_variant_name(size_t index);
#endif

// The name of row index, or nullptr past the last.
const char *op_row_name(size_t index);

#endif
