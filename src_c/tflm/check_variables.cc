// The rules of variables: all that is read from one or assigned to it has one type and size, and
// subgraphs only assign constants. What comes before an operator was found good by its own rule;
// after a problem these rules look at nothing, since they follow what others refer to.

#include "check_rows.h"
#include "variables.h"
#include "verify.h"

// Finding variables takes time by the square of their operators.
#define MAX_VARIABLE_OPS (256)

static bool need_few(const op_view_t *op) {
    const engine_t *engine = op->check->engine;
    size_t n = 0;
    for (size_t i = 0; i < op->index; ++i) {
        const auto *code = graph_op_code(engine->model, engine->graph->operators()->Get(i));
        n += code && op_code(code) >= tflite::BuiltinOperator_CALL_ONCE;
    }
    return NEED(n < MAX_VARIABLE_OPS, "more than %d operators for variables", MAX_VARIABLE_OPS);
}

// The value of a variable is like all those before it.
static bool need_value(const op_view_t *op, const tflite::Operator *handle, tensor_t value) {
    const tflite::Tensor *other = variables_value(op->check->engine, handle, op->index + 1);
    return NEED((int)value->type() != tflite::TensorType_RESOURCE && value->type() == other->type()
        && graph_tensor_bytes(value) == graph_tensor_bytes(other), "values of one variable differ");
}

static bool need_variable(const op_view_t *op, tensor_t value) {
    if (!op->check->good || !need_few(op)) {
        return false;
    }
    const engine_t *engine = op->check->engine;
    const auto *handle = variables_handle(engine, engine->graph, graph_inputs(op->raw)->Get(0));
    return NEED(handle, "no variable") && need_value(op, handle, value);
}

bool check_var_handle(const op_view_t *op) {
    return need_few(op);
}

bool check_read_variable(const op_view_t *op) {
    return need_variable(op, op->out.raw);
}

bool check_assign_variable(const op_view_t *op) {
    return need_variable(op, op->in[1].raw);
}

// --- initial values ---

static tensor_t tensor_at(const tflite::SubGraph *graph, int32_t index) {
    return index >= 0 && index < (int32_t)graph->tensors()->size() ? graph->tensors()->Get(index) : nullptr;
}

static bool is_handle(const op_view_t *op, const tflite::Operator *raw) {
    return variables_is_op(op->check->engine, raw, tflite::BuiltinOperator_VAR_HANDLE)
           && graph_inputs(raw)->size() == 0 && graph_outputs(raw)->size() == 1
           && (int)raw->builtin_options_type() == tflite::BuiltinOptions_VarHandleOptions
           && raw->builtin_options() && verify_options(op->check->data, op->check->size, raw);
}

static bool is_constant(const op_view_t *op, tensor_t value) {
    return value && is_good_tensor(op->check, value) && graph_tensor_bytes(value) > 0
           && graph_tensor_data(op->check->engine->model, value);
}

// An operator that assigns a constant, to a variable whose handle comes from one before it.
static bool is_assignment(const op_view_t *op, const tflite::SubGraph *graph, size_t index) {
    const tflite::Operator *raw = graph->operators()->Get(index);
    const indices_t *inputs = graph_inputs(raw);
    if (!variables_is_op(op->check->engine, raw, tflite::BuiltinOperator_ASSIGN_VARIABLE)
        || inputs->size() != 2 || graph_outputs(raw)->size() != 0
        || !is_constant(op, tensor_at(graph, inputs->Get(1)))) {
        return false;
    }
    bool has_handle = false;
    for (size_t i = 0; i < index; ++i) {
        const indices_t *outputs = graph_outputs(graph->operators()->Get(i));
        has_handle = has_handle || (outputs->size() == 1 && outputs->Get(0) == inputs->Get(0));
    }
    return has_handle;
}

static bool need_assignments(const op_view_t *op, const tflite::SubGraph *graph) {
    for (size_t i = 0; i < graph->operators()->size(); ++i) {
        const tflite::Operator *raw = graph->operators()->Get(i);
        const auto *code = graph_op_code(op->check->engine->model, raw);
        char buf[OP_NAME_SIZE];
        if (!NEED(is_handle(op, raw) || is_assignment(op, graph, i), "its %s does not assign a constant",
            code ? op_name(code, buf) : "operator")) {
            return false;
        }
    }
    return true;
}

bool check_call_once(const op_view_t *op) {
    if (!op->check->good || !need_few(op)) {
        return false;
    }
    const engine_t *engine = op->check->engine;
    const tflite::SubGraph *graph = variables_subgraph(engine, op->raw);
    if (!NEED(graph && graph->tensors() && graph->operators()
        && graph->operators()->size() <= MAX_VARIABLE_OPS, "no such subgraph")
        || !need_assignments(op, graph)) {
        return false;
    }
    for (size_t i = 0; i < graph->operators()->size(); ++i) {
        const indices_t *inputs = graph_inputs(graph->operators()->Get(i));
        if (inputs->size() == 2 && !need_value(op, variables_handle(engine, graph, inputs->Get(0)),
            tensor_at(graph, inputs->Get(1)))) {
            return false;
        }
    }
    return true;
}
