// Numbers: conversion between the types that tensors and buffers have.
//
// All arithmetic on reals is float32, one operation at a time, so that results have the same bits
// on every port, whatever its own float type. Numbers pass through a small buffer of floats; only
// from integers to integers they are taken as they are.

#include "py/binary.h"
#include "py/objarray.h"
#include "py/runtime.h"
#include "microlite.h"

#define CHUNK (32)

size_t values_item_size(char code) {
    switch (code) {
        case 'b':
        case 'B':
        case '?':
            return 1;
        case 'h':
        case 'H':
            return 2;
        case 'i':
        case 'I':
        case 'f':
            return 4;
        case 'q':
        case 'Q':
        case 'd':
            return 8;
        default:
            return 0;
    }
}

bool values_from_buffer(values_t *self, const mp_buffer_info_t *info) {
    char code = info->typecode;
    if (code == BYTEARRAY_TYPECODE) {
        code = 'B';
    } else if (code == 'l') {
        code = sizeof(long) == 8 ? 'q' : 'i';
    } else if (code == 'L') {
        code = sizeof(long) == 8 ? 'Q' : 'I';
    }
    size_t item_size = values_item_size(code);
    if (item_size == 0 || (uintptr_t)info->buf % item_size != 0) {
        return false;
    }
    *self = (values_t) { .data = info->buf, .n = info->len / item_size, .code = code };
    return true;
}

static bool is_float(const values_t *self) {
    return self->code == 'f' || self->code == 'd';
}

static bool is_plain_int(const values_t *self) {
    return !is_float(self) && !self->quantised;
}

#define LOAD(code, type) \
    case code: \
        for (size_t k = 0; k < n; ++k) { \
            out[k] = (float)((const type *)self->data)[start + k]; \
        } \
        break

// The real values of n numbers.
static void load(const values_t *self, size_t start, size_t n, float *out) {
    switch (self->code) {
        LOAD('b', int8_t);
        LOAD('B', uint8_t);
        LOAD('?', uint8_t);
        LOAD('h', int16_t);
        LOAD('H', uint16_t);
        LOAD('i', int32_t);
        LOAD('I', uint32_t);
        LOAD('q', int64_t);
        LOAD('Q', uint64_t);
        LOAD('f', float);
        LOAD('d', double);
    }
    if (self->quantised) {
        for (size_t k = 0; k < n; ++k) {
            out[k] = (out[k] - (float)self->zero_point) * self->scale;
        }
    }
}

static void load_scaled(const values_t *self, size_t start, size_t n, float mul, float add, float *out) {
    load(self, start, n, out);
    if (mul != 1.0f || add != 0.0f) {
        for (size_t k = 0; k < n; ++k) {
            float product = out[k] * mul;
            out[k] = product + add;
        }
    }
}

static int64_t load_int(const values_t *self, size_t index) {
    switch (self->code) {
        case 'b':
            return ((const int8_t *)self->data)[index];
        case 'h':
            return ((const int16_t *)self->data)[index];
        case 'H':
            return ((const uint16_t *)self->data)[index];
        case 'i':
            return ((const int32_t *)self->data)[index];
        case 'I':
            return ((const uint32_t *)self->data)[index];
        case 'q':
        case 'Q':
            return ((const int64_t *)self->data)[index];
        default:
            return ((const uint8_t *)self->data)[index];
    }
}

// Half away from zero, for |x| < 2**63. What is cut off is exact: a float with a fraction is less
// than 2**23.
static int64_t round_wide(float x) {
    int64_t whole = (int64_t)x;
    float rest = x - (float)whole;
    return whole + (rest >= 0.5f) - (rest <= -0.5f);
}

// The same without 64-bit arithmetic, for results of at most 16 bits: the limit is beyond them.
static int32_t round_narrow(float x) {
    const float limit = 4194304.0f;
    if (!(x > -limit)) {
        return -(1 << 22);
    } else if (x > limit) {
        return 1 << 22;
    }
    int32_t whole = (int32_t)x;
    float rest = x - (float)whole;
    return whole + (rest >= 0.5f) - (rest <= -0.5f);
}

// Returns 1 when the value was out of range.
static size_t store_narrow(const values_t *self, size_t index, int32_t value) {
    int32_t low = self->code == 'b' ? INT8_MIN : self->code == 'h' ? INT16_MIN : 0;
    int32_t high = self->code == 'b' ? INT8_MAX : self->code == 'h' ? INT16_MAX : UINT8_MAX;
    int32_t stored = value < low ? low : value > high ? high : value;
    if (self->code == 'h') {
        ((int16_t *)self->data)[index] = (int16_t)stored;
    } else {
        ((uint8_t *)self->data)[index] = (uint8_t)stored;
    }
    return stored != value;
}

