// Variables: memory with a name. VAR_HANDLE gives a tensor of type RESOURCE that stands for it,
// READ_VARIABLE and ASSIGN_VARIABLE copy from it and to it, and the subgraph that a CALL_ONCE names
// assigns constants to it: its initial values. All operators with one name mean the same variable.

#ifndef MICROLITE_TFLM_VARIABLES_H
#define MICROLITE_TFLM_VARIABLES_H

#include "internal.h"

// Whether this build has the operator and it is of that kind.
bool variables_is_op(const engine_t *engine, const tflite::Operator *op, int code);

// The VAR_HANDLE of a graph that gives a tensor, or nullptr.
const tflite::Operator *variables_handle(const engine_t *engine, const tflite::SubGraph *graph, int32_t tensor);

// The subgraph of a CALL_ONCE, or nullptr when there is none such.
const tflite::SubGraph *variables_subgraph(const engine_t *engine, const tflite::Operator *call_once);

// A tensor that is read from the variable of a VAR_HANDLE or assigned to it, by one of the first
// n_ops operators or in a subgraph that they call. nullptr when there is none.
const tflite::Tensor *variables_value(const engine_t *engine, const tflite::Operator *handle, size_t n_ops);

// The bytes that all variables take in the arena.
size_t variables_bytes(const engine_t *engine);

// Gives all variables their memory, by which handles then stand for them. False when the arena is full.
bool variables_make(engine_t *engine);

// Sets the variables to their initial values, as far as they have any.
void variables_reset(engine_t *engine);

#endif
