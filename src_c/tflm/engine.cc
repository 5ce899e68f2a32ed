// The life of an engine: open, load, run, close. engine.h says what each call promises.

#include "internal.h"
#include "variables.h"

#include <string.h>

// The engine whose kernels run at this moment, for microlite_abort(). Threads exist only where
// there is a C library that knows thread-local variables.
#if defined(__unix__) || defined(__APPLE__)
static __thread engine_t *running;
#else
static engine_t *running;
#endif

extern "C" void microlite_abort(void) {
    __builtin_longjmp(running->resume, 1);
}

// TFLM prints an assertion's text before it aborts.
extern "C" void DebugLog(const char *text) {
    if (running) {
        text_append(running->error.log, ENGINE_LOG_SIZE, "%s", text);
    }
}

static void report_error(TfLiteContext *context, const char *format, ...) {
    engine_t *engine = (engine_t *)context->impl_;
    va_list args;
    va_start(args, format);
    text_vappend_line(engine->error.log, ENGINE_LOG_SIZE, format, args);
    va_end(args);
}

static void clear_error(engine_t *engine) {
    engine->error = {};
    engine->error.op_index = -1;
}

engine_status_t fail_arena(engine_t *engine, const char *stage, bool exact) {
    engine->error.needed = arena_align(engine->arena.peak, ENGINE_ALIGN);
    engine->error.stage = stage;
    engine->error.exact = exact;
    return ENGINE_ERR_ARENA;
}

engine_status_t fail_op(engine_t *engine, engine_status_t status, size_t index) {
    engine->error.op_index = (int32_t)index;
    engine->error.op = engine_op(engine, index);
    if (status == ENGINE_ERR_MODEL) {
        text_append(engine->error.problem, ENGINE_PROBLEM_SIZE, "operator %zu (%s) cannot be prepared",
            index, engine->error.op);
    }
    return status;
}

TfLiteNode node_view(const engine_t *engine, size_t index) {
    const tflite::Operator *op = engine->graph->operators()->Get(index);
    TfLiteNode node = {};
    node.inputs = (TfLiteIntArray *)graph_inputs(op);
    node.outputs = (TfLiteIntArray *)graph_outputs(op);
    node.user_data = engine->nodes[index].user_data;
    node.builtin_data = engine->nodes[index].params;
    return node;
}

uint32_t engine_abi(void) {
    return ENGINE_ABI;
}

size_t engine_size(void) {
    return sizeof(engine_t);
}

engine_status_t engine_open(engine_t *engine, const void *model, size_t size) {
    return engine_check(engine, model, size, nullptr, nullptr);
}

engine_status_t engine_check(engine_t *engine, const void *model, size_t size, engine_report_t report,
    void *context) {
    memset((void *)engine, 0, sizeof(*engine));
    clear_error(engine);
    const bool good = model_check(engine, model, size, report, context);
    if (engine_missing_op(engine, 0)) {
        return ENGINE_ERR_OP;
    }
    if (!good) {
        return ENGINE_ERR_MODEL;
    }
    tables_floor(engine);
    engine->state = ENGINE_OPEN;
    return ENGINE_OK;
}

size_t engine_arena_floor(const engine_t *engine) {
    return engine->floor;
}

engine_status_t engine_keep_inputs(engine_t *engine) {
    if (engine->state != ENGINE_OPEN) {
        return ENGINE_ERR_STATE;
    }
    engine->keeps_inputs = true;
    return ENGINE_OK;
}

#ifdef MICROLITE_VARIANTS
engine_status_t engine_use_variants(engine_t *engine, const uint8_t *variants, size_t n) {
    if (engine->state != ENGINE_OPEN || n > engine_n_ops(engine)) {
        return ENGINE_ERR_STATE;
    }
    for (size_t i = 0; i < n; ++i) {
        if (variants[i] && !engine_has_variant(engine, i, variants[i])) {
            return ENGINE_ERR_STATE;
        }
    }
    engine->variants = variants;
    engine->n_variants = n;
    return ENGINE_OK;
}
#endif

static engine_status_t load(engine_t *engine) {
    if (engine->arena.size < engine->floor) {
        engine->arena.peak = engine->floor;
        return fail_arena(engine, "tensors", false);
    }
    if (!tables_make(engine)) {
        return fail_arena(engine, "tensors", false);
    }
    engine->arena.mark = engine->arena.low;
    engine_status_t status = prepare_ops(engine);
    return status == ENGINE_OK ? place_activations(engine) : status;
}

