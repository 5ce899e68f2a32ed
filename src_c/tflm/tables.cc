// What stands in the arena before any kernel runs: one TfLiteTensor a tensor, one node and one
// parameter struct an operator (equal structs are shared), the memory of variables. Shapes,
// scales and constant data are used where they are, in the model.

#include "internal.h"
#include "../plan.h"
#include "variables.h"

#include <string.h>

static const TfLiteIntArray scalar_shape = {0};

static size_t n_tensors(const engine_t *engine) {
    return engine->graph->tensors()->size();
}

static const tflite::Operator *op_at(const engine_t *engine, size_t index) {
    return engine->graph->operators()->Get(index);
}

bool parse_params(engine_t *engine, size_t index, ParamsOnStack *params) {
    LogReporter reporter(&engine->error);
    const tflite::Operator *op = op_at(engine, index);
    int32_t code = op_code(graph_op_code(engine->model, op));
    if (code > tflite::BuiltinOperator_MAX) {
        return true;
    }
    void *unused;
    return tflite::ParseOpData(op, (tflite::BuiltinOperator)code, &reporter, params, &unused)
           == kTfLiteOk;
}

// Whether an earlier operator of the same kind has equal parameters; it gets its index.
static bool find_equal_params(engine_t *engine, size_t index, const ParamsOnStack *params,
    size_t *found) {
    for (size_t i = 0; i < index; ++i) {
        if (op_at(engine, i)->opcode_index() == op_at(engine, index)->opcode_index()) {
            ParamsOnStack other;
            parse_params(engine, i, &other);
            if (other.size == params->size && memcmp(other.memory, params->memory, params->size) == 0) {
                *found = i;
                return true;
            }
        }
    }
    return false;
}

static size_t quantization_bytes(const tflite::Tensor *tensor) {
    const tflite::QuantizationParameters *quantization = graph_quantization(tensor);
    if (!quantization) {
        return 0;
    }
    return sizeof(TfLiteAffineQuantization) + (1 + quantization->scale()->size()) * sizeof(int);
}

static bool is_resource(const tflite::Tensor *tensor) {
    return (int)tensor->type() == tflite::TensorType_RESOURCE;
}

static bool needs_place(const engine_t *engine, const tflite::Tensor *tensor) {
    return !tensor->is_variable() && !is_resource(tensor) && !graph_tensor_data(engine->model, tensor);
}

