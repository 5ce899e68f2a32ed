// Numbers of Python objects: what is given one by one, or as a single number.
//
// Python code may run between two of them and change anything, so they get a block of their own.

#include "py/binary.h"
#include "py/runtime.h"
#include "microlite.h"

#define UNKNOWN (SIZE_MAX)

// what is nothing, or the name of an argument with ": ".
static NORETURN void raise_length(const tensor_obj_t *self, const char *what, size_t needed, size_t given) {
    const char *plural = needed == 1 ? "" : "s";
    if (given == UNKNOWN) {
        microlite_raise_tensor(&mp_type_ValueError, self, "%s" UINT_FMT " value%s needed, more given", what, (mp_uint_t)needed, plural);
    }
    microlite_raise_tensor(&mp_type_ValueError, self, "%s" UINT_FMT " value%s needed, " UINT_FMT " given",
        what, (mp_uint_t)needed, plural, (mp_uint_t)given);
}

void microlite_check_length(const tensor_obj_t *self, const char *what, size_t needed, size_t given) {
    if (needed != given) {
        raise_length(self, what, needed, given);
    }
}

static bool is_int(mp_obj_t object) {
    return mp_obj_is_int(object) || mp_obj_is_bool(object);
}

// False when the int is beyond 64 bits, and the nearest of them is taken.
static bool get_int64(mp_obj_t number, int64_t *value) {
    if (mp_obj_is_small_int(number)) {
        *value = MP_OBJ_SMALL_INT_VALUE(number);
        return true;
    }
    mp_binary_set_val_array('q', value, 0, number);
    if (mp_obj_equal(mp_obj_new_int_from_ll(*value), number)) {
        return true;
    }
    bool negative = mp_obj_is_true(mp_binary_op(MP_BINARY_OP_LESS, number, MP_OBJ_NEW_SMALL_INT(0)));
    *value = negative ? INT64_MIN : INT64_MAX;
    return false;
}

// By way of int64 where that does, as ports with their own floats round large ints differently.
float microlite_real(const tensor_obj_t *self, const char *what, size_t index, mp_obj_t number) {
    int64_t whole;
    mp_float_t value;
    if (is_int(number) && get_int64(number, &whole)) {
        return (float)whole;
    } else if (!mp_obj_get_float_maybe(number, &value)) {
        bool is_nested = mp_obj_is_type(number, &mp_type_list) || mp_obj_is_type(number, &mp_type_tuple);
        microlite_raise_tensor(&mp_type_TypeError, self, "%svalue " UINT_FMT " is %s, not a number%s",
            what, (mp_uint_t)index, mp_obj_get_type_str(number), is_nested ? ": give the numbers flat" : "");
    }
    return (float)value;
}

bool microlite_is_word(mp_obj_t object, qstr word) {
    return mp_obj_is_str(object) && mp_obj_equal(object, MP_OBJ_NEW_QSTR(word));
}

bool microlite_is_number(mp_obj_t object) {
    return is_int(object) || mp_obj_is_float(object);
}

// From ints to floats, in the same memory, when the first one comes that is no int.
static void make_real(values_t *row, size_t n) {
    values_t ints = { .data = row->data, .n = n, .code = 'q' };
    row->code = 'f';
    values_t reals = { .data = row->data, .n = n, .code = 'f' };
    values_convert(&reals, &ints, NULL);
}

NORETURN void microlite_raise_no_numbers(const tensor_obj_t *self, const char *what, mp_obj_t object) {
    microlite_raise_tensor(&mp_type_TypeError, self, "%snumbers needed, not %s", what, mp_obj_get_type_str(object));
}

// What can be iterated over but has no numbers in an order of their own.
static bool is_unordered(mp_obj_t object) {
    #if MICROPY_PY_BUILTINS_SET
    if (mp_obj_is_type(object, &mp_type_set)) {
        return true;
    }
    #endif
    return mp_obj_is_dict_or_ordereddict(object);
}

static mp_obj_t get_iterator(const tensor_obj_t *self, const char *what, mp_obj_t iterable, mp_obj_iter_buf_t *iter_buf) {
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) {
        mp_obj_t iterator = mp_getiter(iterable, iter_buf);
        nlr_pop();
        return iterator;
    }
    // It has no __iter__, and no __getitem__, which its __getattr__ may tell in its own way.
    const mp_obj_type_t *types[] = { &mp_type_TypeError, &mp_type_AttributeError };
    for (size_t i = 0; i < MP_ARRAY_SIZE(types); ++i) {
        if (mp_obj_exception_match(MP_OBJ_FROM_PTR(nlr.ret_val), MP_OBJ_FROM_PTR(types[i]))) {
            microlite_raise_no_numbers(self, what, iterable);
        }
    }
    nlr_jump(nlr.ret_val);
}

// Whether the number of values is right, which says little when they are rows of values.
static void check_list(const tensor_obj_t *self, const char *what, size_t n, mp_obj_t list) {
    size_t given;
    mp_obj_t *items;
    mp_obj_get_array(list, &given, &items);
    if (given > 0 && given != n) {
        microlite_real(self, what, 0, items[0]);
    }
    microlite_check_length(self, what, n, given);
}

values_t microlite_collect(const tensor_obj_t *self, const char *what, size_t n, bool exact, mp_obj_t iterable, size_t *saturated) {
    if (is_unordered(iterable)) {
        microlite_raise_no_numbers(self, what, iterable);
    } else if (mp_obj_is_type(iterable, &mp_type_list) || mp_obj_is_type(iterable, &mp_type_tuple)) {
        check_list(self, what, n, iterable);
    }
    values_t row = { .n = n, .code = exact ? 'q' : 'f' };
    row.data = m_new(byte, n * values_item_size(row.code));
    *saturated = 0;
    mp_obj_iter_buf_t iter_buf;
    mp_obj_t iterator = get_iterator(self, what, iterable, &iter_buf);
    size_t i = 0;
    for (mp_obj_t number; (number = mp_iternext(iterator)) != MP_OBJ_STOP_ITERATION; ++i) {
        if (i == n) {
            raise_length(self, what, n, UNKNOWN);
        } else if (row.code == 'q' && is_int(number)) {
            *saturated += !get_int64(number, &((int64_t *)row.data)[i]);
            continue;
        } else if (row.code == 'q') {
            make_real(&row, i);
            *saturated = 0;
        }
        ((float *)row.data)[i] = microlite_real(self, what, i, number);
    }
    microlite_check_length(self, what, n, i);
    return row;
}

values_t microlite_number(const tensor_obj_t *self, bool exact, mp_obj_t number, uint64_t *memory, size_t *saturated) {
    values_t row = { .data = memory, .n = 1, .code = exact && is_int(number) ? 'q' : 'f' };
    *saturated = 0;
    if (row.code == 'q') {
        *saturated = !get_int64(number, row.data);
    } else {
        *(float *)row.data = microlite_real(self, "", 0, number);
    }
    return row;
}
