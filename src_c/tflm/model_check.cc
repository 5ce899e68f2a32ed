// Whether a file is a model that runs safely: its structure first, then indices, sizes, who
// produces what, and the rules of each operator. After it the engine follows every offset and
// index of the model without looking again, and no kernel of TFLM gets what it cannot do.

#include "../plan.h"
#include "check_op.h"
#include "verify.h"

#define MAX_TENSORS     (65535)
#define MAX_OPS         (4096)
#define MAX_LIST        (1024)      // inputs or outputs of one operator or of the model
#define MAX_ENTRIES     (1 << 15)   // of all operators; a check takes their number times MAX_OPS steps
#define MAX_TENSOR_SIZE (1 << 28)   // sizes of windows and steps still fit in an int beside it

// Whether the check goes on after what it found so far.
static bool go_on(const check_t *check) {
    return check->good || check->report;
}

static tensor_t tensor_at(const check_t *check, size_t index) {
    return check->engine->graph->tensors()->Get(index);
}

static bool is_constant(const check_t *check, tensor_t tensor) {
    return graph_tensor_data(check->engine->model, tensor) != nullptr;
}

// Kernels, and views of inputs and outputs, want at least one value.
static bool is_empty(tensor_t tensor) {
    return graph_type_size(tensor->type()) != 0 && graph_tensor_bytes(tensor) == 0;
}

static bool contains(const indices_t *indices, int32_t index, size_t n) {
    for (size_t i = 0; i < n; ++i) {
        if (indices->Get(i) == index) {
            return true;
        }
    }
    return false;
}

static bool is_graph_input(const check_t *check, int32_t index) {
    const indices_t *inputs = check->engine->graph->inputs();
    return contains(inputs, index, inputs->size());
}

static bool produced_before(const check_t *check, int32_t index, size_t op) {
    while (op-- > 0) {
        const indices_t *outputs = graph_outputs(check->engine->graph->operators()->Get(op));
        if (contains(outputs, index, outputs->size())) {
            return true;
        }
    }
    return false;
}

// --- the file ---

static bool check_file(check_t *check) {
    const size_t size = check->size;
    if (size == 0) {
        return tell(check, nullptr, "not a model: empty");
    }
    if (size < 8 || !tflite::ModelBufferHasIdentifier(check->data)) {
        return tell(check, nullptr, "not a TensorFlow Lite model: no TFL3 at byte 4 of %zu bytes", size);
    }
    if (size >= FLATBUFFERS_MAX_BUFFER_SIZE) {
        return tell(check, nullptr, "model too large: %zu bytes", size);
    }
    if (!verify_model(check->data, size)) {
        return tell(check, nullptr,
            "damaged or truncated model of %zu bytes", size);
    }
    check->engine->model = tflite::GetModel(check->data);
    return true;
}

static bool check_vectors(check_t *check) {
    const tflite::Model *model = check->engine->model;
    if (model->version() != COMPAT_SCHEMA_VERSION) {
        return tell(check, nullptr, "schema version %u, %d is needed", (unsigned)model->version(),
            COMPAT_SCHEMA_VERSION);
    }
    if (!model->subgraphs() || !model->buffers() || !model->operator_codes()) {
        return tell(check, nullptr, "incomplete model");
    }
    if (model->subgraphs()->size() == 0) {
        return tell(check, nullptr, "no subgraph");
    }
    const tflite::SubGraph *graph = model->subgraphs()->Get(0);
    if (!graph->tensors() || !graph->inputs() || !graph->outputs() || !graph->operators()) {
        return tell(check, nullptr, "incomplete model");
    }
    if (graph->tensors()->size() > MAX_TENSORS || graph->operators()->size() > MAX_OPS
        || graph->inputs()->size() > MAX_LIST || graph->outputs()->size() > MAX_LIST) {
        return tell(check, nullptr, "too many tensors or operators");
    }
    check->engine->graph = graph;
    return true;
}

// --- tensors ---

static bool is_zero_point(tensor_t tensor, int64_t value) {
    switch (tensor->type()) {
        case tflite::TensorType_INT8:
            return value == (int8_t)value;
        case tflite::TensorType_UINT8:
            return value == (uint8_t)value;
        case tflite::TensorType_INT16:
            return value == (int16_t)value;
        default:
            return value == (int32_t)value;
    }
}

static bool check_quantization(check_t *check, tensor_t tensor) {
    const tflite::QuantizationParameters *quantization = graph_quantization(tensor);
    if (!quantization) {
        return true;
    }
    const size_t n = quantization->zero_point()->size();
    if (n != 1 && n != quantization->scale()->size()) {
        return tell(check, tensor, "%zu zero points for %u scales", n,
            (unsigned)quantization->scale()->size());
    }
    for (size_t i = 0; i < n; ++i) {
        if (!is_zero_point(tensor, graph_zero_point(quantization, i))) {
            return tell(check, tensor, "zero point %zu is out of range", i);
        }
    }
    return true;
}

