// The parameters of a FrontEnd, from keywords of Python to what src_c/audio/ takes.

#ifndef MICROLITE_FRONT_END_H
#define MICROLITE_FRONT_END_H

#include "py/obj.h"
#include "audio/mel.h"
#include "audio/pcan.h"

typedef enum {
    FRONT_END_PCAN,
    FRONT_END_MFE,
    FRONT_END_MFCC,
} front_end_kind_t;

typedef struct {
    front_end_kind_t kind;
    char typecode;          // of rows
    uint8_t bits;           // of samples in bytes
    uint8_t shift;          // from 32 bits to 16
    int window, stride;     // samples
    size_t size;            // bytes of the block
    union {
        pcan_config_t pcan;
        mel_config_t mel;
    };
} front_end_config_t;

// Raises for all that cannot be. kind is MP_OBJ_NULL when it is the default; keywords are n_kw pairs.
void front_end_configure(front_end_config_t *config, mp_obj_t kind, size_t n_kw, const mp_obj_t *keywords);

qstr front_end_kind_name(front_end_kind_t kind);
size_t front_end_row_length(const front_end_config_t *config);

#endif
