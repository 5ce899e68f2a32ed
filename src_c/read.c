// The methods of Tensor that read: real values in bulk and one by one, and the largest of them.

#include <string.h>

#include "py/runtime.h"
#include "microlite.h"

// --- All values ---

static mp_obj_t tensor_read(mp_obj_t self_in) {
    tensor_obj_t *self = MP_OBJ_TO_PTR(self_in);
    microlite_check_readable(self);
    values_t values = microlite_values(self);
    values_t row;
    mp_obj_t array = values_new_array(&values, &row);
    interrupts_t saved;
    microlite_take_to_read(self, &saved);
    values_convert(&row, &values, NULL);
    microlite_release(self->model, &saved);
    return array;
}
MP_DEFINE_CONST_FUN_OBJ_1(microlite_read_obj, tensor_read);

static mp_obj_t tensor_read_into(mp_obj_t self_in, mp_obj_t buffer) {
    tensor_obj_t *self = MP_OBJ_TO_PTR(self_in);
    microlite_check_readable(self);
    values_t values = microlite_values(self);
    values_t row;
    mp_buffer_info_t info;
    char code = values_real_code(&values);
    if (!mp_get_buffer(buffer, &info, MP_BUFFER_WRITE) || !values_from_buffer(&row, &info)
        || !(row.code == code || (code == 'f' && row.code == 'd'))) {
        microlite_raise_tensor(&mp_type_TypeError, self, "a writable array('%c') needed", code);
    }
    microlite_check_length(self, "", values.n, row.n);
    if (values_overlap(&row, &values)) {
        microlite_raise_tensor(&mp_type_ValueError, self, "the buffer overlaps the tensor");
    }
    interrupts_t saved;
    microlite_take_to_read(self, &saved);
    values_convert(&row, &values, NULL);
    microlite_release(self->model, &saved);
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_2(microlite_read_into_obj, tensor_read_into);

static mp_obj_t tensor_argmax(mp_obj_t self_in) {
    tensor_obj_t *self = MP_OBJ_TO_PTR(self_in);
    microlite_check(self->model);
    values_t values = microlite_values(self);
    interrupts_t saved;
    microlite_take_to_read(self, &saved);
    size_t best = values_argmax(&values);
    microlite_release(self->model, &saved);
    if (best == values.n) {
        microlite_raise_tensor(&mp_type_ValueError, self, "NaN among the values");
    }
    return mp_obj_new_int_from_uint(best);
}
MP_DEFINE_CONST_FUN_OBJ_1(microlite_argmax_obj, tensor_argmax);

// --- One value ---

static mp_obj_t read_one(tensor_obj_t *self, size_t index) {
    microlite_check_readable(self);
    values_t values = microlite_values(self);
    uint64_t memory;
    interrupts_t saved;
    microlite_take_to_read(self, &saved);
    values_t value = values_copy_one(&values, index, &memory);
    microlite_release(self->model, &saved);
    return values_get(&value, 0);
}

// An index among n, of a dimension or of all values.
static size_t get_index(const tensor_obj_t *self, mp_obj_t index_in, size_t n, int dimension) {
    if (!mp_obj_is_int(index_in)) {
        microlite_raise_tensor(&mp_type_TypeError, self, "index must be int, not %s; use read() or data for parts", mp_obj_get_type_str(index_in));
    }
    mp_int_t index = mp_obj_is_small_int(index_in) ? MP_OBJ_SMALL_INT_VALUE(index_in) : (mp_int_t)n;
    size_t found = index < 0 ? (size_t)index + n : (size_t)index;
    if (found < n) {
        return found;
    }
    const char *text = mp_obj_str_get_str(mp_call_function_1(MP_OBJ_FROM_PTR(&mp_type_str), index_in));
    if (dimension < 0) {
        microlite_raise_tensor(&mp_type_IndexError, self, "index %s of " UINT_FMT " values", text, (mp_uint_t)n);
    }
    microlite_raise_tensor(&mp_type_IndexError, self, "index %s in dimension %d, which has " UINT_FMT, text, dimension, (mp_uint_t)n);
}

static size_t get_place(const tensor_obj_t *self, mp_obj_t index) {
    if (!mp_obj_is_type(index, &mp_type_tuple)) {
        return get_index(self, index, self->info.size, -1);
    }
    size_t n, place = 0;
    mp_obj_t *items;
    mp_obj_get_array(index, &n, &items);
    if (n != self->info.rank) {
        microlite_raise_tensor(&mp_type_IndexError, self, "%u indices for %u dimensions", (uint)n, (uint)self->info.rank);
    }
    for (size_t i = 0; i < n; ++i) {
        size_t length = self->info.shape[i];
        place = place * length + get_index(self, items[i], length, i);
    }
    return place;
}

mp_obj_t microlite_tensor_subscr(mp_obj_t self_in, mp_obj_t index, mp_obj_t value) {
    tensor_obj_t *self = MP_OBJ_TO_PTR(self_in);
    if (value != MP_OBJ_SENTINEL) {
        microlite_raise_tensor(&mp_type_TypeError, self, "single values cannot be set; use write() or data");
    }
    microlite_check(self->model);
    return read_one(self, get_place(self, index));
}

// --- Iteration ---

typedef struct _iterator_t {
    mp_obj_base_t base;
    mp_fun_1_t iternext;
    tensor_obj_t *tensor;
    size_t index;
} iterator_t;

static mp_obj_t iterator_next(mp_obj_t self_in) {
    iterator_t *self = MP_OBJ_TO_PTR(self_in);
    if (self->index >= self->tensor->info.size) {
        return MP_OBJ_STOP_ITERATION;
    }
    return read_one(self->tensor, self->index++);
}

mp_obj_t microlite_tensor_iter(mp_obj_t tensor, mp_obj_iter_buf_t *iter_buf) {
    MP_STATIC_ASSERT(sizeof(iterator_t) <= sizeof(mp_obj_iter_buf_t));
    iterator_t *self = (iterator_t *)iter_buf;
    *self = (iterator_t) { { &mp_type_polymorph_iter }, iterator_next, MP_OBJ_TO_PTR(tensor), 0 };
    return MP_OBJ_FROM_PTR(self);
}
