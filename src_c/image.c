// Camera frames into tensors of images: (1, height, width, channels) or, as some trainers have it,
// (1, channels, height, width), with one channel or three.

#include "py/runtime.h"
#include "microlite.h"
#include "pixels.h"

// Where a frame goes, and what 0 and 255 become there.
typedef struct _image_t {
    tensor_obj_t *self;
    pixels_t pixels;
    size_t width, height;   // of the whole frame
    bool is_planar;
    bool has_range;
    float mul, add;
} image_t;

static const struct { qstr_short_t name;
                      pixels_format_t format;
} formats[] = {
    { MP_QSTR_gray8, PIXELS_GRAY8 },
    { MP_QSTR_rgb565, PIXELS_RGB565 },
    { MP_QSTR_rgb565be, PIXELS_RGB565BE },
    { MP_QSTR_rgb888, PIXELS_RGB888 },
};

// --- Arguments ---

static mp_int_t get_int(const tensor_obj_t *self, qstr what, mp_obj_t number) {
    if (!mp_obj_is_int(number)) {
        microlite_raise_tensor(&mp_type_TypeError, self, "%q: int needed, not %s", what, mp_obj_get_type_str(number));
    } else if (!mp_obj_is_small_int(number)) {
        microlite_raise_tensor(&mp_type_ValueError, self, "%q: %g is too large", what, (double)mp_obj_get_float(number));
    }
    return MP_OBJ_SMALL_INT_VALUE(number);
}

// One of two words.
static bool is_second(const tensor_obj_t *self, qstr what, mp_obj_t word, qstr first, qstr second) {
    bool yes = microlite_is_word(word, second);
    if (!yes && !microlite_is_word(word, first)) {
        microlite_raise_tensor(&mp_type_ValueError, self, "%q: '%q' or '%q' needed", what, first, second);
    }
    return yes;
}

// n items of a tuple or list.
static mp_obj_t *get_items(const tensor_obj_t *self, mp_obj_t items_in, size_t n, const char *needed) {
    size_t len = 0;
    mp_obj_t *items = NULL;
    if (mp_obj_is_type(items_in, &mp_type_tuple) || mp_obj_is_type(items_in, &mp_type_list)) {
        mp_obj_get_array(items_in, &len, &items);
    }
    if (len != n) {
        microlite_raise_tensor(&mp_type_ValueError, self, "%s needed", needed);
    }
    return items;
}

static void get_format(image_t *image, mp_obj_t name) {
    for (size_t i = 0; i < MP_ARRAY_SIZE(formats); ++i) {
        if (microlite_is_word(name, formats[i].name)) {
            image->pixels.format = formats[i].format;
            return;
        }
    }
    microlite_raise_tensor(&mp_type_ValueError, image->self, "format: 'gray8', 'rgb565', 'rgb565be' or 'rgb888' needed");
}

// The image that the tensor is.
static void get_shape(image_t *image) {
    const engine_tensor_t *info = &image->self->info;
    const int32_t *shape = info->shape;
    size_t rank = info->rank;
    if (rank == 4 && shape[0] == 1) {
        shape += 1;
        rank -= 1;
    }
    pixels_t *pixels = &image->pixels;
    if (rank == 3 && (shape[2] == 1 || shape[2] == 3)) {
        pixels->out_height = shape[0];
        pixels->out_width = shape[1];
        pixels->channels = shape[2];
    } else if (rank == 3 && (shape[0] == 1 || shape[0] == 3)) {
        image->is_planar = true;
        pixels->channels = shape[0];
        pixels->out_height = shape[1];
        pixels->out_width = shape[2];
    } else {
        microlite_raise_tensor(&mp_type_ValueError, image->self, "no image of one channel or three; use write() with mul= and add=");
    }
    if (pixels->out_width > PIXELS_MAX_SIDE || pixels->out_height > PIXELS_MAX_SIDE) {
        microlite_raise_tensor(&mp_type_ValueError, image->self, "more than %d pixels wide or high", PIXELS_MAX_SIDE);
    }
}

static void get_size(image_t *image, mp_obj_t width_in, mp_obj_t height_in) {
    mp_int_t width = get_int(image->self, MP_QSTR_width, width_in);
    mp_int_t height = get_int(image->self, MP_QSTR_height, height_in);
    if (width < 1 || width > PIXELS_MAX_SIDE || height < 1 || height > PIXELS_MAX_SIDE) {
        microlite_raise_tensor(&mp_type_ValueError, image->self, "a frame of " INT_FMT " by " INT_FMT " pixels; 1 to %d needed",
            width, height, PIXELS_MAX_SIDE);
    }
    image->width = image->pixels.width = width;
    image->height = image->pixels.height = height;
}

