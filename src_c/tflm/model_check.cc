// Whether a file is a model that can be read safely: the flatbuffer verifier first, then what
// it cannot know: indices, sizes, who produces what. After it the engine follows every offset
// and index of the model without looking again.

#include "internal.h"

#include "../plan.h"

#include <math.h>

#define MAX_TENSORS     (65535)
#define MAX_OPS         (65534)

typedef flatbuffers::Vector<int32_t> indices_t;

static bool fail(engine_t *engine, const char *format, ...) {
    va_list args;
    va_start(args, format);
    engine->error.problem[0] = '\0';
    text_vappend(engine->error.problem, ENGINE_PROBLEM_SIZE, format, args);
    va_end(args);
    return false;
}

static bool is_constant(const engine_t *engine, int32_t index) {
    return graph_tensor_data(engine->model, engine->graph->tensors()->Get(index)) != nullptr;
}

static bool contains(const indices_t *indices, int32_t index) {
    for (size_t i = 0; i < indices->size(); ++i) {
        if (indices->Get(i) == index) {
            return true;
        }
    }
    return false;
}

static bool produced_before(const engine_t *engine, int32_t index, size_t op) {
    while (op-- > 0) {
        if (contains(engine->graph->operators()->Get(op)->outputs(), index)) {
            return true;
        }
    }
    return false;
}

static bool check_file(engine_t *engine, const void *data, size_t size) {
    if (size == 0) {
        return fail(engine, "not a model: empty");
    }
    if (size < 8 || !tflite::ModelBufferHasIdentifier(data)) {
        return fail(engine, "not a TensorFlow Lite model: no TFL3 at byte 4 of %zu bytes", size);
    }
    if (size >= FLATBUFFERS_MAX_BUFFER_SIZE) {
        return fail(engine, "model too large: %zu bytes", size);
    }
    flatbuffers::Verifier verifier((const uint8_t *)data, size);
    if (!tflite::VerifyModelBuffer(verifier)) {
        return fail(engine, "damaged or truncated model: the structure does not fit in %zu bytes", size);
    }
    const tflite::Model *model = tflite::GetModel(data);
    for (size_t i = 0; model->operator_codes() && i < model->operator_codes()->size(); ++i) {
        auto *code = (const flatbuffers::Table *)model->operator_codes()->Get(i);
        if (!code->VerifyField<int32_t>(verifier, COMPAT_OPCODE_FIELD)) {
            return fail(engine, "damaged model: operator code %zu lies outside", i);
        }
    }
    engine->model = model;
    return true;
}

static bool check_vectors(engine_t *engine) {
    const tflite::Model *model = engine->model;
    if (model->version() != COMPAT_SCHEMA_VERSION) {
        return fail(engine, "schema version %u, %d is needed", (unsigned)model->version(),
            COMPAT_SCHEMA_VERSION);
    }
    if (!model->subgraphs() || !model->buffers() || !model->operator_codes()) {
        return fail(engine, "incomplete model: no subgraphs, buffers or operator codes");
    }
    if (model->subgraphs()->size() != 1) {
        return fail(engine, "%u subgraphs, exactly 1 is supported", (unsigned)model->subgraphs()->size());
    }
    const tflite::SubGraph *graph = model->subgraphs()->Get(0);
    if (!graph->tensors() || !graph->inputs() || !graph->outputs() || !graph->operators()) {
        return fail(engine, "incomplete model: no tensors, inputs, outputs or operators");
    }
    if (graph->tensors()->size() > MAX_TENSORS || graph->operators()->size() > MAX_OPS) {
        return fail(engine, "%u tensors and %u operators are too many",
            (unsigned)graph->tensors()->size(), (unsigned)graph->operators()->size());
    }
    engine->graph = graph;
    return true;
}

