// The quantisation of a tensor: what its numbers mean, and the methods and attributes that tell.

#include "py/objtuple.h"
#include "py/runtime.h"
#include "microlite.h"

// Whether scales mean something here: some converters leave them on floats.
bool microlite_is_quantised(const tensor_obj_t *self) {
    char code = microlite_dtype(self)->code;
    return self->info.n_scales > 0 && code != 0 && code != 'f' && code != '?';
}

static int32_t zero_point(const tensor_obj_t *self, size_t index) {
    return values_zero_point(self->info.zero_points, self->info.n_zero_points, index);
}

static bool are_scales(const engine_tensor_t *info) {
    for (size_t i = 0; i < info->n_scales; ++i) {
        float scale = info->scales[i];
        if (!(scale > 0.0f && scale - scale == 0.0f)) {
            return false;
        }
    }
    return true;
}

size_t microlite_slice(const tensor_obj_t *self) {
    const engine_tensor_t *info = &self->info;
    int32_t dimension = info->quantized_dimension;
    if (!are_scales(info)) {
        return 0;
    } else if (info->n_scales <= 1) {
        return info->size;
    } else if (dimension < 0 || dimension >= info->rank || info->shape[dimension] != (int32_t)info->n_scales) {
        return 0;
    }
    size_t size = 1;
    for (size_t i = dimension + 1; i < info->rank; ++i) {
        size *= info->shape[i];
    }
    return size;
}

values_t microlite_values(const tensor_obj_t *self) {
    const engine_tensor_t *info = &self->info;
    values_t values = { .data = info->data, .n = info->size, .code = microlite_dtype(self)->code };
    if (values.code == 0) {
        microlite_raise_tensor(&mp_type_TypeError, self, "%q has no real values here; use write_raw() and data",
            (qstr)microlite_dtype(self)->name);
    } else if (microlite_is_quantised(self)) {
        if (self->slice == 0) {
            microlite_raise_tensor(&mp_type_TypeError, self, "the scales make no sense; use write_raw() and data");
        }
        values.scales = info->scales;
        values.zero_points = info->zero_points;
        values.n_scales = info->n_scales;
        values.n_zero_points = info->n_zero_points;
        values.slice = self->slice;
    }
    return values;
}

// --- One number ---

// The row of one number, in memory of the caller. Raises unless one scale is for all.
static values_t one_value(const tensor_obj_t *self, uint64_t *memory) {
    microlite_check(self->model);
    values_t value = microlite_values(self);
    if (value.n_scales != 1) {
        microlite_raise_tensor(&mp_type_TypeError, self, value.n_scales == 0 ? "not quantised" : "several scales; use write() and read()");
    }
    value.data = memory;
    value.n = value.slice = 1;
    return value;
}

// The same number without its meaning.
static values_t raw(const values_t *value) {
    return (values_t) { .data = value->data, .n = 1, .code = value->code };
}

static mp_obj_t tensor_quantize(mp_obj_t self_in, mp_obj_t x_in) {
    const tensor_obj_t *self = MP_OBJ_TO_PTR(self_in);
    uint64_t memory;
    values_t value = one_value(self, &memory);
    float x = microlite_real(self, "", 0, x_in);
    if (!(x - x == 0.0f)) {
        microlite_raise_tensor(&mp_type_ValueError, self, "the value is NaN or infinite");
    }
    values_t real = { .data = &x, .n = 1, .code = 'f' };
    values_convert(&value, &real, NULL);
    value = raw(&value);
    return values_get(&value, 0);
}
MP_DEFINE_CONST_FUN_OBJ_2(microlite_quantize_obj, tensor_quantize);

static mp_obj_t tensor_dequantize(mp_obj_t self_in, mp_obj_t q_in) {
    const tensor_obj_t *self = MP_OBJ_TO_PTR(self_in);
    uint64_t memory, number;
    values_t value = one_value(self, &memory);
    if (!mp_obj_is_int(q_in)) {
        microlite_raise_tensor(&mp_type_TypeError, self, "int needed, not %s", mp_obj_get_type_str(q_in));
    }
    size_t saturated;
    values_t from = microlite_number(self, true, q_in, &number, &saturated);
    values_t to = raw(&value);
    if (values_convert(&to, &from, NULL) + saturated != 0) {
        microlite_raise_tensor(&mp_type_ValueError, self, "number beyond %q", (qstr)microlite_dtype(self)->name);
    }
    return values_get(&value, 0);
}
MP_DEFINE_CONST_FUN_OBJ_2(microlite_dequantize_obj, tensor_dequantize);

// --- Attributes ---

static mp_obj_t get_scale(const tensor_obj_t *self, size_t index) {
    return mp_obj_new_float_from_f(self->info.scales[index]);
}

static mp_obj_t get_zero_point(const tensor_obj_t *self, size_t index) {
    return mp_obj_new_int(zero_point(self, index));
}

static mp_obj_t new_tuple(const tensor_obj_t *self, mp_obj_t (*get)(const tensor_obj_t *self, size_t index)) {
    mp_obj_tuple_t *tuple = MP_OBJ_TO_PTR(mp_obj_new_tuple(microlite_is_quantised(self) ? self->info.n_scales : 0, NULL));
    for (size_t i = 0; i < tuple->len; ++i) {
        tuple->items[i] = get(self, i);
    }
    return MP_OBJ_FROM_PTR(tuple);
}

mp_obj_t microlite_quantisation_attribute(const tensor_obj_t *self, qstr attr) {
    bool one_scale = microlite_is_quantised(self) && self->info.n_scales == 1;
    switch (attr) {
        case MP_QSTR_scale:
            return one_scale ? get_scale(self, 0) : mp_const_none;
        case MP_QSTR_zero_point:
            return one_scale ? get_zero_point(self, 0) : mp_const_none;
        case MP_QSTR_scales:
            return new_tuple(self, get_scale);
        case MP_QSTR_zero_points:
            return new_tuple(self, get_zero_point);
        case MP_QSTR_quantized_dimension:
            return mp_obj_new_int(self->info.quantized_dimension);
        default:
            return MP_OBJ_NULL;
    }
}

void microlite_print_quantisation(const mp_print_t *print, const tensor_obj_t *self) {
    if (!microlite_is_quantised(self)) {
        return;
    } else if (self->info.n_scales == 1) {
        mp_printf(print, ", scale %g, zero point %d", (double)self->info.scales[0], (int)zero_point(self, 0));
    } else {
        mp_printf(print, ", %u scales along dimension %d", (uint)self->info.n_scales, (int)self->info.quantized_dimension);
    }
}