// Frames end with their last row, or with what fills its stride.
static void get_frame(image_t *image, mp_obj_t frame_in, mp_obj_t stride_in) {
    mp_buffer_info_t frame;
    values_t bytes;
    pixels_t *pixels = &image->pixels;
    size_t item_size = pixels->format == PIXELS_RGB565 ? 2 : 1;
    if (mp_obj_is_str(frame_in) || !mp_get_buffer(frame_in, &frame, MP_BUFFER_READ)
        || !values_from_buffer(&bytes, &frame) || values_item_size(bytes.code) > item_size) {
        microlite_raise_tensor(&mp_type_TypeError, image->self, "frame must be a buffer of bytes");
    }
    size_t row = image->width * pixels_size(pixels->format);
    mp_int_t stride = stride_in == mp_const_none ? (mp_int_t)row : get_int(image->self, MP_QSTR_stride, stride_in);
    if (stride < (mp_int_t)row || stride > 16 * PIXELS_MAX_SIDE) {
        microlite_raise_tensor(&mp_type_ValueError, image->self, "stride " INT_FMT ", but rows have " UINT_FMT " bytes", stride, (mp_uint_t)row);
    }
    size_t least = (image->height - 1) * stride + row, most = image->height * stride;
    if (frame.len < least || frame.len > most) {
        microlite_raise_tensor(&mp_type_ValueError, image->self, "a frame of " UINT_FMT " bytes needed, " UINT_FMT " given",
            (mp_uint_t)least, (mp_uint_t)frame.len);
    }
    values_t dst = { .data = image->self->info.data, .n = image->self->info.nbytes, .code = 'B' };
    if (values_overlap(&bytes, &dst)) {
        microlite_raise_tensor(&mp_type_ValueError, image->self, "the frame overlaps the tensor");
    }
    pixels->data = frame.buf;
    pixels->stride = stride;
}

static void get_crop(image_t *image, mp_obj_t crop) {
    if (crop == mp_const_none) {
        return;
    }
    pixels_t *pixels = &image->pixels;
    mp_obj_t *items = get_items(image->self, crop, 4, "crop: (x, y, width, height)");
    mp_int_t part[4];
    for (size_t i = 0; i < 4; ++i) {
        part[i] = get_int(image->self, MP_QSTR_crop, items[i]);
    }
    mp_int_t width = image->width, height = image->height;
    if (part[0] < 0 || part[0] >= width || part[2] < 1 || part[2] > width - part[0]
        || part[1] < 0 || part[1] >= height || part[3] < 1 || part[3] > height - part[1]) {
        microlite_raise_tensor(&mp_type_ValueError, image->self,
            "crop (" INT_FMT ", " INT_FMT ", " INT_FMT ", " INT_FMT ") is not within the frame of " INT_FMT " by " INT_FMT,
            part[0], part[1], part[2], part[3], width, height);
    }
    pixels->x = part[0];
    pixels->y = part[1];
    pixels->width = part[2];
    pixels->height = part[3];
}

static void get_range(image_t *image, mp_obj_t range) {
    uint8_t type = image->self->info.type;
    image->has_range = range != mp_const_none;
    if (!image->has_range) {
        if (type != ENGINE_INT8 && type != ENGINE_UINT8) {
            microlite_raise_tensor(&mp_type_TypeError, image->self, "no 8-bit tensor; range=(lo, hi) needed, what 0 and 255 mean");
        }
        return;
    }
    mp_obj_t *items = get_items(image->self, range, 2, "range: (lo, hi)");
    float lo = microlite_real(image->self, "range: ", 0, items[0]);
    float hi = microlite_real(image->self, "range: ", 1, items[1]);
    image->add = lo;
    image->mul = (hi - lo) / 255.0f;
    if (!(lo - lo == 0.0f && image->mul - image->mul == 0.0f)) {
        microlite_raise_tensor(&mp_type_ValueError, image->self, "range: NaN, infinite or too large");
    } else if (microlite_values(image->self).n_scales > 1) {
        microlite_raise_tensor(&mp_type_TypeError, image->self, "range: several scales; use write() with mul= and add=");
    }
}

// --- Conversion ---

