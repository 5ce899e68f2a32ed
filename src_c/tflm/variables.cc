// Variables, see variables.h. Few operators have to do with them, so all are found by looking.

#include "variables.h"

#include <string.h>

bool variables_is_op(const engine_t *engine, const tflite::Operator *op, int code) {
    const tflite::OperatorCode *of = graph_op_code(engine->model, op);
    return of && op_code(of) == code && op_find(of);
}

const tflite::Operator *variables_handle(const engine_t *engine, const tflite::SubGraph *graph, int32_t tensor) {
    for (size_t i = 0; i < graph->operators()->size(); ++i) {
        const tflite::Operator *op = graph->operators()->Get(i);
        const indices_t *outputs = graph_outputs(op);
        if (outputs->size() == 1 && outputs->Get(0) == tensor) {
            return variables_is_op(engine, op, tflite::BuiltinOperator_VAR_HANDLE) ? op : nullptr;
        }
    }
    return nullptr;
}

const tflite::SubGraph *variables_subgraph(const engine_t *engine, const tflite::Operator *call_once) {
    const auto *options = (const flatbuffers::Table *)call_once->builtin_options();
    const int32_t index = options->GetField<int32_t>(COMPAT_CALL_ONCE_SUBGRAPH, 0);
    const auto *graphs = engine->model->subgraphs();
    return index > 0 && index < (int32_t)graphs->size() ? graphs->Get(index) : nullptr;
}

static const char *text_of(const tflite::Operator *handle, int field) {
    const auto *options = (const flatbuffers::Table *)handle->builtin_options();
    const auto *text = options->GetPointer<const flatbuffers::String *>(field);
    return text ? text->c_str() : "";
}

static bool same_variable(const tflite::Operator *a, const tflite::Operator *b) {
    return strcmp(text_of(a, COMPAT_VAR_HANDLE_NAME), text_of(b, COMPAT_VAR_HANDLE_NAME)) == 0
           && strcmp(text_of(a, COMPAT_VAR_HANDLE_CONTAINER), text_of(b, COMPAT_VAR_HANDLE_CONTAINER)) == 0;
}

// Whether operator op of a graph works on the variable of handle.
static bool works_on(const engine_t *engine, const tflite::SubGraph *graph, const tflite::Operator *op,
    const tflite::Operator *handle) {
    const tflite::Operator *other = variables_handle(engine, graph, graph_inputs(op)->Get(0));
    return other && same_variable(other, handle);
}

// The tensor that a graph next assigns to the variable of handle, from operator *next on.
static const tflite::Tensor *next_assigned(const engine_t *engine, const tflite::SubGraph *graph,
    const tflite::Operator *handle, size_t *next) {
    while (*next < graph->operators()->size()) {
        const tflite::Operator *op = graph->operators()->Get((*next)++);
        if (variables_is_op(engine, op, tflite::BuiltinOperator_ASSIGN_VARIABLE)
            && works_on(engine, graph, op, handle)) {
            return graph->tensors()->Get(graph_inputs(op)->Get(1));
        }
    }
    return nullptr;
}

const tflite::Tensor *variables_value(const engine_t *engine, const tflite::Operator *handle, size_t n_ops) {
    const tflite::SubGraph *graph = engine->graph;
    for (size_t i = 0; i < n_ops; ++i) {
        const tflite::Operator *op = graph->operators()->Get(i);
        if (variables_is_op(engine, op, tflite::BuiltinOperator_CALL_ONCE)) {
            size_t next = 0;
            if (const auto *value = next_assigned(engine, variables_subgraph(engine, op), handle, &next)) {
                return value;
            }
        }
        const bool reads = variables_is_op(engine, op, tflite::BuiltinOperator_READ_VARIABLE);
        if ((reads || variables_is_op(engine, op, tflite::BuiltinOperator_ASSIGN_VARIABLE))
            && works_on(engine, graph, op, handle)) {
            return graph->tensors()->Get(reads ? graph_outputs(op)->Get(0) : graph_inputs(op)->Get(1));
        }
    }
    return nullptr;
}

static const tflite::Operator *handle_at(const engine_t *engine, size_t index) {
    const tflite::Operator *op = engine->graph->operators()->Get(index);
    return variables_is_op(engine, op, tflite::BuiltinOperator_VAR_HANDLE) ? op : nullptr;
}

// The first VAR_HANDLE for the variable of handle.
static const tflite::Operator *first_handle(const engine_t *engine, const tflite::Operator *handle) {
    size_t i = 0;
    while (!handle_at(engine, i) || !same_variable(handle_at(engine, i), handle)) {
        ++i;
    }
    return handle_at(engine, i);
}

static const tflite::Tensor *value_of(const engine_t *engine, const tflite::Operator *handle) {
    return variables_value(engine, handle, engine->graph->operators()->size());
}

static size_t bytes_of(const engine_t *engine, const tflite::Operator *handle) {
    const tflite::Tensor *value = value_of(engine, handle);
    return value ? (size_t)graph_tensor_bytes(value) : 0;
}

static TfLiteTensor *tensor_of(engine_t *engine, const tflite::Operator *handle) {
    return &engine->context.tensors[graph_outputs(handle)->Get(0)];
}

size_t variables_bytes(const engine_t *engine) {
    size_t bytes = 0;
    for (size_t i = 0; i < engine->graph->operators()->size(); ++i) {
        const tflite::Operator *handle = handle_at(engine, i);
        if (handle && first_handle(engine, handle) == handle) {
            bytes += arena_align(bytes_of(engine, handle), ARENA_ALIGN);
        }
    }
    return bytes;
}

// A variable without an initial value is 0.0, which ResetVariableTensor() knows how to write as int8.
static void set_zero(TfLiteTensor *tensor, const tflite::Tensor *value) {
    const auto *quantization = value ? graph_quantization(value) : nullptr;
    if (quantization && value->type() == tflite::TensorType_INT8) {
        tensor->type = kTfLiteInt8;
        tensor->params.zero_point = (int32_t)graph_zero_point(quantization, 0);
    }
}

bool variables_make(engine_t *engine) {
    for (size_t i = 0; i < engine->graph->operators()->size(); ++i) {
        if (const tflite::Operator *handle = handle_at(engine, i)) {
            const tflite::Operator *first = first_handle(engine, handle);
            TfLiteTensor *tensor = tensor_of(engine, handle);
            tensor->bytes = bytes_of(engine, handle);
            set_zero(tensor, value_of(engine, handle));
            tensor->data.data = first == handle ? arena_keep(&engine->arena, tensor->bytes)
                : tensor_of(engine, first)->data.data;
        }
    }
    return !engine->arena.full;
}

static void assign(engine_t *engine, const tflite::SubGraph *graph) {
    for (size_t i = 0; i < engine->graph->operators()->size(); ++i) {
        const tflite::Operator *handle = handle_at(engine, i);
        size_t next = 0;
        while (const auto *value = handle ? next_assigned(engine, graph, handle, &next) : nullptr) {
            TfLiteTensor *tensor = tensor_of(engine, handle);
            memcpy(tensor->data.data, graph_tensor_data(engine->model, value)->data(), tensor->bytes);
        }
    }
}

void variables_reset(engine_t *engine) {
    for (size_t i = 0; i < engine->graph->operators()->size(); ++i) {
        const tflite::Operator *op = engine->graph->operators()->Get(i);
        if (variables_is_op(engine, op, tflite::BuiltinOperator_CALL_ONCE)) {
            assign(engine, variables_subgraph(engine, op));
        }
    }
}
