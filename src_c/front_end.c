// The type FrontEnd: samples of sound into rows of features, one after the other.
//
// The object holds its state in one block. A chunk that was fed is read as rows are asked for, so the
// object keeps it until its last sample was taken. All rows are the same read-only view.

#include <string.h>

#include "py/binary.h"
#include "py/objarray.h"
#include "py/runtime.h"
#include "microlite.h"

#if MICROLITE_AUDIO

#include "front_end.h"

#define N_CONVERTED (64)    // samples at a time
#define SHORT_SHIFT (16)    // from 32-bit samples to 16-bit ones

typedef struct _front_end_obj_t {
    mp_obj_base_t base;
    front_end_config_t config;
    void *block;
    mp_obj_t row;
    void *values;           // what row shows
    mp_obj_t samples;       // MP_OBJ_NULL when all were taken
    mp_buffer_info_t chunk;
    size_t width;           // bytes of a sample
    size_t at;              // bytes of the chunk that were taken
} front_end_obj_t;

static mp_obj_t front_end_make_new(const mp_obj_type_t *type, size_t n_args, size_t n_kw, const mp_obj_t *args) {
    mp_arg_check_num(n_args, n_kw, 0, 1, true);
    front_end_obj_t *self = mp_obj_malloc(front_end_obj_t, type);
    front_end_config_t *config = &self->config;
    front_end_configure(config, n_args == 0 ? MP_OBJ_NULL : args[0], n_kw, args + n_args);
    size_t n_values = front_end_row_length(config);
    self->samples = MP_OBJ_NULL;
    self->values = m_malloc0(n_values * values_item_size(config->typecode));
    self->row = mp_obj_new_memoryview(config->typecode, n_values, self->values);
    self->block = m_malloc(config->size);
    if (config->kind == FRONT_END_PCAN) {
        pcan_init(self->block, config->size, &config->pcan);
    } else {
        mel_init(self->block, config->size, &config->mel);
    }
    return MP_OBJ_FROM_PTR(self);
}

// --- Rows ---

static void convert_row(const front_end_obj_t *self, const uint16_t *features) {
    size_t n = self->config.pcan.channels;
    for (size_t i = 0; i < n; ++i) {
        int v = features[i];
        switch (self->config.typecode) {
            case 'b':
                v = (v * 256 + 666 / 2) / 666 - 128;
                ((int8_t *)self->values)[i] = MIN(v, INT8_MAX);
                break;
            case 'B':
                v = (v * 2550 + 6656 / 2) / 6656;
                ((uint8_t *)self->values)[i] = MIN(v, UINT8_MAX);
                break;
            case 'H':
                ((uint16_t *)self->values)[i] = v;
                break;
            default:
                ((float *)self->values)[i] = v * (10.0f / 256.0f);
                break;
        }
    }
}

// Whether the samples taken have made a row.
static bool take_samples(front_end_obj_t *self, const int16_t *samples, size_t n, size_t *taken) {
    if (self->config.kind == FRONT_END_PCAN) {
        const uint16_t *row = pcan_feed(self->block, samples, n, taken);
        if (row != NULL) {
            convert_row(self, row);
        }
        return row != NULL;
    }
    const float *row = mel_feed(self->block, samples, n, taken);
    if (row != NULL) {
        memcpy(self->values, row, front_end_row_length(&self->config) * sizeof(*row));
    }
    return row != NULL;
}

// The next samples as 16-bit ones: where they are, or converted.
static const int16_t *next_samples(const front_end_obj_t *self, int16_t *converted, size_t *n) {
    const byte *from = (const byte *)self->chunk.buf + self->at;
    *n = (self->chunk.len - self->at) / self->width;
    if (self->width == sizeof(int16_t) && (uintptr_t)from % sizeof(int16_t) == 0) {
        return (const int16_t *)from;
    }
    *n = MIN(*n, N_CONVERTED);
    for (size_t i = 0; i < *n; ++i) {
        int32_t sample;
        if (self->width == sizeof(int16_t)) {
            memcpy(&converted[i], from + i * self->width, self->width);
        } else {
            memcpy(&sample, from + i * self->width, self->width);
            sample >>= self->config.shift;
            converted[i] = MAX(INT16_MIN, MIN(sample, INT16_MAX));
        }
    }
    return converted;
}

static bool next_row(front_end_obj_t *self) {
    bool row = false;
    int16_t converted[N_CONVERTED];
    while (!row && self->at < self->chunk.len) {
        size_t n, taken;
        const int16_t *samples = next_samples(self, converted, &n);
        row = take_samples(self, samples, n, &taken);
        self->at += taken * self->width;
    }
    return row;
}

