// Whether the structure of a model lies within its bytes: every table, vector and string that
// the engine and TFLM read, with the alignment that they are read with, but for zero points. What
// nobody reads is not looked at.

#ifndef MICROLITE_TFLM_VERIFY_H
#define MICROLITE_TFLM_VERIFY_H

#include "compat.h"

#include <stddef.h>

// The model, but for the options of operators. data is aligned to ENGINE_ALIGN.
bool verify_model(const void *data, size_t size);

// The options of an operator. Tables of a kind that no operator of ops.def has are not read.
bool verify_options(const void *data, size_t size, const tflite::Operator *op);

#endif
