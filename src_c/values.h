// Rows of numbers, and arithmetic on them: needs neither models nor the engine. A row does not own
// its numbers.

#ifndef MICROLITE_VALUES_H
#define MICROLITE_VALUES_H

#include "py/obj.h"

// --- values.c ---

// A row of numbers: a tensor's, or those of a caller's buffer. codes are those of array.array,
// and '?' for bool.
typedef struct _values_t {
    void *data;
    size_t n;
    char code;
    const float *scales;        // NULL, or the real values are (q - zero_point) * scale
    const int64_t *zero_points; // perhaps not aligned
    size_t n_scales;            // one, or those that slices take in turn
    size_t n_zero_points;       // as many, or one for all
    size_t slice;               // numbers in sequence that share a scale
} values_t;

// v * mul + add. A row that is shorter than the values starts again at its end.
typedef struct _scaling_t {
    values_t mul;
    values_t add;
} scaling_t;

// The zero point of a scale, of n that are perhaps not aligned.
int32_t values_zero_point(const int64_t *zero_points, size_t n, size_t index);

// Whether equal numbers mean equal values. Bools of a caller may be others than 0 and 1.
bool values_are_alike(const values_t *a, const values_t *b);

bool values_overlap(const values_t *a, const values_t *b);

// The place of the first value that is not finite once it is scaled; n when all are. NULL stands
// for no scaling.
size_t values_find_infinite(const values_t *self, const scaling_t *scaling);

// dst = src * mul + add. Returns how many values were out of dst's range and saturated.
size_t values_convert(const values_t *dst, const values_t *src, const scaling_t *scaling);

// Sets all real values to 0.
void values_clear(const values_t *self);

// The row of one number, copied to the memory given.
values_t values_copy_one(const values_t *self, size_t index, uint64_t *memory);

// The real value, as float, or as int when the numbers are integers or bools.
mp_obj_t values_get(const values_t *self, size_t index);

// The first index of the largest value; n when there is a NaN.
size_t values_argmax(const values_t *self);

// The mean of the squared differences of as many real values; NaN when one is NaN.
float values_mse(const values_t *a, const values_t *b);

// --- buffers.c ---

// Bytes that one number of that code takes; 0 for codes that are not numbers.
size_t values_item_size(char code);

// The numbers in a buffer; false when it does not hold numbers that can be addressed.
bool values_from_buffer(values_t *self, const mp_buffer_info_t *info);

// The code of arrays for the real values.
char values_real_code(const values_t *self);

// A new array for the real values, and the row of numbers that it holds.
mp_obj_t values_new_array(const values_t *self, values_t *row);

#endif
