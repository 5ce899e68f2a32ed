// Buffers and arrays of Python as rows of numbers.

#include "py/binary.h"
#include "py/objarray.h"
#include "py/runtime.h"
#include "values.h"

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

char values_real_code(const values_t *self) {
    return self->scales != NULL ? 'f' : self->code == '?' ? 'B' : self->code;
}

mp_obj_t values_new_array(const values_t *self, values_t *row) {
    *row = (values_t) { .n = self->n, .code = values_real_code(self) };
    mp_obj_array_t *array = mp_obj_malloc(mp_obj_array_t, &mp_type_array);
    array->typecode = row->code;
    array->free = 0;
    array->len = 0;
    array->items = row->data = m_new(byte, row->n * values_item_size(row->code));
    array->len = row->n;
    return MP_OBJ_FROM_PTR(array);
}