static bool check_quantization(engine_t *engine, size_t index, const tflite::Tensor *tensor) {
    const tflite::QuantizationParameters *quantization = tensor->quantization();
    if (!quantization || !quantization->scale() || tensor->type() == tflite::TensorType_FLOAT32) {
        return true;
    }
    for (size_t i = 0; i < quantization->scale()->size(); ++i) {
        float scale = quantization->scale()->Get(i);
        if (!(scale > 0) || isinf(scale)) {
            return fail(engine, "tensor %zu (%s): scale %zu is not positive", index, graph_tensor_name(tensor), i);
        }
    }
    for (size_t i = 0; quantization->zero_point() && i < quantization->zero_point()->size(); ++i) {
        int64_t zero_point = graph_zero_point(quantization, i);
        if (zero_point != (int32_t)zero_point) {
            return fail(engine, "tensor %zu (%s): zero point %zu is out of range", index,
                graph_tensor_name(tensor), i);
        }
    }
    return true;
}

static bool check_tensor(engine_t *engine, size_t index, int64_t *total) {
    const tflite::Tensor *tensor = engine->graph->tensors()->Get(index);
    const char *name = graph_tensor_name(tensor);
    if (graph_type_size(tensor->type()) == 0) {
        return fail(engine, "tensor %zu (%s): type %d is not supported", index, name, (int)tensor->type());
    }
    if (tensor->shape() && tensor->shape()->size() > ENGINE_MAX_RANK) {
        return fail(engine, "tensor %zu (%s): rank %u, at most %d is supported", index, name,
            (unsigned)tensor->shape()->size(), ENGINE_MAX_RANK);
    }
    int64_t bytes = graph_tensor_bytes(tensor);
    if (bytes < 0) {
        return fail(engine, "tensor %zu (%s): impossible shape", index, name);
    }
    if (tensor->buffer() >= engine->model->buffers()->size()) {
        return fail(engine, "tensor %zu (%s): buffer %u of %u", index, name,
            (unsigned)tensor->buffer(), (unsigned)engine->model->buffers()->size());
    }
    const auto *data = graph_tensor_data(engine->model, tensor);
    if (!data) {
        *total += bytes + PLAN_ALIGN;
    } else if (tensor->is_variable()) {
        return fail(engine, "tensor %zu (%s): a variable with data", index, name);
    } else if ((int64_t)data->size() < bytes) {
        return fail(engine, "tensor %zu (%s): %u bytes of data, %d are needed", index, name,
            (unsigned)data->size(), (int)bytes);
    } else if ((uintptr_t)data->data() % graph_type_size(tensor->type())) {
        return fail(engine, "tensor %zu (%s): data not aligned", index, name);
    }
    return check_quantization(engine, index, tensor);
}

static bool check_tensors(engine_t *engine) {
    int64_t total = 0;
    for (size_t i = 0; i < engine->graph->tensors()->size(); ++i) {
        if (!check_tensor(engine, i, &total)) {
            return false;
        }
    }
    if (total > INT32_MAX) {
        return fail(engine, "tensors of %lld bytes in all", (long long)total);
    }
    return true;
}

// An index of a tensor that holds at least one element.
static bool check_index(engine_t *engine, int32_t index, const char *what, size_t place) {
    int32_t n = (int32_t)engine->graph->tensors()->size();
    if (index < 0 || index >= n) {
        return fail(engine, "%s %zu: tensor %d of %d", what, place, (int)index, (int)n);
    }
    const tflite::Tensor *tensor = engine->graph->tensors()->Get(index);
    if (graph_tensor_bytes(tensor) == 0) {
        return fail(engine, "%s %zu: tensor %d (%s) has no elements", what, place, (int)index,
            graph_tensor_name(tensor));
    }
    return true;
}

