// Numbers: conversion between the types that tensors and buffers have.
//
// All arithmetic on reals is float32, one operation at a time, so that results have the same bits
// on every port, whatever its own float type. Numbers pass through a small buffer of floats; only
// from integers to integers, and between tensors of equal type, they are taken as they are.

#include <math.h>
#include <string.h>

#include "py/runtime.h"
#include "values.h"

#if __FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2
#error "microlite needs float32 arithmetic: build with -msse2 -mfpmath=sse"
#endif

#define CHUNK (32)

static bool is_float(const values_t *self) {
    return self->code == 'f' || self->code == 'd';
}

static bool is_plain_int(const values_t *self) {
    return !is_float(self) && self->scales == NULL;
}

bool values_are_alike(const values_t *a, const values_t *b) {
    if (a->scales == NULL || b->scales == NULL) {
        return a->code == b->code && a->scales == b->scales && a->code != '?';
    }
    return a->code == b->code && a->n_scales == 1 && b->n_scales == 1 && a->scales[0] == b->scales[0]
           && memcmp(a->zero_points, b->zero_points, sizeof(int64_t)) == 0;
}

bool values_overlap(const values_t *a, const values_t *b) {
    const byte *start_a = a->data, *start_b = b->data;
    return start_a < start_b + b->n * values_item_size(b->code)
           && start_b < start_a + a->n * values_item_size(a->code);
}

// --- Scales ---

typedef struct _slice_t {
    float scale;
    int32_t zero_point;
    size_t n;           // numbers from here on that share them
} slice_t;

int32_t values_zero_point(const int64_t *zero_points, size_t n, size_t index) {
    int64_t value;
    memcpy(&value, zero_points + (n == 1 ? 0 : index), sizeof(value));
    return (int32_t)value;
}

static size_t scale_at(const values_t *self, size_t index) {
    return self->n_scales == 1 ? 0 : index / self->slice % self->n_scales;
}

static slice_t slice_at(const values_t *self, size_t index) {
    if (self->scales == NULL) {
        return (slice_t) { .scale = 1.0f, .n = self->n - index };
    }
    size_t i = scale_at(self, index);
    int32_t zero_point = values_zero_point(self->zero_points, self->n_zero_points, i);
    return (slice_t) { self->scales[i], zero_point, self->slice - index % self->slice };
}

values_t values_copy_one(const values_t *self, size_t index, uint64_t *memory) {
    size_t item_size = values_item_size(self->code);
    memcpy(memory, (const byte *)self->data + index * item_size, item_size);
    values_t one = *self;
    one.data = memory;
    one.n = one.slice = 1;
    if (self->n_scales > 1) {
        size_t i = scale_at(self, index);
        one.scales += i;
        one.zero_points += self->n_zero_points == 1 ? 0 : i;
        one.n_scales = one.n_zero_points = 1;
    }
    return one;
}

// --- To reals ---

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
    for (size_t k = 0; self->scales != NULL && k < n;) {
        slice_t slice = slice_at(self, start + k);
        for (size_t end = MIN(n, k + slice.n); k < end; ++k) {
            out[k] = (out[k] - (float)slice.zero_point) * slice.scale;
        }
    }
}

// Numbers of a row that starts again at its end.
static void load_cycle(const values_t *self, size_t start, size_t n, float *out) {
    for (size_t k = 0; k < n;) {
        size_t from = (start + k) % self->n;
        size_t part = MIN(n - k, self->n - from);
        load(self, from, part, out + k);
        k += part;
        if (self->n == 1) {
            for (; k < n; ++k) {
                out[k] = out[0];
            }
        }
    }
}