// Numbers 0..255 to where they go in the tensor, and what they mean there.
static void store(const image_t *image, const uint8_t *numbers, size_t n, size_t index) {
    if (!image->has_range) {
        byte *out = (byte *)image->self->info.data + index;
        byte flip = image->self->info.type == ENGINE_INT8 ? 0x80 : 0;
        for (size_t i = 0; i < n; ++i) {
            out[i] = numbers[i] ^ flip;
        }
        return;
    }
    values_t dst = microlite_values(image->self);
    dst.data = (byte *)dst.data + index * values_item_size(dst.code);
    dst.n = dst.slice = n;
    values_t src = { .data = (void *)numbers, .n = n, .code = 'B' };
    scaling_t scaling = {
        .mul = { .data = (void *)&image->mul, .n = 1, .code = 'f' },
        .add = { .data = (void *)&image->add, .n = 1, .code = 'f' },
    };
    values_convert(&dst, &src, &scaling);
}

// A piece of a row, from pixel index of the tensor on.
static void store_piece(const image_t *image, const uint8_t *numbers, size_t index) {
    const pixels_t *pixels = &image->pixels;
    size_t n = pixels->n, channels = pixels->channels;
    if (!image->is_planar) {
        store(image, numbers, n * channels, index * channels);
        return;
    }
    uint8_t one[PIXELS_PIECE];
    size_t plane = (size_t)pixels->out_width * pixels->out_height;
    for (size_t c = 0; c < channels; ++c) {
        for (size_t i = 0; i < n; ++i) {
            one[i] = numbers[i * channels + c];
        }
        store(image, one, n, c * plane + index);
    }
}

static void convert(image_t *image) {
    pixels_t *pixels = &image->pixels;
    uint8_t numbers[3 * PIXELS_PIECE];
    for (int x = 0; x < pixels->out_width; x += PIXELS_PIECE) {
        pixels_piece(pixels, x, MIN(PIXELS_PIECE, pixels->out_width - x));
        for (int y = 0; y < pixels->out_height; ++y) {
            pixels_get(pixels, y, numbers);
            store_piece(image, numbers, (size_t)y * pixels->out_width + x);
        }
    }
}

static mp_obj_t tensor_write_image(size_t n_args, const mp_obj_t *pos_args, mp_map_t *kw_args) {
    enum { ARG_frame, ARG_width, ARG_height, ARG_format, ARG_stride, ARG_crop, ARG_fit, ARG_resample, ARG_range };
    static const mp_arg_t allowed_args[] = {
        { MP_QSTR_frame, MP_ARG_REQUIRED | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL} },
        { MP_QSTR_width, MP_ARG_REQUIRED | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL} },
        { MP_QSTR_height, MP_ARG_REQUIRED | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL} },
        { MP_QSTR_format, MP_ARG_OBJ, {.u_rom_obj = MP_ROM_QSTR(MP_QSTR_gray8)} },
        { MP_QSTR_stride, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_NONE} },
        { MP_QSTR_crop, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_NONE} },
        { MP_QSTR_fit, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_QSTR(MP_QSTR_crop)} },
        { MP_QSTR_resample, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_QSTR(MP_QSTR_bilinear)} },
        { MP_QSTR_range, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_NONE} },
    };
    mp_arg_val_t args[MP_ARRAY_SIZE(allowed_args)];
    mp_arg_parse_all(n_args - 1, pos_args + 1, kw_args, MP_ARRAY_SIZE(allowed_args), allowed_args, args);
    image_t image = { .self = MP_OBJ_TO_PTR(pos_args[0]) };
    microlite_check_writable(image.self);
    get_shape(&image);
    get_format(&image, args[ARG_format].u_obj);
    get_size(&image, args[ARG_width].u_obj, args[ARG_height].u_obj);
    get_crop(&image, args[ARG_crop].u_obj);
    bool stretches = is_second(image.self, MP_QSTR_fit, args[ARG_fit].u_obj, MP_QSTR_crop, MP_QSTR_stretch);
    image.pixels.bilinear = is_second(image.self, MP_QSTR_resample, args[ARG_resample].u_obj, MP_QSTR_nearest, MP_QSTR_bilinear);
    get_range(&image, args[ARG_range].u_obj);
    get_frame(&image, args[ARG_frame].u_obj, args[ARG_stride].u_obj);
    if (!stretches) {
        pixels_crop(&image.pixels);
    }
    interrupts_t saved;
    microlite_take(image.self->model, MP_OBJ_NULL, &saved);
    convert(&image);
    image.self->is_stale = false;
    microlite_release(image.self->model, &saved);
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_KW(microlite_write_image_obj, 1, tensor_write_image);
