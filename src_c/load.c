// Loading a model: its bytes, its engine and its arena. What a failed load took is given back.

#include <string.h>

#include "py/gc.h"
#include "py/runtime.h"
#include "microlite.h"

enum { ARG_model, ARG_arena, ARG_copy, ARG_keep_inputs, ARG_state, ARG_name,
       #if MICROLITE_VARIANTS
       ARG_variants,
       #endif
       N_ARGS };

// The arena was too small. When the engine knows only a lower bound, the least size shows by
// loading into larger blocks, as far as the heap has them.
static NORETURN void raise_arena(model_obj_t *self, size_t given, size_t skip) {
    engine_error_t error = *engine_error(microlite_engine(self));
    region_t trial;
    while (!error.exact && region_alloc(&trial, error.needed)) {
        engine_status_t status = engine_load(microlite_engine(self), trial.data, trial.len);
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
    bool exact = fixed;
    for (;;) {
        if (!region_alloc(&arena, size)) {
            microlite_raise_no_block(size, exact, "arena", !microlite_is_in_place(self), self->name);
        }
        engine_status_t status = engine_load(microlite_engine(self), arena.data, size);
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
        exact = engine_error(microlite_engine(self))->exact;
    }
}

static NORETURN void raise_carries_model(void) {
    mp_raise_ValueError(MP_ERROR_TEXT("arena: the buffer carries a live model; close() that first"));
}

// A caller's buffer as the arena. The model counts as live before it is loaded, so that no other
// thread gets the same buffer meanwhile.
static void load_in_buffer(model_obj_t *self, mp_obj_t owner, live_t *live) {
    region_t arena;
    region_from(&arena, owner, MP_BUFFER_RW);
    if (region_overlaps(&arena, &self->model)) {
        mp_raise_ValueError(MP_ERROR_TEXT("arena: the buffer overlaps the model's bytes"));
    }
    size_t skip = region_padding(arena.buf);
    size_t usable = arena.len - MIN(arena.len, skip);
    arena.data += skip;
    self->arena = arena;
    live_add(self, live);
    engine_status_t status = ENGINE_ERR_STATE;
    bool overlaps = live_overlaps(&arena, self);
    if (!overlaps) {
        status = engine_load(microlite_engine(self), arena.data, usable);
    }
    if (status == ENGINE_OK) {
        return;
    }
    live_remove(self);
    if (overlaps) {
        raise_carries_model();
    } else if (status == ENGINE_ERR_ARENA) {
        raise_arena(self, arena.len, skip);
    }
    microlite_raise(status, microlite_engine(self), self->name);
}

static void load_arena(model_obj_t *self, mp_obj_t arena, live_t *live) {
    if (arena == mp_const_none) {
        load_in_block(self, engine_arena_floor(microlite_engine(self)), false);
    } else if (mp_obj_is_small_int(arena)) {
        load_in_block(self, MP_OBJ_SMALL_INT_VALUE(arena), true);
    } else {
        load_in_buffer(self, arena, live);
        return;
    }
    live_add(self, live);
}

// Buffers of these types lie at the head of a block, or say where that is, so that views of tensors
// can keep it alive. Arrays of objects and pointers are no raw memory.
static bool is_plain_buffer(mp_obj_t object) {
    mp_buffer_info_t info;
    return (mp_obj_is_type(object, &mp_type_bytearray) || mp_obj_is_type(object, &mp_type_array)
        || mp_obj_is_type(object, &mp_type_memoryview))
           && mp_get_buffer(object, &info, MP_BUFFER_READ) && strchr("OPS", info.typecode) == NULL;
}

// Refuses what cannot be an arena, before anything else is done.
static void check_arena(mp_obj_t arena) {
    region_t region;
    if (arena == mp_const_none) {
        return;
    } else if (mp_obj_is_int(arena)) {
        if (!mp_obj_is_small_int(arena) || MP_OBJ_SMALL_INT_VALUE(arena) < 0) {
            mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("arena: %s bytes are out of range"),
                mp_obj_str_get_str(mp_call_function_1(MP_OBJ_FROM_PTR(&mp_type_str), arena)));
        }
    } else if (!is_plain_buffer(arena) && !mp_obj_is_type(arena, &mp_type_bytes)) {
        mp_raise_msg_varg(&mp_type_TypeError,
            MP_ERROR_TEXT("arena: None, int, bytearray, memoryview or array of numbers needed, not %s"), mp_obj_get_type_str(arena));
    } else if (!region_from(&region, arena, MP_BUFFER_RW)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("arena: %s is read-only"), mp_obj_get_type_str(arena));
    } else if (live_overlaps(&region, NULL)) {
        gc_collect();   // the model may have been dropped without being closed
        if (live_overlaps(&region, NULL)) {
            raise_carries_model();
        }
    }
}