static void load_scaled(const values_t *self, size_t start, size_t n, const scaling_t *scaling, float *out) {
    load(self, start, n, out);
    if (scaling != NULL) {
        float mul[CHUNK], add[CHUNK];
        load_cycle(&scaling->mul, start, n, mul);
        load_cycle(&scaling->add, start, n, add);
        for (size_t k = 0; k < n; ++k) {
            float product = out[k] * mul[k];
            out[k] = product + add[k];
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

// --- From reals ---

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
    int64_t value;
    if (q >= -limit && q < limit && !__builtin_add_overflow(round_wide(q), (int64_t)zero_point, &value)) {
        return store_int(self, index, value);
    }
    store_int(self, index, q < 0.0f ? INT64_MIN : INT64_MAX);
    return 1;
}

static size_t store_one(const values_t *self, size_t index, float value, const slice_t *slice) {
    switch (self->code) {
        case 'f':
            ((float *)self->data)[index] = value;
            return 0;
        case 'd':
            ((double *)self->data)[index] = (double)value;
            return 0;
        case '?':
            ((uint8_t *)self->data)[index] = value != 0.0f;
            return 0;
        case 'i':
        case 'q':
            return store_wide(self, index, value / slice->scale, slice->zero_point);
        default:
            return store_narrow(self, index, round_narrow(value / slice->scale) + slice->zero_point);
    }
}

// Returns how many values were out of range.
static size_t store(const values_t *self, size_t start, size_t n, const float *in) {
    size_t saturated = 0;
    for (size_t k = 0; k < n;) {
        slice_t slice = slice_at(self, start + k);
        for (size_t end = MIN(n, k + slice.n); k < end; ++k) {
            saturated += store_one(self, start + k, in[k], &slice);
        }
    }
    return saturated;
}

// --- Rows ---

size_t values_find_infinite(const values_t *self, const scaling_t *scaling) {
    for (size_t i = 0; i < self->n && (scaling != NULL || !is_plain_int(self)); i += CHUNK) {
        float chunk[CHUNK];
        size_t n = MIN(CHUNK, self->n - i);
        load_scaled(self, i, n, scaling, chunk);
        for (size_t k = 0; k < n; ++k) {
            if (!(chunk[k] - chunk[k] == 0.0f)) {
                return i + k;
            }
        }
    }
    return self->n;
}

static size_t convert_ints(const values_t *dst, const values_t *src) {
    size_t saturated = 0;
    for (size_t i = 0; i < dst->n; ++i) {
        int64_t value = load_int(src, i);
        if (src->code == 'Q' && value < 0 && dst->code != '?') {
            store_int(dst, i, INT64_MAX);
            ++saturated;
        } else {
            saturated += store_int(dst, i, value);
        }
    }
    return saturated;
}

size_t values_convert(const values_t *dst, const values_t *src, const scaling_t *scaling) {
    if (scaling == NULL && values_are_alike(dst, src)) {
        memmove(dst->data, src->data, dst->n * values_item_size(dst->code));
        return 0;
    } else if (scaling == NULL && is_plain_int(dst) && is_plain_int(src)) {
        return convert_ints(dst, src);
    }
    size_t saturated = 0;
    for (size_t i = 0; i < dst->n; i += CHUNK) {
        float chunk[CHUNK];
        size_t n = MIN(CHUNK, dst->n - i);
        load_scaled(src, i, n, scaling, chunk);
        saturated += store(dst, i, n, chunk);
    }
    return saturated;
}

void values_clear(const values_t *self) {
    static const float zeros[CHUNK];
    for (size_t i = 0; i < self->n; i += CHUNK) {
        store(self, i, MIN(CHUNK, self->n - i), zeros);
    }
}

mp_obj_t values_get(const values_t *self, size_t index) {
    if (self->code == '?') {
        return mp_obj_new_bool(load_int(self, index));
    } else if (is_plain_int(self)) {
        int64_t value = load_int(self, index);
        return value == (mp_int_t)value ? mp_obj_new_int((mp_int_t)value) : mp_obj_new_int_from_ll(value);
    }
    float value;
    load(self, index, 1, &value);
    return mp_obj_new_float_from_f(value);
}

static size_t argmax_ints(const values_t *self) {
    size_t best = 0;
    for (size_t i = 1; i < self->n; ++i) {
        if (load_int(self, i) > load_int(self, best)) {
            best = i;
        }
    }
    return best;
}

size_t values_argmax(const values_t *self) {
    if (is_plain_int(self)) {
        return argmax_ints(self);
    }
    size_t best = 0;
    float most = -INFINITY;
    for (size_t i = 0; i < self->n; i += CHUNK) {
        float chunk[CHUNK];
        size_t n = MIN(CHUNK, self->n - i);
        load(self, i, n, chunk);
        for (size_t k = 0; k < n; ++k) {
            if (chunk[k] != chunk[k]) {
                return self->n;
            } else if (chunk[k] > most) {
                most = chunk[k];
                best = i + k;
            }
        }
    }
    return best;
}

static float mean_square(const values_t *a, const values_t *b, const scaling_t *scaling) {
    float sum = 0.0f;
    for (size_t i = 0; i < a->n; i += CHUNK) {
        float first[CHUNK], second[CHUNK];
        size_t n = MIN(CHUNK, a->n - i);
        load_scaled(a, i, n, scaling, first);
        load_scaled(b, i, n, scaling, second);
        float part = 0.0f;
        for (size_t k = 0; k < n; ++k) {
            float difference = first[k] - second[k];
            part += difference * difference;
        }
        sum += part;
    }
    return sum / (float)a->n;
}

// Where the sum of the squares is beyond float32, of values that are smaller by a power of two.
float values_mse(const values_t *a, const values_t *b) {
    float mean = mean_square(a, b, NULL);
    if (mean == INFINITY) {
        float mul = 0x1p-64f, add = 0.0f;
        scaling_t scaling = { { .data = &mul, .n = 1, .code = 'f' }, { .data = &add, .n = 1, .code = 'f' } };
        mean = mean_square(a, b, &scaling) * 0x1p64f * 0x1p64f;
    }
    return mean;
}
