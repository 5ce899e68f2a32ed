// The methods of Tensor that write numbers: real values from Python objects, buffers and other
// tensors, and the tensor's own representation.
//
// All values are checked before the first is stored, so that a call that fails changes nothing.

#include <string.h>

#include "py/binary.h"
#include "py/objlist.h"
#include "py/runtime.h"
#include "microlite.h"

static NORETURN void raise_length(const tensor_obj_t *self, size_t n) {
    microlite_raise_tensor(&mp_type_ValueError, self, UINT_FMT " values needed, " UINT_FMT " given",
        (mp_uint_t)self->info.size, (mp_uint_t)n);
}

// Put a Python number into a row of float, an int into one of int64.
static void put_number(const tensor_obj_t *self, const values_t *row, size_t index, mp_obj_t number) {
    if (row->code == 'f') {
        ((float *)row->data)[index] = (float)mp_obj_get_float(number);
        return;
    }
    mp_binary_set_val_array(row->code, row->data, index, number);
    if (!mp_obj_equal(values_get(row, index), number)) {
        microlite_raise_tensor(&mp_type_OverflowError, self, "int beyond 64 bits");
    }
}

// The numbers of an iterable, in a block of their own. Python code may run meanwhile and change
// the list. Where only ints go into an integer tensor, they are kept exactly.
static values_t collect(const tensor_obj_t *self, const values_t *dst, mp_obj_t iterable) {
    if (!mp_obj_is_type(iterable, &mp_type_list) && !mp_obj_is_type(iterable, &mp_type_tuple)) {
        iterable = mp_obj_list_make_new(&mp_type_list, 1, 0, &iterable);
    }
    size_t n;
    mp_obj_t *items;
    mp_obj_get_array(iterable, &n, &items);
    if (n != dst->n) {
        raise_length(self, n);
    }
    bool exact = dst->code != 'f' && !dst->quantised;
    for (size_t i = 0; exact && i < n; ++i) {
        exact = mp_obj_is_int(items[i]) || mp_obj_is_bool(items[i]);
    }
    values_t row = { .n = n, .code = exact ? 'q' : 'f' };
    row.data = m_new(byte, n * values_item_size(row.code));
    for (size_t i = 0; i < row.n; ++i) {
        mp_obj_get_array(iterable, &n, &items);
        if (i >= n) {
            raise_length(self, n);
        }
        put_number(self, &row, i, items[i]);
    }
    return row;
}

// Numbers that are there already: another tensor's or a buffer's. False for other objects.
static bool values_in_place(const tensor_obj_t *self, mp_obj_t from, bool scaled, values_t *values) {
    if (mp_obj_is_type(from, &microlite_type_Tensor)) {
        tensor_obj_t *other = MP_OBJ_TO_PTR(from);
        microlite_check_readable(other);
        *values = microlite_values(other);
        return true;
    }
    mp_buffer_info_t info;
    if (!mp_get_buffer(from, &info, MP_BUFFER_READ)) {
        return false;
    }
    if (mp_obj_is_str(from) || !values_from_buffer(values, &info)) {
        microlite_raise_tensor(&mp_type_TypeError, self, "%s without numbers", mp_obj_get_type_str(from));
    }
    if (values->code == 'B' && !scaled) {
        microlite_raise_tensor(&mp_type_TypeError, self, "bytes need mul= or add= to be real values; "
            "write_image() takes frames, write_raw() the tensor's own representation");
    }
    return true;
}

static float get_factor(const tensor_obj_t *self, mp_obj_t value, float otherwise) {
    if (value == MP_OBJ_NULL) {
        return otherwise;
    }
    float factor = (float)mp_obj_get_float(value);
    if (!(factor - factor == 0.0f)) {
        microlite_raise_tensor(&mp_type_ValueError, self, "mul and add must be finite");
    }
    return factor;
}

static mp_obj_t tensor_write(size_t n_args, const mp_obj_t *pos_args, mp_map_t *kw_args) {
    enum { ARG_values, ARG_mul, ARG_add };
    static const mp_arg_t allowed_args[] = {
        { MP_QSTR_values, MP_ARG_REQUIRED | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL} },
        { MP_QSTR_mul, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL} },
        { MP_QSTR_add, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL} },
    };
    mp_arg_val_t args[MP_ARRAY_SIZE(allowed_args)];
    mp_arg_parse_all(n_args - 1, pos_args + 1, kw_args, MP_ARRAY_SIZE(allowed_args), allowed_args, args);
    tensor_obj_t *self = MP_OBJ_TO_PTR(pos_args[0]);
    microlite_check_writable(self);
    float mul = get_factor(self, args[ARG_mul].u_obj, 1.0f);
    float add = get_factor(self, args[ARG_add].u_obj, 0.0f);
    bool scaled = args[ARG_mul].u_obj != MP_OBJ_NULL || args[ARG_add].u_obj != MP_OBJ_NULL;

    values_t dst = microlite_values(self);
    values_t src;
    void *block = NULL;
    if (!values_in_place(self, args[ARG_values].u_obj, scaled, &src)) {
        src = collect(self, &dst, args[ARG_values].u_obj);
        block = src.data;
    }
    if (src.n != dst.n) {
        raise_length(self, src.n);
    }
    interrupts_t saved;
    microlite_take(self->model, MP_OBJ_NULL, &saved);
    size_t saturated = 0;
    bool finite = values_are_finite(&src, mul, add);
    if (finite) {
        saturated = values_convert(&dst, &src, mul, add);
        self->is_stale = false;
    }
    microlite_release(self->model, &saved);
    if (!finite) {
        microlite_raise_tensor(&mp_type_ValueError, self, "NaN or infinity among the values");
    }
    if (block != NULL) {
        m_del(byte, block, src.n * values_item_size(src.code));
    }
    return MP_OBJ_NEW_SMALL_INT(saturated);
}
MP_DEFINE_CONST_FUN_OBJ_KW(microlite_write_obj, 1, tensor_write);

static mp_obj_t tensor_write_raw(mp_obj_t self_in, mp_obj_t buffer) {
    tensor_obj_t *self = MP_OBJ_TO_PTR(self_in);
    microlite_check_writable(self);
    const dtype_t *dtype = microlite_dtype(self);
    mp_buffer_info_t info;
    mp_get_buffer_raise(buffer, &info, MP_BUFFER_READ);
    values_t raw;
    if (mp_obj_is_str(buffer) || !values_from_buffer(&raw, &info) || (raw.code != 'B' && raw.code != dtype->view)) {
        microlite_raise_tensor(&mp_type_TypeError, self, "bytes or array('%c') needed", dtype->view);
    }
    if (info.len != self->info.nbytes) {
        microlite_raise_tensor(&mp_type_ValueError, self, UINT_FMT " bytes needed, " UINT_FMT " given",
            (mp_uint_t)self->info.nbytes, (mp_uint_t)info.len);
    }
    for (size_t i = 0; dtype->code == '?' && i < info.len; ++i) {
        if (((const byte *)info.buf)[i] > 1) {
            microlite_raise_tensor(&mp_type_ValueError, self, "bools are bytes 0 and 1");
        }
    }
    interrupts_t saved;
    microlite_take(self->model, MP_OBJ_NULL, &saved);
    memmove(self->info.data, info.buf, info.len);
    self->is_stale = false;
    microlite_release(self->model, &saved);
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_2(microlite_write_raw_obj, tensor_write_raw);