// Calls body, which may run kernels. An assertion in one of them ends up behind this call, with
// engine->next_op as the operator to blame.
static engine_status_t guard(engine_t *engine, engine_status_t (*body)(engine_t *),
    engine_status_t on_abort) {
    engine_t *outer = running;
    engine_status_t status;
    running = engine;
    if (__builtin_setjmp(engine->resume) == 0) {
        status = body(engine);
    } else {
        status = fail_op(running, on_abort, running->next_op);
        running->state = ENGINE_BROKEN;
    }
    running = outer;
    return status;
}

engine_status_t engine_load(engine_t *engine, void *arena, size_t size) {
    clear_error(engine);
    if (engine->state != ENGINE_OPEN || (uintptr_t)arena % ENGINE_ALIGN) {
        return ENGINE_ERR_STATE;
    }
    const size_t usable = size & ~(size_t)(ENGINE_ALIGN - 1);
    memset(arena, 0, usable);
    arena_init(&engine->arena, (uint8_t *)arena, usable);
    engine->context = {};
    engine->context.impl_ = engine;
    engine->context.ReportError = report_error;
    engine->context.recommended_num_threads = 1;
    engine->error.given = size;
    engine->n_scratch = 0;
    engine_status_t status = guard(engine, load, ENGINE_ERR_MODEL);
    if (status != ENGINE_OK) {
        engine->context.tensors = nullptr;
        return status;
    }
    engine->needed = engine->arena.peak;
    engine->state = ENGINE_READY;
    return engine_reset(engine);
}

size_t engine_arena_needed(const engine_t *engine) {
    return engine->needed;
}

static bool is_loaded(const engine_t *engine) {
    return engine->state == ENGINE_READY || engine->state == ENGINE_INVOKING
           || engine->state == ENGINE_FAILED;
}

engine_status_t engine_begin(engine_t *engine) {
    if (!is_loaded(engine)) {
        return ENGINE_ERR_STATE;
    }
    engine->next_op = 0;
    engine->state = ENGINE_INVOKING;
    return ENGINE_OK;
}

static engine_status_t step(engine_t *engine) {
    TfLiteNode node = node_view(engine, engine->next_op);
    const TfLiteRegistration *kernel = engine->nodes[engine->next_op].kernel;
    if (kernel->invoke && kernel->invoke(&engine->context, &node) != kTfLiteOk) {
        engine->state = ENGINE_FAILED;
        return fail_op(engine, ENGINE_ERR_INVOKE, engine->next_op);
    }
    ++engine->next_op;
    return ENGINE_MORE;
}

engine_status_t engine_step(engine_t *engine) {
    if (engine->state != ENGINE_INVOKING) {
        return ENGINE_ERR_STATE;
    }
    if (engine->next_op == 0) {
        clear_error(engine);
    }
    const size_t n_ops = engine_n_ops(engine);
    engine_status_t status = engine->next_op < n_ops ? guard(engine, step, ENGINE_ERR_INVOKE) : ENGINE_MORE;
    if (status == ENGINE_MORE && engine->next_op == n_ops) {
        engine->state = ENGINE_READY;
        return ENGINE_OK;
    }
    return status;
}

size_t engine_next_op(const engine_t *engine) {
    return engine->next_op;
}

engine_status_t engine_reset(engine_t *engine) {
    if (!is_loaded(engine)) {
        return ENGINE_ERR_STATE;
    }
    for (size_t i = 0; i < engine->context.tensors_size; ++i) {
        if (engine->context.tensors[i].bytes) {
            tflite::ResetVariableTensor(&engine->context.tensors[i]);
        }
    }
    variables_reset(engine);
    engine->state = ENGINE_READY;
    return ENGINE_OK;
}

void engine_close(engine_t *engine) {
    engine->state = ENGINE_CLOSED;
    engine->model = nullptr;
    engine->graph = nullptr;
    engine->nodes = nullptr;
    engine->context = {};
    engine->arena = {};
}

engine_state_t engine_state(const engine_t *engine) {
    return (engine_state_t)engine->state;
}

const engine_error_t *engine_error(const engine_t *engine) {
    return &engine->error;
}
