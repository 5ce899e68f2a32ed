// What a model says of itself: its inputs, outputs and operators.

#include "internal.h"
#include "../kernels/dsp.h"

#include <string.h>

size_t engine_n_inputs(const engine_t *engine) {
    return engine->graph ? engine->graph->inputs()->size() : 0;
}

size_t engine_n_outputs(const engine_t *engine) {
    return engine->graph ? engine->graph->outputs()->size() : 0;
}

size_t engine_n_ops(const engine_t *engine) {
    return engine->graph ? engine->graph->operators()->size() : 0;
}

static void describe_quantization(const tflite::Tensor *source, engine_tensor_t *tensor) {
    const tflite::QuantizationParameters *quantization = graph_quantization(source);
    if (quantization) {
        tensor->n_scales = quantization->scale()->size();
        tensor->n_zero_points = quantization->zero_point()->size();
        tensor->scales = quantization->scale()->data();
        tensor->zero_points = quantization->zero_point()->data();
        tensor->quantized_dimension = quantization->quantized_dimension();
    }
}

static void describe(const engine_t *engine, int32_t index, engine_tensor_t *tensor) {
    const tflite::Tensor *source = engine->graph->tensors()->Get(index);
    *tensor = engine_tensor_t();
    tensor->name = graph_tensor_name(source);
    tensor->type = (uint8_t)source->type();
    tensor->nbytes = (size_t)graph_tensor_bytes(source);
    tensor->size = tensor->nbytes / graph_type_size(source->type());
    if (source->shape()) {
        tensor->shape = source->shape()->data();
        tensor->rank = (uint8_t)source->shape()->size();
    }
    tensor->constant = graph_tensor_data(engine->model, source) != nullptr;
    if (engine->context.tensors) {
        tensor->data = engine->context.tensors[index].data.data;
        tensor->overwritten = engine->context.tensors[index].data_is_stale;
    }
    describe_quantization(source, tensor);
}

void engine_input(const engine_t *engine, size_t index, engine_tensor_t *tensor) {
    describe(engine, engine->graph->inputs()->Get(index), tensor);
}

void engine_output(const engine_t *engine, size_t index, engine_tensor_t *tensor) {
    describe(engine, engine->graph->outputs()->Get(index), tensor);
}

const char *engine_op(const engine_t *engine, size_t index) {
    const tflite::Operator *op = engine->graph->operators()->Get(index);
    return op_name(graph_op_code(engine->model, op), ((engine_t *)engine)->name);
}

static bool same_op(const tflite::OperatorCode *a, const tflite::OperatorCode *b) {
    if (!a || op_code(a) != op_code(b)) {
        return false;
    }
    const auto *a_name = a->custom_code();
    const auto *b_name = b->custom_code();
    return op_code(a) != tflite::BuiltinOperator_CUSTOM
           || (a_name && b_name ? strcmp(a_name->c_str(), b_name->c_str()) == 0 : a_name == b_name);
}

// Whether an operator before index already names the same kind.
static bool named_before(const engine_t *engine, size_t index, const tflite::OperatorCode *code) {
    for (size_t i = 0; i < index; ++i) {
        if (same_op(graph_op_code(engine->model, engine->graph->operators()->Get(i)), code)) {
            return true;
        }
    }
    return false;
}

const char *engine_missing_op(const engine_t *engine, size_t index) {
    for (size_t i = 0; engine->model && i < engine_n_ops(engine); ++i) {
        const tflite::OperatorCode *code =
            graph_op_code(engine->model, engine->graph->operators()->Get(i));
        if (code && !op_find(code) && !named_before(engine, i, code) && index-- == 0) {
            return engine_op(engine, i);
        }
    }
    return nullptr;
}

const char *engine_builtin_op(size_t index) {
    return op_row_name(index);
}

#ifdef MICROLITE_VARIANTS
const char *engine_variant(size_t variant) {
    return op_variant_name(variant - 1);
}

bool engine_has_variant(const engine_t *engine, size_t index, size_t variant) {
    const op_row_t *row = op_find(graph_op_code(engine->model, engine->graph->operators()->Get(index)));
    return variant - 1 < OP_MAX_VARIANTS && row->variants[variant - 1];
}
#endif

const char *engine_kernels(void) {
    #ifdef MICROLITE_KERNELS_reference
    return "reference";
    #else
    return KERNELS_DSP ? "dsp" : "portable";
    #endif
}

const char *engine_library(void) {
    return COMPAT_LIBRARY;
}
