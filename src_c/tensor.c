// The type Tensor: an input or an output of a Model, which it keeps alive.
//
// Views of the data are memoryviews on the head of the block that the data lies in, with an
// offset: the collector does not follow pointers to the inside of a block.

#include <stdarg.h>
#include <string.h>

#include "py/binary.h"
#include "py/objarray.h"
#include "py/objtuple.h"
#include "py/runtime.h"
#include "microlite.h"

static const dtype_t dtypes[] = {
    [ENGINE_FLOAT32] = { 'f', 'f', MP_QSTR_float32 },
    [ENGINE_FLOAT16] = { 0, 'H', MP_QSTR_float16 },
    [ENGINE_INT32] = { 'i', 'i', MP_QSTR_int32 },
    [ENGINE_UINT8] = { 'B', 'B', MP_QSTR_uint8 },
    [ENGINE_INT64] = { 'q', 'q', MP_QSTR_int64 },
    [ENGINE_STRING] = { 0, 'B', MP_QSTR_string },
    [ENGINE_BOOL] = { '?', 'B', MP_QSTR_bool },
    [ENGINE_INT16] = { 'h', 'h', MP_QSTR_int16 },
    [ENGINE_COMPLEX64] = { 0, 'f', MP_QSTR_complex64 },
    [ENGINE_INT8] = { 'b', 'b', MP_QSTR_int8 },
};

const dtype_t *microlite_dtype(const tensor_obj_t *self) {
    return &dtypes[self->info.type];
}

mp_obj_t microlite_new_tensors(model_obj_t *model, bool outputs) {
    const engine_t *engine = microlite_engine(model);
    size_t n = outputs ? engine_n_outputs(engine) : engine_n_inputs(engine);
    mp_obj_tuple_t *tensors = MP_OBJ_TO_PTR(mp_obj_new_tuple(n, NULL));
    for (size_t i = 0; i < n; ++i) {
        tensor_obj_t *self = mp_obj_malloc(tensor_obj_t, &microlite_type_Tensor);
        self->model = model;
        self->index = i;
        self->is_output = outputs;
        self->is_stale = self->is_viewed = false;
        (outputs ? engine_output : engine_input)(engine, i, &self->info);
        self->slice = microlite_slice(self);
        tensors->items[i] = MP_OBJ_FROM_PTR(self);
    }
    return MP_OBJ_FROM_PTR(tensors);
}

void microlite_load_tensors(mp_obj_t tensors_in) {
    mp_obj_tuple_t *tensors = MP_OBJ_TO_PTR(tensors_in);
    for (size_t i = 0; i < tensors->len; ++i) {
        tensor_obj_t *self = MP_OBJ_TO_PTR(tensors->items[i]);
        const engine_t *engine = microlite_engine(self->model);
        (self->is_output ? engine_output : engine_input)(engine, i, &self->info);
        self->slice = microlite_slice(self);
        if (!self->is_output && !self->info.constant) {
            memset(self->info.data, 0, self->info.nbytes);
            if (self->slice != 0 && microlite_is_quantised(self)) {
                values_t values = microlite_values(self);
                values_clear(&values);
            }
        }
    }
}

// As in "input 0 (name)".
static void print_place(const mp_print_t *print, const tensor_obj_t *self, bool with_name) {
    mp_printf(print, self->is_output ? "output %u" : "input %u", self->index);
    if (with_name && self->info.name[0] != '\0') {
        mp_print_str(print, " (");
        mp_obj_print_helper(print, microlite_new_str(self->info.name), PRINT_STR);
        mp_print_str(print, ")");
    }
}

NORETURN void microlite_raise_tensor(const mp_obj_type_t *type, const tensor_obj_t *self, const char *format, ...) {
    vstr_t message;
    mp_print_t print;
    vstr_init_print(&message, 80, &print);
    print_place(&print, self, true);
    mp_print_str(&print, ": ");
    va_list args;
    va_start(args, format);
    mp_vprintf(&print, format, args);
    va_end(args);
    mp_obj_t text = mp_obj_new_str_from_vstr(&message);
    nlr_raise(mp_obj_new_exception_args(type, 1, &text));
}

