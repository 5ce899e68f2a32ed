// slide(): rows of features through a window of the last ones.

#include <string.h>

#include "py/binary.h"
#include "py/runtime.h"
#include "microlite.h"

// Drops so many numbers at the start of an array, and puts a row of as many at its end.
static mp_obj_t microlite_slide(mp_obj_t array, mp_obj_t row, mp_obj_t columns_in) {
    mp_buffer_info_t to, from;
    mp_get_buffer_raise(array, &to, MP_BUFFER_RW);
    if (mp_obj_is_str(row) || !mp_get_buffer(row, &from, MP_BUFFER_READ)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("row: array needed, not %s"), mp_obj_get_type_str(row));
    }
    char code = to.typecode == BYTEARRAY_TYPECODE ? 'B' : to.typecode;
    char given = from.typecode == BYTEARRAY_TYPECODE ? 'B' : from.typecode;
    if (code != given) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("row: '%c' needed, not '%c'"), code, given);
    }
    size_t n = from.len / mp_binary_get_size('@', code, NULL), columns = mp_obj_get_int(columns_in);
    if (n != columns || from.len > to.len) {
        mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("row: %u values, %u needed"), (uint)n, (uint)columns);
    }
    byte *start = to.buf;
    memmove(start, start + from.len, to.len - from.len);
    memmove(start + to.len - from.len, from.buf, from.len);
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_3(microlite_slide_obj, microlite_slide);