void microlite_bytes(region_t *self, mp_obj_t model, bool copy, mp_obj_t name) {
    if (!region_from(self, model, MP_BUFFER_READ)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("model: path or buffer needed, not %s"), mp_obj_get_type_str(model));
    }
    if (copy || region_padding(self->buf) != 0) {
        region_t block;
        if (!region_alloc(&block, self->len)) {
            microlite_raise_no_block(self->len, true, "model", !copy, name);
        }
        memcpy(block.data, self->data, self->len);
        *self = block;
    }
}

// A path in bytes is no model, and too short to be one.
static void refuse_path(const region_t *bytes, mp_obj_t model) {
    bool is_text = mp_obj_is_type(model, &mp_type_bytes) && bytes->len < 256;
    bool has_dot = false;
    for (size_t i = 0; is_text && i < bytes->len; ++i) {
        is_text = bytes->buf[i] >= ' ' && bytes->buf[i] < 0x7f;
        has_dot |= bytes->buf[i] == '.';
    }
    if (is_text && has_dot) {
        mp_obj_t problem = mp_obj_new_str_from_cstr("not a TensorFlow Lite model: bytes are taken as the model itself, paths are str");
        microlite_raise_model(mp_obj_new_list(1, &problem), "", mp_const_none);
    }
}

#if MICROLITE_VARIANTS
static void use_variants(model_obj_t *self, mp_obj_t variants) {
    mp_buffer_info_t chosen;
    if (variants == mp_const_none) {
        return;
    }
    mp_get_buffer_raise(variants, &chosen, MP_BUFFER_READ);
    if (engine_use_variants(microlite_engine(self), chosen.buf, chosen.len) != ENGINE_OK) {
        mp_raise_ValueError(MP_ERROR_TEXT("variants: an operator lacks that kernel"));
    }
}
#endif

// Apart from microlite_model_make_new(), so that what an earlier call left on the stack here does
// not keep that model alive when check_arena() collects.
static MP_NOINLINE mp_obj_t model_new(const mp_obj_t *args) {
    mp_obj_t name = args[ARG_name];
    region_t bytes;
    microlite_bytes(&bytes, args[ARG_model], mp_obj_is_true(args[ARG_copy]), name);
    refuse_path(&bytes, args[ARG_model]);

    // All objects come before the arena, which then gets the largest block that is left.
    model_obj_t *self = mp_obj_malloc_var(model_obj_t, engine, uint64_t, (engine_size() + 7) / 8, &microlite_type_Model);
    self->name = name;
    self->inputs = self->outputs = self->on_op = mp_const_none;
    self->state = mp_const_empty_tuple;
    self->slices = MP_OBJ_NULL;
    self->model = bytes;
    self->arena = (region_t) { .owner = MP_OBJ_NULL };
    self->live = NULL;
    self->last_us = UINT32_MAX;
    self->taken = self->has_run = self->has_results = false;
    microlite_open(microlite_engine(self), &bytes, name);
    self->inputs = microlite_new_tensors(self, false);
    self->outputs = microlite_new_tensors(self, true);
    microlite_set_state(self, args[ARG_state]);
    if (mp_obj_is_true(args[ARG_keep_inputs])) {
        engine_keep_inputs(microlite_engine(self));
    }
    #if MICROLITE_VARIANTS
    use_variants(self, args[ARG_variants]);
    #endif
    live_t *live = live_new(self);

    load_arena(self, args[ARG_arena], live);
    microlite_load_tensors(self->inputs);
    microlite_load_tensors(self->outputs);
    const tensor_obj_t *loop = microlite_find_loop(self);
    if (loop != NULL) {
        live_remove(self);
        microlite_raise_tensor(&mp_type_ValueError, loop, "an input that is an output as it is cannot be carried");
    }
    return MP_OBJ_FROM_PTR(self);
}

static mp_obj_t check_and_load(const mp_obj_t *args) {
    check_arena(args[ARG_arena]);
    return model_new(args);
}

mp_obj_t microlite_model_make_new(const mp_obj_type_t *type, size_t n_args, size_t n_kw, const mp_obj_t *all_args) {
    (void)type;
    static const mp_arg_t allowed_args[] = {
        [ARG_model] = { MP_QSTR_model, MP_ARG_REQUIRED | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL} },
        [ARG_arena] = { MP_QSTR_arena, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_NONE} },
        [ARG_copy] = { MP_QSTR_copy, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_FALSE} },
        [ARG_keep_inputs] = { MP_QSTR_keep_inputs, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_FALSE} },
        [ARG_state] = { MP_QSTR_state, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_NONE} },
        [ARG_name] = { MP_QSTR_name, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_NONE} },
        #if MICROLITE_VARIANTS
        [ARG_variants] = { MP_QSTR_variants, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_NONE} },
        #endif
    };
    mp_arg_val_t values[N_ARGS];
    mp_arg_parse_all_kw_array(n_args, n_kw, all_args, N_ARGS, allowed_args, values);
    mp_obj_t args[N_ARGS];
    for (size_t i = 0; i < N_ARGS; ++i) {
        args[i] = values[i].u_obj;
    }
    return interrupts_held_call(check_and_load, args);
}
