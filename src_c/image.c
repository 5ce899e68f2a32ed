// Camera frames into tensors of images, [1, height, width, channels].

#include "py/runtime.h"
#include "microlite.h"

// The bytes of a frame are unsigned whatever its typecode; 0..255 maps onto the tensor's own
// range, black to the lowest value.
static mp_obj_t tensor_write_image(size_t n_args, const mp_obj_t *pos_args, mp_map_t *kw_args) {
    enum { ARG_frame, ARG_width, ARG_height };
    static const mp_arg_t allowed_args[] = {
        { MP_QSTR_frame, MP_ARG_REQUIRED | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL} },
        { MP_QSTR_width, MP_ARG_REQUIRED | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL} },
        { MP_QSTR_height, MP_ARG_REQUIRED | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL} },
    };
    mp_arg_val_t args[MP_ARRAY_SIZE(allowed_args)];
    mp_arg_parse_all(n_args - 1, pos_args + 1, kw_args, MP_ARRAY_SIZE(allowed_args), allowed_args, args);
    tensor_obj_t *self = MP_OBJ_TO_PTR(pos_args[0]);
    mp_obj_t frame_in = args[ARG_frame].u_obj;
    mp_int_t width = mp_obj_get_int(args[ARG_width].u_obj);
    mp_int_t height = mp_obj_get_int(args[ARG_height].u_obj);
    mp_buffer_info_t frame;
    microlite_check_writable(self);
    const engine_tensor_t *info = &self->info;
    values_t bytes;
    if (mp_obj_is_str(frame_in) || !mp_get_buffer(frame_in, &frame, MP_BUFFER_READ) || !values_from_buffer(&bytes, &frame) || values_item_size(bytes.code) != 1) {
        microlite_raise_tensor(&mp_type_TypeError, self, "frame must be a buffer of bytes");
    }
    if (info->type != ENGINE_INT8 && info->type != ENGINE_UINT8) {
        microlite_raise_tensor(&mp_type_TypeError, self, "no 8-bit tensor; use write() with mul= and add=");
    }
    if (info->rank != 4 || info->shape[0] != 1 || info->shape[3] != 1) {
        microlite_raise_tensor(&mp_type_ValueError, self, "not of shape (1, height, width, 1), one grey image; use write() with mul= and add=");
    }
    if (height != info->shape[1] || width != info->shape[2]) {
        microlite_raise_tensor(&mp_type_ValueError, self, "the tensor is %d wide and %d high, the frame " INT_FMT " and " INT_FMT,
            (int)info->shape[2], (int)info->shape[1], width, height);
    }
    if (frame.len != info->nbytes) {
        microlite_raise_tensor(&mp_type_ValueError, self, "a frame of %d bytes needed, " UINT_FMT " given",
            (int)info->nbytes, (mp_uint_t)frame.len);
    }
    const byte *in = frame.buf;
    byte *out = info->data;
    byte flip = info->type == ENGINE_INT8 ? 0x80 : 0;
    interrupts_t saved;
    microlite_take(self->model, MP_OBJ_NULL, &saved);
    for (size_t i = 0; i < info->nbytes; ++i) {
        out[i] = in[i] ^ flip;
    }
    self->is_stale = false;
    microlite_release(self->model, &saved);
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_KW(microlite_write_image_obj, 1, tensor_write_image);
