// The type Model: an engine, its model's bytes and its arena.
//
// A Model holds the engine in the same block of the heap. It keeps model and arena alive, blocks
// of its own by their heads, a caller's buffers by their objects. Tensors keep their Model alive;
// views of tensor data keep the memory they lie in, not the Model. close() lets go of model and
// arena and the collector does the rest, so there is no finaliser.

#include "py/objarray.h"
#include "py/runtime.h"
#include "microlite.h"

// Back to the state after loading, but for what outputs, and inputs that are not carried into, hold.
static mp_obj_t model_reset(mp_obj_t self_in) {
    model_obj_t *self = MP_OBJ_TO_PTR(self_in);
    interrupts_t saved;
    microlite_take(self, self->slices, &saved);
    self->slices = MP_OBJ_NULL;
    engine_reset(microlite_engine(self));
    microlite_clear_state(self);
    microlite_release(self, &saved);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(model_reset_obj, model_reset);

static mp_obj_t model_close(mp_obj_t self_in) {
    model_obj_t *self = MP_OBJ_TO_PTR(self_in);
    interrupts_t saved;
    if (!microlite_try_take(self, &saved)) {
        microlite_raise_busy();
    }
    if (self->live != NULL) {
        live_remove(self);
        engine_close(microlite_engine(self));
        self->model = self->arena = (region_t) { .owner = MP_OBJ_NULL };
        self->on_op = mp_const_none;
        self->slices = MP_OBJ_NULL;
    }
    microlite_release(self, &saved);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(model_close_obj, model_close);

static void check_open(const model_obj_t *self) {
    if (self->live == NULL) {
        mp_raise_msg(&mp_type_RuntimeError, MP_ERROR_TEXT("model is closed"));
    }
}

static void set_on_op(model_obj_t *self, mp_obj_t value) {
    check_open(self);
    if (value != mp_const_none && !mp_obj_is_callable(value)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("on_op: None or callable needed, not %s"), mp_obj_get_type_str(value));
    }
    self->on_op = value;
}

// A file that could not be used where it is was read into a bytearray.
bool microlite_is_in_place(const model_obj_t *self) {
    mp_obj_t owner = self->model.owner;
    return owner != MP_OBJ_NULL && (self->name == mp_const_none || !mp_obj_is_type(owner, &mp_type_bytearray));
}

static mp_obj_t view_bytes(const model_obj_t *self) {
    const region_t *bytes = &self->model;
    mp_obj_array_t *view = MP_OBJ_TO_PTR(mp_obj_new_memoryview('B', bytes->len, bytes->head));
    view->free = bytes->data - (byte *)bytes->head;
    return MP_OBJ_FROM_PTR(view);
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
            return mp_obj_new_bool(microlite_is_in_place(self));
        case MP_QSTR_file:
            return self->name;
        case MP_QSTR__bytes:
            microlite_check(self);
            return view_bytes(self);
        case MP_QSTR_arena_size:
            return mp_obj_new_int_from_uint(self->arena.len);
        case MP_QSTR_arena_used:
        case MP_QSTR_arena_needed:
            return mp_obj_new_int_from_uint(engine_arena_needed(microlite_engine(self)));
        case MP_QSTR_ops:
            microlite_check(self);
            return microlite_new_ops(microlite_engine(self));
        case MP_QSTR_on_op:
            return self->on_op;
        #if MICROLITE_VARIANTS
        case MP_QSTR__variants:
            microlite_check(self);
            return microlite_new_variants(microlite_engine(self));
        #endif
        case MP_QSTR_last_us:
            return self->last_us == UINT32_MAX ? mp_const_none : mp_obj_new_int_from_uint(self->last_us);
        default:
            return MP_OBJ_NULL;
    }
}

static void model_attr(mp_obj_t self_in, qstr attr, mp_obj_t *dest) {
    model_obj_t *self = MP_OBJ_TO_PTR(self_in);
    if (dest[0] != MP_OBJ_NULL) {
        if (attr == MP_QSTR_on_op && dest[1] != MP_OBJ_NULL) {
            set_on_op(self, dest[1]);
            dest[0] = MP_OBJ_NULL;
        }
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
    mp_print_str(print, "Model(");
    if (self->name != mp_const_none) {
        mp_obj_print_helper(print, self->name, PRINT_STR);
        mp_print_str(print, ": ");
    }
    if (self->live == NULL) {
        mp_print_str(print, "closed)");
    } else {
        mp_printf(print, UINT_FMT " bytes %s at %p, arena " UINT_FMT " bytes at %p)", (mp_uint_t)self->model.len,
            microlite_is_in_place(self) ? "in place" : "copied", self->model.data, (mp_uint_t)self->arena.len, self->arena.data);
    }
}

static const mp_rom_map_elem_t model_locals_dict_table[] = {
    { MP_ROM_QSTR(MP_QSTR_invoke), MP_ROM_PTR(&microlite_invoke_obj) },
    { MP_ROM_QSTR(MP_QSTR_predict), MP_ROM_PTR(&microlite_predict_obj) },
    { MP_ROM_QSTR(MP_QSTR_predict_all), MP_ROM_PTR(&microlite_predict_all_obj) },
    { MP_ROM_QSTR(MP_QSTR_input), MP_ROM_PTR(&microlite_input_obj) },
    { MP_ROM_QSTR(MP_QSTR_output), MP_ROM_PTR(&microlite_output_obj) },
    { MP_ROM_QSTR(MP_QSTR__slices), MP_ROM_PTR(&microlite_slices_obj) },
    { MP_ROM_QSTR(MP_QSTR_profile), MP_ROM_PTR(&microlite_profile_obj) },
    { MP_ROM_QSTR(MP_QSTR_reset), MP_ROM_PTR(&model_reset_obj) },
    { MP_ROM_QSTR(MP_QSTR_close), MP_ROM_PTR(&model_close_obj) },
};
static MP_DEFINE_CONST_DICT(model_locals_dict, model_locals_dict_table);

MP_DEFINE_CONST_OBJ_TYPE(
    microlite_type_Model,
    MP_QSTR_Model,
    MP_TYPE_FLAG_NONE,
    make_new, microlite_model_make_new,
    print, model_print,
    attr, model_attr,
    locals_dict, &model_locals_dict
    );
