// Loading a model after its tables stand: every kernel is initialised and prepared, one
// operator after the other.

#include "internal.h"

static TfLiteStatus keep(TfLiteContext *context, size_t bytes, void **memory) {
    engine_t *engine = (engine_t *)context->impl_;
    *memory = arena_keep(&engine->arena, bytes);
    return *memory ? kTfLiteOk : kTfLiteError;
}

static TfLiteStatus request_scratch(TfLiteContext *context, size_t bytes, int *index) {
    engine_t *engine = (engine_t *)context->impl_;
    if (engine->n_wanted == MAX_SCRATCH_PER_OP || bytes > INT32_MAX) {
        context->ReportError(context, "scratch buffer %d of %zu bytes refused", engine->n_wanted, bytes);
        return kTfLiteError;
    }
    engine->wanted[engine->n_wanted] = (uint32_t)bytes;
    *index = engine->n_scratch + engine->n_wanted++;
    return kTfLiteOk;
}

static void *get_scratch(TfLiteContext *context, int index) {
    engine_t *engine = (engine_t *)context->impl_;
    return engine->arena.base + engine->scratch_offsets[index];
}

// After a failed request no kernel runs.
static TfLiteStatus run_init_and_prepare(engine_t *engine, size_t index) {
    TfLiteContext *context = &engine->context;
    const TfLiteRegistration *kernel = engine->nodes[index].kernel;
    TfLiteNode node = node_view(engine, index);
    if (kernel->init) {
        node.user_data = kernel->init(context, (const char *)node.builtin_data, 0);
        engine->nodes[index].user_data = node.user_data;
    }
    if (engine->arena.full || !kernel->prepare) {
        return kTfLiteOk;
    }
    const TfLiteStatus status = kernel->prepare(context, &node);
    engine->nodes[index].user_data = node.user_data;
    return status;
}

// Remembers the scratch buffers that operator index asked for. They stay at the end of the
// arena, the last one first, until the plan is made.
static void remember_scratch(engine_t *engine, size_t index) {
    for (size_t i = 0; i < engine->n_wanted; ++i) {
        scratch_t *scratch = (scratch_t *)arena_borrow(&engine->arena, sizeof(scratch_t));
        if (!scratch) {
            return;
        }
        scratch->bytes = engine->wanted[i];
        scratch->op = (uint32_t)index;
        ++engine->n_scratch;
    }
}

static TfLiteStatus prepare_op(engine_t *engine, size_t index) {
    const tflite::Operator *op = engine->graph->operators()->Get(index);
    size_t high = engine->arena.high;
    TfLiteStatus status = kTfLiteOk;
    engine->n_wanted = 0;
    if (quantization_attach(engine, op)) {
        status = run_init_and_prepare(engine, index);
    }
    quantization_detach(engine, op);
    arena_drop(&engine->arena, high);
    if (!engine->arena.full && status == kTfLiteOk) {
        remember_scratch(engine, index);
    }
    return status;
}

engine_status_t prepare_ops(engine_t *engine) {
    arena_t *arena = &engine->arena;
    TfLiteContext *context = &engine->context;
    context->AllocatePersistentBuffer = keep;
    context->RequestScratchBufferInArena = request_scratch;
    for (size_t i = 0; i < engine->graph->operators()->size(); ++i) {
        const size_t start = arena->low;
        const size_t high = arena->high;
        const uint16_t n_scratch = engine->n_scratch;
        engine->next_op = (uint32_t)i;
        TfLiteStatus status = prepare_op(engine, i);
        if (arena->full && !arena->measuring) {
            arena_measure(arena, start);
            arena_drop(arena, high);
            engine->n_scratch = n_scratch;
            status = prepare_op(engine, i);
        }
        if (arena->full) {
            return fail_arena(engine, "operators", false);
        }
        if (status != kTfLiteOk) {
            return fail_op(engine, ENGINE_ERR_MODEL, i);
        }
        arena_rewind(arena);
    }
    context->AllocatePersistentBuffer = nullptr;
    context->RequestScratchBufferInArena = nullptr;
    context->GetScratchBuffer = get_scratch;
    return ENGINE_OK;
}
