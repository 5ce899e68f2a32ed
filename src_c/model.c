// The type Model: an engine, its model's bytes and its arena.
//
// A Model holds the engine in the same block of the heap. It keeps model and arena alive, blocks
// of its own by their heads, a caller's buffers by their objects. Tensors keep their Model alive;
// views of tensor data keep the memory they lie in, not the Model. close() lets go of model and
// arena and the collector does the rest, so there is no finaliser.

#include <string.h>

#include "py/gc.h"
#include "py/mphal.h"
#include "py/runtime.h"
#include "microlite.h"

// --- Interrupts ---

// The unix port raises KeyboardInterrupt out of the signal handler, wherever that strikes. While
// the engine works the signal waits.
#if MICROPY_ASYNC_KBD_INTR && !defined(_WIN32)
#include <signal.h>

typedef sigset_t interrupts_t;

static void interrupts_hold(interrupts_t *saved) {
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGINT);
    sigprocmask(SIG_BLOCK, &mask, saved);
}

static void interrupts_release(const interrupts_t *saved) {
    sigprocmask(SIG_SETMASK, saved, NULL);
}

static bool interrupts_pending(void) {
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGINT);
}
#else
typedef int interrupts_t;

static void interrupts_hold(interrupts_t *saved) {
    (void)saved;
}

static void interrupts_release(const interrupts_t *saved) {
    (void)saved;
}

static bool interrupts_pending(void) {
    return false;
}
#endif

// Between two operators: run what waits. Returns what that raised, or MP_OBJ_NULL.
static mp_obj_t run_pending(interrupts_t *saved) {
    bool pending = interrupts_pending() || MP_STATE_THREAD(mp_pending_exception) != MP_OBJ_NULL;
    #if MICROPY_ENABLE_SCHEDULER
    pending |= MP_STATE_VM(sched_state) == MP_SCHED_PENDING;
    #endif
    if (!pending) {
        return MP_OBJ_NULL;
    }
    mp_obj_t raised = MP_OBJ_NULL;
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) {
        interrupts_release(saved);
        mp_handle_pending(true);
        nlr_pop();
    } else {
        raised = MP_OBJ_FROM_PTR(nlr.ret_val);
    }
    interrupts_hold(saved);
    return raised;
}

// --- Loading ---

static engine_status_t load(model_obj_t *self, void *arena, size_t size) {
    interrupts_t saved;
    interrupts_hold(&saved);
    engine_status_t status = engine_load(microlite_engine(self), arena, size);
    interrupts_release(&saved);
    return status;
}

// The arena was too small. When the engine knows only a lower bound, the least size shows by
// loading into larger blocks, as far as the heap has them.
static NORETURN void raise_arena(model_obj_t *self, size_t given, size_t skip) {
    engine_error_t error = *engine_error(microlite_engine(self));
    region_t trial;
    while (!error.exact && region_alloc(&trial, error.needed)) {
        engine_status_t status = load(self, trial.data, trial.len);
        region_free(&trial);
        if (status == ENGINE_ERR_ARENA) {
            error.needed = engine_error(microlite_engine(self))->needed;
        } else if (status != ENGINE_OK) {
            microlite_raise(status, microlite_engine(self), self->name);
        }
        error.exact = status == ENGINE_OK;
    }
    microlite_raise_arena(&error, given, skip, self->name);
}

// An arena of ours: of the size given, or of the least size, which shows by trying lower bounds.
// What an attempt took is given back at once.
static void load_in_block(model_obj_t *self, size_t size, bool fixed) {
    region_t arena;
    for (;;) {
        if (!region_alloc(&arena, size)) {
            microlite_raise_no_block(size, "arena", self->name);
        }
        engine_status_t status = load(self, arena.data, size);
        if (status == ENGINE_OK) {
            self->arena = arena;
            return;
        }
        region_free(&arena);
        if (status != ENGINE_ERR_ARENA) {
            microlite_raise(status, microlite_engine(self), self->name);
        } else if (fixed) {
            raise_arena(self, size, 0);
        }
        size = engine_error(microlite_engine(self))->needed;
    }
}

// A caller's buffer as the arena.
static void load_in_buffer(model_obj_t *self, mp_obj_t owner) {
    region_t arena;
    region_from(&arena, owner, MP_BUFFER_RW);
    if (region_overlaps(&arena, &self->model)) {
        mp_raise_ValueError(MP_ERROR_TEXT("arena: the buffer overlaps the model's bytes"));
    }
    size_t skip = MIN(arena.len, region_padding(arena.buf));
    arena.data += skip;
    engine_status_t status = load(self, arena.data, arena.len - skip);
    if (status == ENGINE_ERR_ARENA) {
        raise_arena(self, arena.len, skip);
    } else if (status != ENGINE_OK) {
        microlite_raise(status, microlite_engine(self), self->name);
    }
    self->arena = arena;
}

