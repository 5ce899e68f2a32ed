// slide(): rows of features through a window of the last ones.

#include <string.h>

#include "py/binary.h"
#include "py/runtime.h"
#include "microlite.h"

// Drops as many numbers at the start of an array as the row has, and puts the row at its end.
static mp_obj_t microlite_slide(mp_obj_t array, mp_obj_t row) {
    mp_buffer_info_t to, from;
    mp_get_buffer_raise(array, &to, MP_BUFFER_RW);
    mp_get_buffer_raise(row, &from, MP_BUFFER_READ);
    char code = to.typecode == BYTEARRAY_TYPECODE ? 'B' : to.typecode;
    char given = from.typecode == BYTEARRAY_TYPECODE ? 'B' : from.typecode;
    if (code != given) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("row: '%c' needed, not '%c'"), code, given);
    } else if (from.len > to.len) {
        mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("row: %u bytes at most, %u given"), (uint)to.len, (uint)from.len);
    }
    byte *start = to.buf;
    memmove(start, start + from.len, to.len - from.len);
    memmove(start + to.len - from.len, from.buf, from.len);
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_2(microlite_slide_obj, microlite_slide);