static size_t store_int(const values_t *self, size_t index, int64_t value) {
    if (self->code == '?') {
        ((uint8_t *)self->data)[index] = value != 0;
        return 0;
    } else if (self->code == 'q') {
        ((int64_t *)self->data)[index] = value;
        return 0;
    } else if (self->code == 'i') {
        int32_t stored = value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : (int32_t)value;
        ((int32_t *)self->data)[index] = stored;
        return stored != value;
    }
    return store_narrow(self, index, value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : (int32_t)value);
}

static size_t store_wide(const values_t *self, size_t index, float q, int32_t zero_point) {
    const float limit = 9223372036854775808.0f;
    if (q >= -limit && q < limit) {
        return store_int(self, index, round_wide(q) + zero_point);
    }
    store_int(self, index, q < 0.0f ? INT64_MIN : INT64_MAX);
    return 1;
}

// Returns how many values were out of range.
static size_t store(const values_t *self, size_t start, size_t n, const float *in) {
    size_t saturated = 0;
    float scale = self->quantised ? self->scale : 1.0f;
    int32_t zero_point = self->quantised ? self->zero_point : 0;
    for (size_t k = 0, i = start; k < n; ++k, ++i) {
        if (self->code == 'f') {
            ((float *)self->data)[i] = in[k];
        } else if (self->code == '?') {
            ((uint8_t *)self->data)[i] = in[k] != 0.0f;
        } else if (values_item_size(self->code) <= 2) {
            saturated += store_narrow(self, i, round_narrow(in[k] / scale) + zero_point);
        } else {
            saturated += store_wide(self, i, in[k] / scale, zero_point);
        }
    }
    return saturated;
}

bool values_are_finite(const values_t *self, float mul, float add) {
    if (!is_float(self) && mul == 1.0f && add == 0.0f) {
        return true;
    }
    for (size_t i = 0; i < self->n; i += CHUNK) {
        float chunk[CHUNK];
        size_t n = MIN(CHUNK, self->n - i);
        load_scaled(self, i, n, mul, add, chunk);
        for (size_t k = 0; k < n; ++k) {
            if (!(chunk[k] - chunk[k] == 0.0f)) {
                return false;
            }
        }
    }
    return true;
}

size_t values_convert(const values_t *dst, const values_t *src, float mul, float add) {
    size_t saturated = 0;
    if (is_plain_int(dst) && is_plain_int(src) && mul == 1.0f && add == 0.0f) {
        for (size_t i = 0; i < dst->n; ++i) {
            int64_t value = load_int(src, i);
            if (src->code == 'Q' && value < 0) {
                store_int(dst, i, INT64_MAX);
                ++saturated;
            } else {
                saturated += store_int(dst, i, value);
            }
        }
        return saturated;
    }
    for (size_t i = 0; i < dst->n; i += CHUNK) {
        float chunk[CHUNK];
        size_t n = MIN(CHUNK, dst->n - i);
        load_scaled(src, i, n, mul, add, chunk);
        saturated += store(dst, i, n, chunk);
    }
    return saturated;
}

mp_obj_t values_get(const values_t *self, size_t index) {
    if (self->code == '?') {
        return mp_obj_new_bool(load_int(self, index));
    } else if (is_plain_int(self)) {
        return mp_obj_new_int_from_ll(load_int(self, index));
    }
    float value;
    load(self, index, 1, &value);
    return mp_obj_new_float_from_f(value);
}

mp_obj_t values_new_array(const values_t *self, values_t *row) {
    *row = (values_t) { .n = self->n, .code = self->code };
    if (self->quantised) {
        row->code = 'f';
    } else if (self->code == '?') {
        row->code = 'B';
    }
    mp_obj_array_t *array = mp_obj_malloc(mp_obj_array_t, &mp_type_array);
    array->typecode = row->code;
    array->free = 0;
    array->len = 0;
    array->items = row->data = m_new(byte, row->n * values_item_size(row->code));
    array->len = row->n;
    return MP_OBJ_FROM_PTR(array);
}

size_t values_argmax(const values_t *self) {
    size_t best = 0;
    if (is_float(self)) {
        const float *data = self->data;
        for (size_t i = 1; i < self->n; ++i) {
            if (data[i] > data[best]) {
                best = i;
            }
        }
    } else {
        for (size_t i = 1; i < self->n; ++i) {
            if (load_int(self, i) > load_int(self, best)) {
                best = i;
            }
        }
    }
    return best;
}
