// The places of activations and scratch buffers, behind what the kernels keep. The plan and
// what describes it lie at the end of the arena, where activations will be, and are dropped.

#include "internal.h"
#include "../plan.h"

static bool is_activation(const TfLiteTensor *tensor) {
    return tensor->allocation_type == kTfLiteArenaRw && !tensor->is_variable;
}

// The place of a tensor in the plan stands in buffer_handle, which no kernel looks at.
static plan_buffer_t *buffer_of(engine_t *engine, plan_buffer_t *buffers, int32_t index) {
    TfLiteTensor *tensor = index < 0 ? nullptr : &engine->context.tensors[index];
    return tensor && is_activation(tensor) ? &buffers[tensor->buffer_handle] : nullptr;
}

// A tensor that nothing uses keeps size 0 and takes no memory.
static void live_at(engine_t *engine, plan_buffer_t *buffer, size_t op) {
    buffer->size = (uint32_t)engine->context.tensors[buffer->owner].bytes;
    buffer->first = op < buffer->first ? (uint16_t)op : buffer->first;
    buffer->last = op > buffer->last ? (uint16_t)op : buffer->last;
}

static void add_use(engine_t *engine, plan_buffer_t *buffers, const indices_t *indices, size_t op) {
    for (size_t i = 0; i < indices->size(); ++i) {
        if (plan_buffer_t *buffer = buffer_of(engine, buffers, indices->Get(i))) {
            live_at(engine, buffer, op);
        }
    }
}

// Graph inputs are written before the first operator and outputs are read after the last one.
// Between runs both are alive, so that writing inputs leaves the outputs as they are.
static void add_ends(engine_t *engine, plan_buffer_t *buffers, const indices_t *indices, size_t op) {
    add_use(engine, buffers, indices, op);
    for (size_t i = 0; i < indices->size(); ++i) {
        if (plan_buffer_t *buffer = buffer_of(engine, buffers, indices->Get(i))) {
            buffer->between_runs = true;
        }
    }
}

static void add_scratch(engine_t *engine, plan_buffer_t *buffers, const scratch_t *last) {
    for (size_t i = 0; i < engine->n_scratch; ++i) {
        const scratch_t *scratch = &last[engine->n_scratch - 1 - i];
        buffers[i] = plan_buffer_t();
        buffers[i].size = scratch->bytes;
        buffers[i].first = buffers[i].last = (uint16_t)scratch->op;
        buffers[i].owner = (uint16_t)i;
        buffers[i].is_scratch = true;
    }
}

// Numbers the activations; returns how many there are.
static size_t count_activations(engine_t *engine) {
    size_t n = 0;
    for (size_t i = 0; i < engine->context.tensors_size; ++i) {
        TfLiteTensor *tensor = &engine->context.tensors[i];
        if (is_activation(tensor)) {
            tensor->buffer_handle = (int)n++;
        }
    }
    return n;
}

static void describe(engine_t *engine, plan_buffer_t *buffers) {
    for (size_t i = 0; i < engine->context.tensors_size; ++i) {
        TfLiteTensor *tensor = &engine->context.tensors[i];
        if (is_activation(tensor)) {
            plan_buffer_t *buffer = &buffers[tensor->buffer_handle];
            *buffer = plan_buffer_t();
            buffer->first = UINT16_MAX;
            buffer->owner = (uint16_t)i;
        }
    }
    const size_t n_ops = engine->graph->operators()->size();
    add_ends(engine, buffers, engine->graph->inputs(), 0);
    if (engine->keeps_inputs) {
        add_use(engine, buffers, engine->graph->inputs(), n_ops);
    }
    add_ends(engine, buffers, engine->graph->outputs(), n_ops);
    for (size_t i = 0; i < n_ops; ++i) {
        const tflite::Operator *op = engine->graph->operators()->Get(i);
        add_use(engine, buffers, graph_inputs(op), i);
        add_use(engine, buffers, graph_outputs(op), i);
    }
}

static plan_buffer_t *take_memory(engine_t *engine, size_t n) {
    arena_t *arena = &engine->arena;
    auto *buffers = (plan_buffer_t *)arena_borrow(arena, n * sizeof(plan_buffer_t));
    engine->scratch_offsets = (uint32_t *)arena_keep(arena, engine->n_scratch * sizeof(uint32_t));
    return arena->full ? nullptr : buffers;
}

static bool shares_memory(const plan_buffer_t *a, const plan_buffer_t *b) {
    return a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

// Marks the inputs whose memory a run uses for something else, in a field that no kernel looks at.
static void mark_overwritten(engine_t *engine, const plan_buffer_t *buffers, size_t n) {
    for (size_t i = 0; i < n; ++i) {
        const bool is_output = buffers[i].last == engine->graph->operators()->size();
        const bool is_input = buffers[i].between_runs && !is_output;
        for (size_t j = 0; is_input && j < n; ++j) {
            if (j != i && shares_memory(&buffers[i], &buffers[j])) {
                engine->context.tensors[buffers[i].owner].data_is_stale = true;
            }
        }
    }
}

static void commit(engine_t *engine, const plan_buffer_t *buffers, size_t n, size_t start) {
    for (size_t i = 0; i < n; ++i) {
        uint32_t offset = (uint32_t)(start + buffers[i].offset);
        if (buffers[i].is_scratch) {
            engine->scratch_offsets[buffers[i].owner] = offset;
        } else if (buffers[i].size) {
            engine->context.tensors[buffers[i].owner].data.data = engine->arena.base + offset;
        }
    }
}

engine_status_t place_activations(engine_t *engine) {
    arena_t *arena = &engine->arena;
    const size_t high = arena->high;
    const scratch_t *scratch = (const scratch_t *)(arena->base + arena->size - high);
    const size_t n_tensors = count_activations(engine);
    const size_t n = n_tensors + engine->n_scratch;
    plan_buffer_t *buffers = take_memory(engine, n);
    if (arena->full && !arena->measuring) {
        arena_measure(arena, arena->low);
        arena_drop(arena, high);
        buffers = take_memory(engine, n);
    }
    if (arena->full) {
        return fail_arena(engine, "activations", false);
    }
    describe(engine, buffers);
    add_scratch(engine, buffers + n_tensors, scratch);
    const size_t start = arena_align(arena_kept(arena), PLAN_ALIGN);
    const size_t end = start + plan(buffers, n);
    arena->peak = arena_align(end > arena->peak ? end : arena->peak, PLAN_ALIGN);
    if (arena->measuring || arena->peak > arena->size) {
        return fail_arena(engine, "activations", true);
    }
    commit(engine, buffers, n, start);
    mark_overwritten(engine, buffers, n);
    return ENGINE_OK;
}