static void load_arena(model_obj_t *self, mp_obj_t arena) {
    if (arena == mp_const_none) {
        load_in_block(self, engine_arena_floor(microlite_engine(self)), false);
    } else if (mp_obj_is_small_int(arena)) {
        load_in_block(self, MP_OBJ_SMALL_INT_VALUE(arena), true);
    } else {
        load_in_buffer(self, arena);
    }
}

// Refuses what cannot be an arena, before anything else is done.
static void check_arena(mp_obj_t arena) {
    region_t region;
    if (arena == mp_const_none) {
        return;
    } else if (mp_obj_is_int(arena)) {
        if (!mp_obj_is_small_int(arena) || MP_OBJ_SMALL_INT_VALUE(arena) < 0) {
            mp_raise_ValueError(MP_ERROR_TEXT("arena: size out of range"));
        }
    } else if (!region_from(&region, arena, MP_BUFFER_RW)) {
        bool readable = region_from(&region, arena, MP_BUFFER_READ);
        mp_raise_msg_varg(&mp_type_TypeError, readable ? MP_ERROR_TEXT("arena: %s is read-only")
            : MP_ERROR_TEXT("arena: None, int or writable buffer needed, not %s"), mp_obj_get_type_str(arena));
    } else if (live_overlaps(&region)) {
        gc_collect();   // the model may have been dropped without being closed
        if (live_overlaps(&region)) {
            mp_raise_ValueError(MP_ERROR_TEXT("arena: the buffer carries a live model; close() that first"));
        }
    }
}

// The model's bytes where they are, or in an aligned block.
static void region_from_model(region_t *self, mp_obj_t model, bool copy, mp_obj_t name) {
    if (!region_from(self, model, MP_BUFFER_READ)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("model: path or buffer needed, not %s"), mp_obj_get_type_str(model));
    }
    if (copy || region_padding(self->buf) != 0) {
        region_t block;
        if (!region_alloc(&block, self->len)) {
            microlite_raise_no_block(self->len, "model", name);
        }
        memcpy(block.data, self->data, self->len);
        *self = block;
    }
}

// Apart from model_make_new(), so that what an earlier call left on the stack here does not keep
// that model alive when check_arena() collects.
static MP_NOINLINE mp_obj_t model_new(const mp_obj_type_t *type, mp_obj_t model, mp_obj_t arena, bool copy, mp_obj_t name) {
    region_t bytes;
    region_from_model(&bytes, model, copy, name);

    // All objects come before the arena, which then gets the largest block that is left.
    model_obj_t *self = mp_obj_malloc_var(model_obj_t, engine, uint64_t, (engine_size() + 7) / 8, type);
    self->name = name;
    self->model = bytes;
    self->arena = (region_t) { .owner = MP_OBJ_NULL };
    self->live = NULL;
    self->busy = false;
    interrupts_t saved;
    interrupts_hold(&saved);
    engine_status_t status = engine_open(microlite_engine(self), bytes.data, bytes.len);
    interrupts_release(&saved);
    if (status != ENGINE_OK) {
        microlite_raise(status, microlite_engine(self), name);
    }
    self->inputs = microlite_new_tensors(self, false);
    self->outputs = microlite_new_tensors(self, true);
    live_t *live = live_new(self);

    load_arena(self, arena);
    microlite_load_tensors(self->inputs);
    microlite_load_tensors(self->outputs);
    live_add(self, live);
    return MP_OBJ_FROM_PTR(self);
}

static mp_obj_t model_make_new(const mp_obj_type_t *type, size_t n_args, size_t n_kw, const mp_obj_t *all_args) {
    enum { ARG_model, ARG_arena, ARG_copy, ARG_name };
    static const mp_arg_t allowed_args[] = {
        { MP_QSTR_model, MP_ARG_REQUIRED | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL} },
        { MP_QSTR_arena, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_NONE} },
        { MP_QSTR_copy, MP_ARG_KW_ONLY | MP_ARG_BOOL, {.u_bool = false} },
        { MP_QSTR_name, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_NONE} },
    };
    mp_arg_val_t args[MP_ARRAY_SIZE(allowed_args)];
    mp_arg_parse_all_kw_array(n_args, n_kw, all_args, MP_ARRAY_SIZE(allowed_args), allowed_args, args);
    check_arena(args[ARG_arena].u_obj);
    return model_new(type, args[ARG_model].u_obj, args[ARG_arena].u_obj, args[ARG_copy].u_bool, args[ARG_name].u_obj);
}

// --- Use ---

static void check_open(const model_obj_t *self) {
    if (self->live == NULL) {
        mp_raise_msg(&mp_type_RuntimeError, MP_ERROR_TEXT("model is closed"));
    }
}

static NORETURN void raise_busy(void) {
    mp_raise_msg(&mp_type_RuntimeError, MP_ERROR_TEXT("model is busy: its invoke() is running"));
}

