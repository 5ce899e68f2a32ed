// Reading a model, see graph.h.

#include "graph.h"

#include <string.h>

size_t graph_type_size(int type) {
    // FLOAT32 FLOAT16 INT32 UINT8 INT64 STRING BOOL INT16 COMPLEX64 INT8, three unknown, RESOURCE
    static const uint8_t sizes[] = { 4, 2, 4, 1, 8, 0, 1, 2, 8, 1, 0, 0, 0, 4 };
    return type >= 0 && type < (int)sizeof(sizes) ? sizes[type] : 0;
}

int64_t graph_tensor_bytes(const tflite::Tensor *tensor) {
    int64_t bytes = (int64_t)graph_type_size(tensor->type());
    for (size_t i = 0; tensor->shape() && i < tensor->shape()->size(); ++i) {
        int32_t dim = tensor->shape()->Get(i);
        if (dim < 0 || bytes * dim > INT32_MAX) {
            return -1;
        }
        bytes *= dim;
    }
    return bytes;
}

const flatbuffers::Vector<uint8_t> *graph_tensor_data(const tflite::Model *model,
    const tflite::Tensor *tensor) {
    if (tensor->buffer() >= model->buffers()->size()) {
        return nullptr;
    }
    const auto *data = model->buffers()->Get(tensor->buffer())->data();
    return data && data->size() ? data : nullptr;
}

const char *graph_tensor_name(const tflite::Tensor *tensor) {
    return tensor->name() ? tensor->name()->c_str() : "";
}

static const indices_t *list(const indices_t *indices) {
    static const uint32_t empty = 0;
    return indices ? indices : (const indices_t *)&empty;
}

const indices_t *graph_inputs(const tflite::Operator *op) {
    return list(op->inputs());
}

const indices_t *graph_outputs(const tflite::Operator *op) {
    return list(op->outputs());
}

const tflite::OperatorCode *graph_op_code(const tflite::Model *model, const tflite::Operator *op) {
    const auto *codes = model->operator_codes();
    return op->opcode_index() < codes->size() ? codes->Get(op->opcode_index()) : nullptr;
}

const tflite::QuantizationParameters *graph_quantization(const tflite::Tensor *tensor) {
    const tflite::QuantizationParameters *quantization = tensor->quantization();
    return quantization && quantization->scale() && quantization->scale()->size()
        && quantization->zero_point() && quantization->zero_point()->size() ? quantization : nullptr;
}

int64_t graph_zero_point(const tflite::QuantizationParameters *quantization, size_t index) {
    int64_t value;
    memcpy(&value, quantization->zero_point()->Data() + index * sizeof(value), sizeof(value));
    return value;
}
