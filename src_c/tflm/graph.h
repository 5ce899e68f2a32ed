// Reading a model: sizes and data of its tensors, the codes of its operators.

#ifndef MICROLITE_TFLM_GRAPH_H
#define MICROLITE_TFLM_GRAPH_H

#include "compat.h"

#include <stddef.h>
#include <stdint.h>

// Indices of tensors, in an operator or a graph.
typedef flatbuffers::Vector<int32_t> indices_t;

// Bytes of one element; 0 for types without a fixed size or unknown ones.
size_t graph_type_size(int type);

// Bytes of a tensor, or -1 when its shape is impossible or it takes more than INT32_MAX.
int64_t graph_tensor_bytes(const tflite::Tensor *tensor);

// The data of a constant, nullptr for any other tensor.
const flatbuffers::Vector<uint8_t> *graph_tensor_data(const tflite::Model *model,
    const tflite::Tensor *tensor);

const char *graph_tensor_name(const tflite::Tensor *tensor);

// The tensors of an operator. Models may leave an empty list out.
const indices_t *graph_inputs(const tflite::Operator *op);
const indices_t *graph_outputs(const tflite::Operator *op);

// nullptr when the operator's index is not one of the model's operator codes.
const tflite::OperatorCode *graph_op_code(const tflite::Model *model, const tflite::Operator *op);

// The tensor's quantisation when it has scales and zero points, else nullptr.
const tflite::QuantizationParameters *graph_quantization(const tflite::Tensor *tensor);

// A zero point; the verifier does not see to it that they are aligned.
int64_t graph_zero_point(const tflite::QuantizationParameters *quantization, size_t index);

#endif