// Adds up the tensors of a list: the arrays of quantization_attach(), and the activations, each
// once.
static void add_indices(const engine_t *engine, const indices_t *indices, size_t *arrays,
    size_t *activations) {
    for (size_t i = 0; i < indices->size(); ++i) {
        int32_t index = indices->Get(i);
        if (index < 0) {
            continue;
        }
        const tflite::Tensor *tensor = engine->graph->tensors()->Get(index);
        *arrays += arena_align(quantization_bytes(tensor), ARENA_ALIGN);
        size_t seen = 0;
        while (indices->Get(seen) != index) {
            ++seen;
        }
        if (seen == i && needs_place(engine, tensor)) {
            *activations += arena_align(graph_tensor_bytes(tensor), PLAN_ALIGN);
        }
    }
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

// What is needed at the same time as the tables: temporary arrays for one operator or for the
// plan, or the activations of one operator.
static size_t floor_beside_tables(const engine_t *engine) {
    size_t most_arrays = 0;
    size_t most_activations = 0;
    for (size_t i = 0; i < engine->graph->operators()->size(); ++i) {
        size_t arrays = 0;
        size_t activations = 0;
        add_indices(engine, graph_inputs(op_at(engine, i)), &arrays, &activations);
        add_indices(engine, graph_outputs(op_at(engine, i)), &arrays, &activations);
        most_arrays = larger(most_arrays, arrays);
        most_activations = larger(most_activations, activations);
    }
    return larger(most_arrays, most_activations);
}

void tables_floor(engine_t *engine) {
    size_t n_ops = engine->graph->operators()->size();
    size_t bytes = arena_align(n_tensors(engine) * sizeof(TfLiteTensor), ARENA_ALIGN)
        + arena_align(n_ops * sizeof(node_t), ARENA_ALIGN) + variables_bytes(engine);
    for (size_t i = 0; i < n_tensors(engine); ++i) {
        const tflite::Tensor *tensor = engine->graph->tensors()->Get(i);
        bytes += tensor->is_variable() && !is_resource(tensor) ? arena_align(graph_tensor_bytes(tensor), ARENA_ALIGN) : 0;
    }
    for (size_t i = 0; i < n_ops; ++i) {
        ParamsOnStack params;
        size_t found;
        parse_params(engine, i, &params);
        if (!find_equal_params(engine, i, &params, &found)) {
            bytes += arena_align(params.size, ARENA_ALIGN);
        }
    }
    engine->floor = arena_align(bytes + floor_beside_tables(engine), PLAN_ALIGN);
}

static bool make_tensor(engine_t *engine, size_t index) {
    const tflite::Tensor *source = engine->graph->tensors()->Get(index);
    TfLiteTensor *tensor = &engine->context.tensors[index];
    LogReporter reporter(&engine->error);
    if (!is_resource(source)) {
        tflite::ConvertTensorType(source->type(), &tensor->type, &reporter);
        tensor->bytes = graph_tensor_bytes(source);
    }
    tensor->dims = source->shape() ? (TfLiteIntArray *)source->shape() : (TfLiteIntArray *)&scalar_shape;
    tensor->is_variable = source->is_variable() || is_resource(source);
    tensor->allocation_type = kTfLiteArenaRw;
    if (const auto *data = graph_tensor_data(engine->model, source)) {
        tensor->allocation_type = kTfLiteMmapRo;
        tensor->data.data = (void *)data->data();
    } else if (tensor->is_variable) {
        tensor->data.data = arena_keep(&engine->arena, tensor->bytes);
    }
    if (const auto *quantization = graph_quantization(source)) {
        tensor->params.scale = quantization->scale()->Get(0);
        tensor->params.zero_point = (int32_t)graph_zero_point(quantization, 0);
    }
    return !engine->arena.full;
}

static const TfLiteRegistration *kernel_of(const engine_t *engine, size_t index) {
    const op_row_t *row = op_find(graph_op_code(engine->model, op_at(engine, index)));
    #ifdef MICROLITE_VARIANTS
    if (index < engine->n_variants && engine->variants[index]) {
        return row->variants[engine->variants[index] - 1]();
    }
    #endif
    return row->kernel();
}

static bool make_node(engine_t *engine, size_t index) {
    node_t *node = &engine->nodes[index];
    node->kernel = kernel_of(engine, index);
    ParamsOnStack params;
    size_t found;
    parse_params(engine, index, &params);
    if (params.size == 0) {
        return true;
    }
    if (find_equal_params(engine, index, &params, &found)) {
        node->params = engine->nodes[found].params;
        return true;
    }
    node->params = arena_keep(&engine->arena, params.size);
    if (node->params) {
        memcpy(node->params, params.memory, params.size);
    }
    return node->params != nullptr;
}

bool tables_make(engine_t *engine) {
    size_t n_ops = engine->graph->operators()->size();
    engine->context.tensors_size = n_tensors(engine);
    engine->context.tensors =
        (TfLiteTensor *)arena_keep(&engine->arena, n_tensors(engine) * sizeof(TfLiteTensor));
    engine->nodes = (node_t *)arena_keep(&engine->arena, n_ops * sizeof(node_t));
    bool good = !engine->arena.full;
    for (size_t i = 0; good && i < n_tensors(engine); ++i) {
        good = make_tensor(engine, i);
    }
    for (size_t i = 0; good && i < n_ops; ++i) {
        good = make_node(engine, i);
    }
    return good && variables_make(engine);
}

static bool attach(engine_t *engine, const indices_t *indices) {
    for (size_t i = 0; i < indices->size(); ++i) {
        int32_t index = indices->Get(i);
        if (index < 0) {
            continue;
        }
        const tflite::Tensor *source = engine->graph->tensors()->Get(index);
        const tflite::QuantizationParameters *quantization = graph_quantization(source);
        if (!quantization) {
            continue;
        }
        auto *affine =
            (TfLiteAffineQuantization *)arena_borrow(&engine->arena, quantization_bytes(source));
        if (!affine) {
            return false;
        }
        int n = (int)quantization->scale()->size();
        bool one_each = (int)quantization->zero_point()->size() == n;
        affine->scale = (TfLiteFloatArray *)quantization->scale();
        affine->zero_point = (TfLiteIntArray *)(affine + 1);
        affine->zero_point->size = n;
        for (int j = 0; j < n; ++j) {
            affine->zero_point->data[j] = (int)graph_zero_point(quantization, one_each ? j : 0);
        }
        affine->quantized_dimension = quantization->quantized_dimension();
        engine->context.tensors[index].quantization = { kTfLiteAffineQuantization, affine };
    }
    return true;
}

static void detach(engine_t *engine, const indices_t *indices) {
    for (size_t i = 0; i < indices->size(); ++i) {
        if (indices->Get(i) >= 0) {
            engine->context.tensors[indices->Get(i)].quantization = {};
        }
    }
}

bool quantization_attach(engine_t *engine, const tflite::Operator *op) {
    return attach(engine, graph_inputs(op)) && attach(engine, graph_outputs(op));
}

void quantization_detach(engine_t *engine, const tflite::Operator *op) {
    detach(engine, graph_inputs(op));
    detach(engine, graph_outputs(op));
}