static mp_obj_t front_end_iternext(mp_obj_t self_in) {
    front_end_obj_t *self = MP_OBJ_TO_PTR(self_in);
    if (self->samples == MP_OBJ_NULL) {
        return MP_OBJ_STOP_ITERATION;
    }
    mp_buffer_info_t now;
    mp_get_buffer_raise(self->samples, &now, MP_BUFFER_READ);
    if (now.buf != self->chunk.buf || now.len != self->chunk.len) {
        self->samples = MP_OBJ_NULL;
        mp_raise_msg(&mp_type_RuntimeError, MP_ERROR_TEXT("samples: the buffer was resized before all were taken"));
    }
    interrupts_t saved;
    interrupts_hold(&saved);
    bool row = next_row(self);
    interrupts_release(&saved);
    if (!row) {
        self->samples = MP_OBJ_NULL;
        return MP_OBJ_STOP_ITERATION;
    }
    return self->row;
}

// --- Chunks ---

// Bytes of a sample, 0 for buffers without samples.
static size_t sample_width(const front_end_obj_t *self, char code) {
    switch (code) {
        case 'h':
            return sizeof(int16_t);
        case 'i':
            return sizeof(int32_t);
        case 'l':
            return sizeof(long) == sizeof(int32_t) ? sizeof(int32_t) : 0;
        case 'B':
        case BYTEARRAY_TYPECODE:
            return self->config.bits / 8;
        default:
            return 0;
    }
}

static mp_obj_t front_end_feed(mp_obj_t self_in, mp_obj_t samples) {
    front_end_obj_t *self = MP_OBJ_TO_PTR(self_in);
    if (self->samples != MP_OBJ_NULL && self->at < self->chunk.len) {
        mp_raise_msg_varg(&mp_type_RuntimeError, MP_ERROR_TEXT("%u samples of the last chunk were not taken: ask for all rows, or reset()"),
            (uint)((self->chunk.len - self->at) / self->width));
    }
    mp_buffer_info_t info = { .typecode = 0 };
    size_t width = 0;
    if (!mp_obj_is_str(samples) && mp_get_buffer(samples, &info, MP_BUFFER_READ)) {
        width = sample_width(self, info.typecode);
    }
    if (width == 0) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("samples: array('h'), array('i') or bytes needed, not %s"),
            mp_obj_get_type_str(samples));
    } else if (info.len % width != 0) {
        mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("samples: %u bytes are no whole number of %u-bit samples"),
            (uint)info.len, (uint)width * 8);
    }
    self->samples = samples;
    self->chunk = info;
    self->width = width;
    self->at = 0;
    return self_in;
}
static MP_DEFINE_CONST_FUN_OBJ_2(front_end_feed_obj, front_end_feed);

static mp_obj_t front_end_reset(mp_obj_t self_in) {
    front_end_obj_t *self = MP_OBJ_TO_PTR(self_in);
    self->samples = MP_OBJ_NULL;
    if (self->config.kind == FRONT_END_PCAN) {
        pcan_reset(self->block);
    } else {
        mel_reset(self->block);
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(front_end_reset_obj, front_end_reset);

// --- The type ---

static const mp_rom_map_elem_t front_end_locals_dict_table[] = {
    { MP_ROM_QSTR(MP_QSTR_feed), MP_ROM_PTR(&front_end_feed_obj) },
    { MP_ROM_QSTR(MP_QSTR_reset), MP_ROM_PTR(&front_end_reset_obj) },
};
static MP_DEFINE_CONST_DICT(front_end_locals_dict, front_end_locals_dict_table);

static void front_end_attr(mp_obj_t self_in, qstr attr, mp_obj_t *dest) {
    const front_end_obj_t *self = MP_OBJ_TO_PTR(self_in);
    if (dest[0] != MP_OBJ_NULL) {
        return;
    }
    switch (attr) {
        case MP_QSTR_kind:
            dest[0] = MP_OBJ_NEW_QSTR(front_end_kind_name(self->config.kind));
            break;
        case MP_QSTR_row:
            dest[0] = self->row;
            break;
        case MP_QSTR_size:
            dest[0] = mp_obj_new_int_from_uint(self->config.size);
            break;
        case MP_QSTR_typecode:
            dest[0] = mp_obj_new_str_via_qstr(&self->config.typecode, 1);
            break;
        case MP_QSTR_window:
            dest[0] = MP_OBJ_NEW_SMALL_INT(self->config.window);
            break;
        case MP_QSTR_stride:
            dest[0] = MP_OBJ_NEW_SMALL_INT(self->config.stride);
            break;
        default:
            dest[1] = MP_OBJ_SENTINEL;
    }
}

MP_DEFINE_CONST_OBJ_TYPE(
    microlite_type_FrontEnd,
    MP_QSTR_FrontEnd,
    MP_TYPE_FLAG_ITER_IS_ITERNEXT,
    make_new, front_end_make_new,
    attr, front_end_attr,
    iter, front_end_iternext,
    locals_dict, &front_end_locals_dict
    );

#endif