// --- Who may read and write ---

void microlite_check_writable(tensor_obj_t *self) {
    microlite_check(self->model);
    if (self->is_output || self->info.constant) {
        microlite_raise_tensor(&mp_type_TypeError, self, self->is_output ? "outputs are read-only" : "constants are read-only");
    }
}

static bool is_readable(const tensor_obj_t *self) {
    return self->is_output ? self->model->has_results : !self->is_stale;
}

void microlite_take_to_read(tensor_obj_t *self, interrupts_t *saved) {
    microlite_take(self->model, MP_OBJ_NULL, saved);
    if (!is_readable(self)) {
        microlite_release(self->model, saved);
        microlite_raise_tensor(&mp_type_RuntimeError, self, !self->is_output ? "its memory was reused by invoke(); keep a copy"
            : self->model->has_run ? "no result: the last run did not finish" : "no result yet: invoke() first");
    }
}

bool microlite_try_take_to_read(tensor_obj_t *self, interrupts_t *saved) {
    if (!microlite_try_take(self->model, saved)) {
        return false;
    } else if (!microlite_is_lost(self->model) && is_readable(self)) {
        return true;
    }
    microlite_release(self->model, saved);
    return false;
}

void microlite_check_readable(tensor_obj_t *self) {
    interrupts_t saved;
    microlite_take_to_read(self, &saved);
    microlite_release(self->model, &saved);
}

// --- Views ---

// From then on the engine does not see who writes an input: it counts as written.
static void expose(tensor_obj_t *self) {
    interrupts_t saved;
    microlite_take(self->model, MP_OBJ_NULL, &saved);
    self->is_viewed = !self->is_output;
    self->is_stale = false;
    microlite_release(self->model, &saved);
}

static mp_obj_t tensor_view(tensor_obj_t *self) {
    expose(self);
    const engine_tensor_t *info = &self->info;
    const region_t *region = info->constant ? &self->model->model : &self->model->arena;
    char code = microlite_dtype(self)->view;
    size_t item_size = mp_binary_get_size('@', code, NULL);
    byte *head = region->head;
    size_t offset = (byte *)info->data - head;
    if (offset % item_size != 0) {
        // Only memory outside the heap may lie so.
        head = info->data;
        offset = 0;
    }
    if (offset / item_size >= (size_t)1 << MP_OBJ_ARRAY_FREE_SIZE_BITS) {
        microlite_raise_tensor(&mp_type_OverflowError, self, "too far inside the arena for a view");
    }
    bool writable = !self->is_output && !info->constant;
    mp_obj_array_t *view = MP_OBJ_TO_PTR(mp_obj_new_memoryview(code, info->nbytes / item_size, head));
    view->free = offset / item_size;
    view->typecode |= writable ? MP_OBJ_ARRAY_TYPECODE_FLAG_RW : 0;
    return MP_OBJ_FROM_PTR(view);
}

// --- The type ---

static mp_obj_t tensor_shape(const tensor_obj_t *self) {
    mp_obj_tuple_t *shape = MP_OBJ_TO_PTR(mp_obj_new_tuple(self->info.rank, NULL));
    for (size_t i = 0; i < shape->len; ++i) {
        shape->items[i] = mp_obj_new_int(self->info.shape[i]);
    }
    return MP_OBJ_FROM_PTR(shape);
}