static bool check_counts(engine_t *engine, size_t index, const tflite::Operator *op, const char *name) {
    const op_row_t *row = op_find(graph_op_code(engine->model, op));
    if (!row) {
        return true;
    }
    size_t inputs = op->inputs()->size();
    size_t outputs = op->outputs()->size();
    if (inputs < row->min_inputs || (row->max_inputs != OP_MANY && inputs > row->max_inputs)) {
        return fail(engine, "operator %zu (%s): %zu inputs", index, name, inputs);
    }
    if (outputs < 1 || (row->max_outputs != OP_MANY && outputs > row->max_outputs)) {
        return fail(engine, "operator %zu (%s): %zu outputs", index, name, outputs);
    }
    for (size_t i = 0; i < inputs; ++i) {
        if (op->inputs()->Get(i) == -1 && i != row->optional_input) {
            return fail(engine, "operator %zu (%s): input %zu is absent", index, name, i);
        }
    }
    return true;
}

static bool check_op_inputs(engine_t *engine, size_t index, const tflite::Operator *op, const char *name) {
    for (size_t i = 0; i < op->inputs()->size(); ++i) {
        int32_t input = op->inputs()->Get(i);
        if (input == -1) {
            continue;
        }
        if (!check_index(engine, input, name, index)) {
            return false;
        }
        if (!is_constant(engine, input) && !engine->graph->tensors()->Get(input)->is_variable()
            && !contains(engine->graph->inputs(), input) && !produced_before(engine, input, index)) {
            return fail(engine, "operator %zu (%s): nothing produces its input, tensor %d", index, name,
                (int)input);
        }
    }
    return true;
}

static bool check_op_outputs(engine_t *engine, size_t index, const tflite::Operator *op, const char *name) {
    for (size_t i = 0; i < op->outputs()->size(); ++i) {
        int32_t output = op->outputs()->Get(i);
        if (!check_index(engine, output, name, index)) {
            return false;
        }
        if (is_constant(engine, output) || contains(engine->graph->inputs(), output)
            || engine->graph->tensors()->Get(output)->is_variable()
            || produced_before(engine, output, index)) {
            return fail(engine, "operator %zu (%s): its output, tensor %d, has another source", index,
                name, (int)output);
        }
    }
    return true;
}

static bool check_ops(engine_t *engine) {
    char buf[OP_NAME_SIZE];
    for (size_t i = 0; i < engine->graph->operators()->size(); ++i) {
        const tflite::Operator *op = engine->graph->operators()->Get(i);
        if (op->opcode_index() >= engine->model->operator_codes()->size()) {
            return fail(engine, "operator %zu: code %u of %u", i, (unsigned)op->opcode_index(),
                (unsigned)engine->model->operator_codes()->size());
        }
        const char *name = op_name(graph_op_code(engine->model, op), buf);
        if (!op->inputs() || !op->outputs()) {
            return fail(engine, "operator %zu (%s): no inputs or outputs", i, name);
        }
        if (!check_counts(engine, i, op, name) || !check_op_inputs(engine, i, op, name)
            || !check_op_outputs(engine, i, op, name)) {
            return false;
        }
    }
    return true;
}

static bool check_ends(engine_t *engine) {
    const tflite::SubGraph *graph = engine->graph;
    for (size_t i = 0; i < graph->inputs()->size(); ++i) {
        int32_t input = graph->inputs()->Get(i);
        if (!check_index(engine, input, "input", i)) {
            return false;
        }
        if (is_constant(engine, input) || graph->tensors()->Get(input)->is_variable()) {
            return fail(engine, "input %zu: tensor %d is a constant or a variable", i, (int)input);
        }
    }
    for (size_t i = 0; i < graph->outputs()->size(); ++i) {
        int32_t output = graph->outputs()->Get(i);
        if (!check_index(engine, output, "output", i)) {
            return false;
        }
        if (!is_constant(engine, output) && !graph->tensors()->Get(output)->is_variable()
            && !contains(graph->inputs(), output)
            && !produced_before(engine, output, graph->operators()->size())) {
            return fail(engine, "output %zu: nothing produces tensor %d", i, (int)output);
        }
    }
    return true;
}

bool model_check(engine_t *engine, const void *data, size_t size) {
    return check_file(engine, data, size) && check_vectors(engine) && check_tensors(engine)
           && check_ops(engine) && check_ends(engine);
}