// Other values of a bool would be undefined behaviour.
static bool are_bools(const flatbuffers::Vector<uint8_t> *data) {
    for (size_t i = 0; i < data->size(); ++i) {
        if (data->Get(i) > 1) {
            return false;
        }
    }
    return true;
}

static bool check_data(check_t *check, tensor_t tensor) {
    const auto *data = graph_tensor_data(check->engine->model, tensor);
    if (!data) {
        return true;
    }
    const int64_t bytes = graph_tensor_bytes(tensor);
    if (tensor->is_variable()) {
        return tell(check, tensor, "a variable with data");
    }
    if (tensor->sparsity()) {
        return tell(check, tensor, "sparse data not supported");
    }
    if ((int64_t)data->size() < bytes) {
        return tell(check, tensor, "%u bytes of data, %d are needed", (unsigned)data->size(),
            (int)bytes);
    }
    if ((uintptr_t)data->data() % graph_type_size(tensor->type())) {
        return tell(check, tensor, "data not aligned");
    }
    if (tensor->type() == tflite::TensorType_BOOL && !are_bools(data)) {
        return tell(check, tensor, "other values than 0 and 1");
    }
    return true;
}

static bool check_tensor(check_t *check, tensor_t tensor) {
    if (graph_type_size(tensor->type()) == 0) {
        return tell(check, tensor, "type %d is not supported", (int)tensor->type());
    }
    if (tensor->shape() && tensor->shape()->size() > ENGINE_MAX_RANK) {
        return tell(check, tensor, "rank %u, at most %d is supported",
            (unsigned)tensor->shape()->size(), ENGINE_MAX_RANK);
    }
    int64_t bytes = graph_tensor_bytes(tensor);
    if (bytes < 0 || bytes > MAX_TENSOR_SIZE) {
        return tell(check, tensor, "impossible shape");
    }
    if (tensor->buffer() >= check->engine->model->buffers()->size()) {
        return tell(check, tensor, "buffer %u of %u", (unsigned)tensor->buffer(),
            (unsigned)check->engine->model->buffers()->size());
    }
    return check_data(check, tensor) && check_quantization(check, tensor);
}

static void check_tensors(check_t *check) {
    int64_t total = 0;
    for (size_t i = 0; i < check->engine->graph->tensors()->size() && go_on(check); ++i) {
        tensor_t tensor = tensor_at(check, i);
        if (check_tensor(check, tensor) && !is_constant(check, tensor)) {
            total += graph_tensor_bytes(tensor) + PLAN_ALIGN;
        }
    }
    if (total > INT32_MAX) {
        tell(check, nullptr, "tensors of %lld bytes in all", (long long)total);
    }
}

// --- operators ---

static bool is_count(size_t n, size_t least, size_t most) {
    return n >= least && n <= (most == OP_MANY ? MAX_LIST : most);
}

// An operator that this build lacks has no row.
static bool need_counts(const op_view_t *op, const op_row_t *row) {
    static const op_row_t any = { nullptr, nullptr, nullptr, 0, 0, OP_MANY, OP_MANY, OP_NONE, 0 };
    const op_row_t *counts = row ? row : &any;
    op->check->n_entries += n_in(op) + n_out(op);
    if (!NEED(is_count(n_in(op), counts->min_inputs, counts->max_inputs)
        && is_count(n_out(op), row && row->max_outputs, counts->max_outputs)
        && op->check->n_entries <= MAX_ENTRIES, "%zu inputs and %zu outputs", n_in(op), n_out(op))) {
        return false;
    }
    for (size_t i = 0; row && row->optional_input != OP_ANY && i < n_in(op); ++i) {
        if (!NEED(graph_inputs(op->raw)->Get(i) >= 0 || i == row->optional_input, "input %zu is absent", i)) {
            return false;
        }
    }
    return true;
}

static bool is_stored(const check_t *check, int32_t index) {
    return is_constant(check, tensor_at(check, index)) || tensor_at(check, index)->is_variable();
}

static bool is_given(const check_t *check, int32_t index) {
    return is_stored(check, index) || is_graph_input(check, index);
}

// Every tensor of a list exists and holds at least one value. Inputs may be absent, otherwise
// something came before that gives them their values; nothing did so for outputs. The tensors
// of a good list may be looked at.
static bool need_tensors(const op_view_t *op, const indices_t *indices, bool outputs) {
    check_t *check = op->check;
    const int32_t n = (int32_t)check->engine->graph->tensors()->size();
    for (size_t i = 0; i < indices->size(); ++i) {
        const int32_t index = indices->Get(i);
        if (index == -1 && !outputs) {
            continue;
        }
        if (!NEED(index >= 0 && index < n, "tensor %d of %d", (int)index, (int)n)) {
            return false;
        }
        const bool has_source = is_given(check, index) || produced_before(check, index, op->index)
            || (outputs && contains(indices, index, i));
        tensor_t tensor = tensor_at(check, index);
        if (has_source == outputs || is_empty(tensor)) {
            return tell_op_tensor(op, tensor, has_source != outputs ? "no elements"
                : outputs ? "output with another source" : "input without a source");
        }
    }
    return true;
}