mp_obj_t microlite_tensor_attribute(const tensor_obj_t *self, qstr attr) {
    switch (attr) {
        case MP_QSTR_name:
            return microlite_new_str(self->info.name);
        case MP_QSTR_index:
            return MP_OBJ_NEW_SMALL_INT(self->index);
        case MP_QSTR_shape:
            return tensor_shape(self);
        case MP_QSTR_dtype:
            return MP_OBJ_NEW_QSTR(microlite_dtype(self)->name);
        case MP_QSTR_typecode:
            return mp_obj_new_str_via_qstr(&microlite_dtype(self)->view, 1);
        case MP_QSTR_size:
            return mp_obj_new_int_from_uint(self->info.size);
        case MP_QSTR_nbytes:
            return mp_obj_new_int_from_uint(self->info.nbytes);
        default:
            return microlite_quantisation_attribute(self, attr);
    }
}

static mp_obj_t tensor_unary_op(mp_unary_op_t op, mp_obj_t self_in) {
    tensor_obj_t *self = MP_OBJ_TO_PTR(self_in);
    if (op != MP_UNARY_OP_LEN) {
        return MP_OBJ_NULL;
    }
    microlite_check(self->model);
    return mp_obj_new_int_from_uint(self->info.size);
}

static void tensor_print(const mp_print_t *print, mp_obj_t self_in, mp_print_kind_t kind) {
    (void)kind;
    tensor_obj_t *self = MP_OBJ_TO_PTR(self_in);
    mp_print_str(print, "Tensor(");
    print_place(print, self, !microlite_is_lost(self->model));
    if (microlite_is_lost(self->model)) {
        mp_print_str(print, self->model->live == NULL ? " of a closed model)" : " of a lost model)");
        return;
    }
    mp_printf(print, ", %q ", (qstr)microlite_dtype(self)->name);
    mp_obj_print_helper(print, tensor_shape(self), PRINT_REPR);
    microlite_print_quantisation(print, self);
    mp_print_str(print, ")");
}

static const mp_rom_map_elem_t tensor_locals_dict_table[] = {
    { MP_ROM_QSTR(MP_QSTR_read), MP_ROM_PTR(&microlite_read_obj) },
    { MP_ROM_QSTR(MP_QSTR_read_into), MP_ROM_PTR(&microlite_read_into_obj) },
    { MP_ROM_QSTR(MP_QSTR_write), MP_ROM_PTR(&microlite_write_obj) },
    { MP_ROM_QSTR(MP_QSTR_write_raw), MP_ROM_PTR(&microlite_write_raw_obj) },
    { MP_ROM_QSTR(MP_QSTR_write_image), MP_ROM_PTR(&microlite_write_image_obj) },
    { MP_ROM_QSTR(MP_QSTR_argmax), MP_ROM_PTR(&microlite_argmax_obj) },
    { MP_ROM_QSTR(MP_QSTR_quantize), MP_ROM_PTR(&microlite_quantize_obj) },
    { MP_ROM_QSTR(MP_QSTR_dequantize), MP_ROM_PTR(&microlite_dequantize_obj) },
};
static MP_DEFINE_CONST_DICT(tensor_locals_dict, tensor_locals_dict_table);

static void tensor_attr(mp_obj_t self_in, qstr attr, mp_obj_t *dest) {
    if (dest[0] != MP_OBJ_NULL) {
        return;
    }
    if (mp_map_lookup((mp_map_t *)&tensor_locals_dict.map, MP_OBJ_NEW_QSTR(attr), MP_MAP_LOOKUP) != NULL) {
        dest[1] = MP_OBJ_SENTINEL;
        return;
    }
    tensor_obj_t *self = MP_OBJ_TO_PTR(self_in);
    microlite_check(self->model);
    dest[0] = attr == MP_QSTR_data ? tensor_view(self) : microlite_tensor_attribute(self, attr);
}

MP_DEFINE_CONST_OBJ_TYPE(
    microlite_type_Tensor,
    MP_QSTR_Tensor,
    MP_TYPE_FLAG_NONE,
    print, tensor_print,
    unary_op, tensor_unary_op,
    subscr, microlite_tensor_subscr,
    iter, microlite_tensor_iter,
    attr, tensor_attr,
    locals_dict, &tensor_locals_dict
    );