void microlite_check(model_obj_t *self) {
    check_open(self);
    if (self->busy) {
        raise_busy();
    }
    region_check(&self->model);
    region_check(&self->arena);
    if (engine_state(microlite_engine(self)) == ENGINE_BROKEN) {
        mp_raise_msg(&mp_type_RuntimeError, MP_ERROR_TEXT("model failed an assertion; close() it"));
    }
}

static bool take(model_obj_t *self) {
    mp_uint_t atomic_state = MICROPY_BEGIN_ATOMIC_SECTION();
    bool taken = !self->busy;
    self->busy = true;
    MICROPY_END_ATOMIC_SECTION(atomic_state);
    return taken;
}

static mp_obj_t model_invoke(mp_obj_t self_in) {
    model_obj_t *self = MP_OBJ_TO_PTR(self_in);
    engine_t *engine = microlite_engine(self);
    microlite_check(self);
    interrupts_t saved;
    interrupts_hold(&saved);
    if (!take(self)) {
        interrupts_release(&saved);
        raise_busy();
    }
    mp_obj_t raised = MP_OBJ_NULL;
    engine_status_t status = engine_begin(engine);
    if (status == ENGINE_OK) {
        do {
            status = engine_step(engine);
        } while (status == ENGINE_MORE && (raised = run_pending(&saved)) == MP_OBJ_NULL);
    }
    self->busy = false;
    interrupts_release(&saved);
    if (raised != MP_OBJ_NULL) {
        nlr_raise(raised);
    }
    if (status != ENGINE_OK) {
        microlite_raise(status, engine, self->name);
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(model_invoke_obj, model_invoke);

static mp_obj_t model_close(mp_obj_t self_in) {
    model_obj_t *self = MP_OBJ_TO_PTR(self_in);
    if (self->live == NULL) {
        return mp_const_none;
    }
    if (self->busy) {
        raise_busy();
    }
    live_remove(self);
    engine_close(microlite_engine(self));
    self->model = self->arena = (region_t) { .owner = MP_OBJ_NULL };
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(model_close_obj, model_close);

static mp_obj_t model_ops(model_obj_t *self) {
    microlite_check(self);
    const engine_t *engine = microlite_engine(self);
    mp_obj_tuple_t *ops = MP_OBJ_TO_PTR(mp_obj_new_tuple(engine_n_ops(engine), NULL));
    for (size_t i = 0; i < ops->len; ++i) {
        ops->items[i] = microlite_new_str(engine_op(engine, i));
    }
    return MP_OBJ_FROM_PTR(ops);
}

static mp_obj_t load_attribute(model_obj_t *self, qstr attr) {
    switch (attr) {
        case MP_QSTR_inputs:
            return self->inputs;
        case MP_QSTR_outputs:
            return self->outputs;
        case MP_QSTR_size:
            return mp_obj_new_int_from_uint(self->model.len);
        case MP_QSTR_in_place:
            return mp_obj_new_bool(self->model.owner != MP_OBJ_NULL);
        case MP_QSTR_arena_size:
            return mp_obj_new_int_from_uint(self->arena.len);
        case MP_QSTR_arena_used:
        case MP_QSTR_arena_needed:
            return mp_obj_new_int_from_uint(engine_arena_needed(microlite_engine(self)));
        case MP_QSTR_ops:
            return model_ops(self);
        default:
            return MP_OBJ_NULL;
    }
}

static void model_attr(mp_obj_t self_in, qstr attr, mp_obj_t *dest) {
    model_obj_t *self = MP_OBJ_TO_PTR(self_in);
    if (dest[0] != MP_OBJ_NULL) {
        return;
    }
    dest[0] = load_attribute(self, attr);
    if (dest[0] == MP_OBJ_NULL) {
        dest[1] = MP_OBJ_SENTINEL;
    } else {
        check_open(self);
    }
}

static void model_print(const mp_print_t *print, mp_obj_t self_in, mp_print_kind_t kind) {
    (void)kind;
    model_obj_t *self = MP_OBJ_TO_PTR(self_in);
    if (self->live == NULL) {
        mp_print_str(print, "Model(closed)");
    } else {
        mp_printf(print, "Model(" UINT_FMT " bytes at %p, arena " UINT_FMT " bytes at %p)",
            (mp_uint_t)self->model.len, self->model.data, (mp_uint_t)self->arena.len, self->arena.data);
    }
}

static const mp_rom_map_elem_t model_locals_dict_table[] = {
    { MP_ROM_QSTR(MP_QSTR_invoke), MP_ROM_PTR(&model_invoke_obj) },
    { MP_ROM_QSTR(MP_QSTR_close), MP_ROM_PTR(&model_close_obj) },
};
static MP_DEFINE_CONST_DICT(model_locals_dict, model_locals_dict_table);

MP_DEFINE_CONST_OBJ_TYPE(
    microlite_type_Model,
    MP_QSTR_Model,
    MP_TYPE_FLAG_NONE,
    make_new, model_make_new,
    print, model_print,
    attr, model_attr,
    locals_dict, &model_locals_dict
    );