bool is_good_tensor(check_t *check, tensor_t tensor) {
    check->quiet = true;
    const bool good = check_tensor(check, tensor);
    check->quiet = false;
    return good;
}

static bool has_good_tensors(check_t *check, const indices_t *indices) {
    bool good = true;
    for (size_t i = 0; good && i < indices->size(); ++i) {
        good = indices->Get(i) < 0 || is_good_tensor(check, tensor_at(check, indices->Get(i)));
    }
    return good;
}

static void check_row(op_view_t *op, const op_row_t *row) {
    check_t *check = op->check;
    ParamsOnStack params;
    if (!has_good_tensors(check, graph_inputs(op->raw)) || !has_good_tensors(check, graph_outputs(op->raw))
        || !NEED(verify_options(check->data, check->size, op->raw)
        && parse_params(check->engine, op->index, &params), "damaged options")
        || !NEED(row->options == tflite::BuiltinOptions_NONE
        || (row->options == op->raw->builtin_options_type() && op->raw->builtin_options()),
        "options of type %d, %d are needed", op->raw->builtin_options_type(), row->options)) {
        return;
    }
    op_view(op);
    op->params = params.memory;
    if (need_types(op, row->types)) {
        row->check(op);
    }
}

static void check_op(check_t *check, size_t index) {
    const tflite::Operator *raw = check->engine->graph->operators()->Get(index);
    const tflite::OperatorCode *code = graph_op_code(check->engine->model, raw);
    if (!code) {
        tell(check, nullptr, "operator %zu: code %u of %u", index, (unsigned)raw->opcode_index(),
            (unsigned)check->engine->model->operator_codes()->size());
        return;
    }
    op_view_t view = { check, raw, index, nullptr, {}, {} };
    op_view_t *op = &view;
    const op_row_t *row = op_find(code);
    if (need_counts(op, row) && need_tensors(op, graph_inputs(raw), false) && need_tensors(op, graph_outputs(raw), true) && row) {
        check_row(op, row);
    }
}

// --- inputs and outputs of the model ---

static bool check_end(check_t *check, int32_t index, const char *what, size_t place) {
    const int32_t n = (int32_t)check->engine->graph->tensors()->size();
    if (index < 0 || index >= n) {
        return tell(check, nullptr, "%s %zu: tensor %d of %d", what, place, (int)index, (int)n);
    }
    tensor_t tensor = tensor_at(check, index);
    const auto *quantization = graph_quantization(tensor);
    if (is_empty(tensor)) {
        return tell(check, tensor, "%s %zu has no elements", what, place);
    }
    if ((int)tensor->type() == tflite::TensorType_RESOURCE) {
        return tell(check, tensor, "%s %zu stands for a variable", what, place);
    }
    if (quantization && tensor->type() != tflite::TensorType_FLOAT32
        && !(quantization->scale()->Get(0) > 0)) {
        return tell(check, tensor, "%s %zu: scale not positive", what, place);
    }
    return true;
}

static void check_ends(check_t *check) {
    const tflite::SubGraph *graph = check->engine->graph;
    for (size_t i = 0; i < graph->inputs()->size() && go_on(check); ++i) {
        const int32_t index = graph->inputs()->Get(i);
        if (check_end(check, index, "input", i)
            && (is_stored(check, index) || contains(graph->inputs(), index, i))) {
            tell(check, tensor_at(check, index), "input %zu has another source", i);
        }
    }
    for (size_t i = 0; i < graph->outputs()->size() && go_on(check); ++i) {
        const int32_t index = graph->outputs()->Get(i);
        if (check_end(check, index, "output", i) && !is_given(check, index)
            && !produced_before(check, index, graph->operators()->size())) {
            tell(check, tensor_at(check, index), "nothing produces output %zu", i);
        }
    }
}

bool model_check(engine_t *engine, const void *data, size_t size, engine_report_t report, void *context) {
    check_t check = { engine, data, size, report, context, false, true, 0 };
    if (!check_file(&check) || !check_vectors(&check)) {
        return false;
    }
    check_tensors(&check);
    for (size_t i = 0; i < engine->graph->operators()->size() && go_on(&check); ++i) {
        check_op(&check, i);
    }
    if (go_on(&check)) {
        check_ends(&check);
    }
    return check.good;
}
