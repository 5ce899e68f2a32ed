// spectrum(), magnitudes of real samples, and cmvn(), normalised features: into the caller's arrays.

#include <math.h>

#include "py/runtime.h"
#include "microlite.h"

#if MICROLITE_AUDIO

#include "audio/cmvn.h"
#include "audio/fft.h"
#include "audio/maths.h"

#define MAX_SAMPLES (16384)
#define MAX_COUNT   (0x3fffffff)    // of small ints of all ports
#define EPSILON     (0x1p-30f)
#define MAX_FEATURE (0x1p47f)       // sums of squares over MAX_COUNT rows stay finite

// --- Arguments ---

static mp_int_t get_count(qstr name, mp_obj_t object) {
    if (!mp_obj_is_int(object)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%q: an int needed, not %s"), name, mp_obj_get_type_str(object));
    }
    mp_int_t count = mp_obj_is_small_int(object) ? MP_OBJ_SMALL_INT_VALUE(object) : 0;
    if (count < 1 || count > MAX_COUNT) {
        mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("%q: %g is not within 1 to %d"),
            name, (double)mp_obj_get_float(object), MAX_COUNT);
    }
    return count;
}

static void get_values(values_t *self, qstr name, mp_obj_t object, mp_uint_t flags) {
    mp_buffer_info_t info;
    if (mp_obj_is_str(object) || !mp_get_buffer(object, &info, flags) || !values_from_buffer(self, &info) || self->code != 'f') {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%q: array('f') needed, not %s"), name, mp_obj_get_type_str(object));
    }
}

static void check_length(const values_t *self, qstr name, size_t n) {
    if (self->n != n) {
        mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("%q: %u numbers needed, %u given"), name, (uint)n, (uint)self->n);
    }
}

static void get_samples(values_t *self, mp_obj_t object) {
    mp_buffer_info_t info;
    if (mp_obj_is_str(object) || !mp_get_buffer(object, &info, MP_BUFFER_READ) || !values_from_buffer(self, &info) || self->code == 'B') {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("samples: array of typed numbers needed, not %s"), mp_obj_get_type_str(object));
    } else if (self->n < 4 || self->n > MAX_SAMPLES || (self->n & (self->n - 1)) != 0) {
        mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("samples: %u is not a power of two within 4 to %u"), (uint)self->n, MAX_SAMPLES);
    }
    size_t index = values_find_infinite(self, NULL);
    if (index != self->n) {
        mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("samples: number %u is NaN, infinite or too large"), (uint)index);
    }
}

// --- Spectrum ---

// The share of the cosine in the window, a - (1 - a) cos(2 pi k / n).
static float window_offset(mp_obj_t window) {
    if (window == mp_const_none) {
        return 1.0f;
    } else if (microlite_is_word(window, MP_QSTR_hann)) {
        return 0.5f;
    } else if (microlite_is_word(window, MP_QSTR_hamming)) {
        return 0.54f;
    }
    mp_raise_ValueError(MP_ERROR_TEXT("window: 'hann', 'hamming' or None needed"));
}

static mp_obj_t microlite_spectrum(size_t n_args, const mp_obj_t *pos_args, mp_map_t *kw_args) {
    enum { ARG_samples, ARG_out, ARG_window, ARG_scratch };
    static const mp_arg_t allowed_args[] = {
        { MP_QSTR_samples, MP_ARG_REQUIRED | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL} },
        { MP_QSTR_out, MP_ARG_REQUIRED | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL} },
        { MP_QSTR_window, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_QSTR(MP_QSTR_hann)} },
        { MP_QSTR_scratch, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_NONE} },
    };
    mp_arg_val_t args[MP_ARRAY_SIZE(allowed_args)];
    mp_arg_parse_all(n_args, pos_args, kw_args, MP_ARRAY_SIZE(allowed_args), allowed_args, args);
    float offset = window_offset(args[ARG_window].u_obj);
    values_t samples, out, scratch;
    get_samples(&samples, args[ARG_samples].u_obj);
    size_t n = samples.n, n_scratch = n + FFT_QUARTER_SIZE(n);
    get_values(&out, MP_QSTR_out, args[ARG_out].u_obj, MP_BUFFER_RW);
    check_length(&out, MP_QSTR_out, n / 2 + 1);
    bool given = args[ARG_scratch].u_obj != mp_const_none;
    if (given) {
        get_values(&scratch, MP_QSTR_scratch, args[ARG_scratch].u_obj, MP_BUFFER_RW);
        check_length(&scratch, MP_QSTR_scratch, n_scratch);
        if (values_overlap(&scratch, &samples) || values_overlap(&scratch, &out)) {
            mp_raise_ValueError(MP_ERROR_TEXT("scratch: overlaps samples or out"));
        }
    } else {
        scratch = (values_t) { .data = m_new(float, n_scratch), .n = n_scratch, .code = 'f' };
    }
    float *x = scratch.data, *quarter = x + n, *magnitudes = out.data;
    values_t row = { .data = x, .n = n, .code = 'f' };
    values_convert(&row, &samples, NULL);
    float factor = audio_factor(x, n);      // so that no square is too large or too small
    fft_make_quarter(quarter, n);
    for (size_t k = 0; k < n; ++k) {
        x[k] *= factor;
        if (offset < 1.0f) {
            x[k] *= offset - (1.0f - offset) * fft_cos(quarter, n, k);
        }
    }
    fft_real(x, n, quarter);
    fft_power(x, n, x);
    for (size_t k = 0; k <= n / 2; ++k) {
        magnitudes[k] = sqrtf(x[k]) / factor;
    }
    if (!given) {
        m_del(float, x, n_scratch);
    }
    return args[ARG_out].u_obj;
}
MP_DEFINE_CONST_FUN_OBJ_KW(microlite_spectrum_obj, 0, microlite_spectrum);

// --- Normalisation ---

static bool is_interrupted(void) {
    return MP_STATE_THREAD(mp_pending_exception) != MP_OBJ_NULL;
}

static void check_features(const values_t *self) {
    const float *x = self->data;
    for (size_t i = 0; i < self->n; ++i) {
        if (!(fabsf(x[i]) <= MAX_FEATURE)) {
            mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("features: number %u is NaN or beyond 2 ** 47"), (uint)i);
        }
    }
}

// One column; x and centred have room for its rows.
static void normalise(const float *in, float *out, size_t rows, size_t stride, size_t window, bool variance, float *x, float *centred) {
    for (size_t i = 0; i < rows; ++i) {
        x[i] = in[i * stride];
    }
    for (size_t i = 0; i < rows && !is_interrupted(); ++i) {
        centred[i] = cmvn_centred(x, rows, i, window);
    }
    for (size_t i = 0; i < rows && !is_interrupted(); ++i) {
        out[i * stride] = variance ? centred[i] / (cmvn_deviation(centred, rows, i, window) + EPSILON) : centred[i];
    }
}

// As many rows as the array holds, of so many columns.
static mp_obj_t microlite_cmvn(size_t n_args, const mp_obj_t *pos_args, mp_map_t *kw_args) {
    enum { ARG_features, ARG_out, ARG_columns, ARG_window, ARG_variance };
    static const mp_arg_t allowed_args[] = {
        { MP_QSTR_features, MP_ARG_REQUIRED | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL} },
        { MP_QSTR_out, MP_ARG_REQUIRED | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL} },
        { MP_QSTR_columns, MP_ARG_REQUIRED | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL} },
        { MP_QSTR_window, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_INT(101)} },
        { MP_QSTR_variance, MP_ARG_KW_ONLY | MP_ARG_BOOL, {.u_bool = true} },
    };
    mp_arg_val_t args[MP_ARRAY_SIZE(allowed_args)];
    mp_arg_parse_all(n_args, pos_args, kw_args, MP_ARRAY_SIZE(allowed_args), allowed_args, args);
    mp_int_t columns = get_count(MP_QSTR_columns, args[ARG_columns].u_obj);
    mp_int_t window = get_count(MP_QSTR_window, args[ARG_window].u_obj);
    values_t features, out;
    get_values(&features, MP_QSTR_features, args[ARG_features].u_obj, MP_BUFFER_READ);
    get_values(&out, MP_QSTR_out, args[ARG_out].u_obj, MP_BUFFER_RW);
    check_length(&out, MP_QSTR_out, features.n);
    if (features.n == 0 || features.n % columns != 0) {
        mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("columns: %d do not divide %u features"), (int)columns, (uint)features.n);
    } else if (window % 2 == 0) {
        mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("window: an odd number of rows needed, not %d"), (int)window);
    } else if (out.data != features.data && values_overlap(&out, &features)) {
        mp_raise_ValueError(MP_ERROR_TEXT("out: overlaps features without being them"));
    }
    check_features(&features);
    size_t rows = features.n / columns;
    float *scratch = m_new(float, 2 * rows);
    for (mp_int_t i = 0; i < columns && !is_interrupted(); ++i) {
        normalise((const float *)features.data + i, (float *)out.data + i, rows, columns, window,
            args[ARG_variance].u_bool, scratch, scratch + rows);
    }
    m_del(float, scratch, 2 * rows);
    if (is_interrupted()) {
        mp_handle_pending(true);
    }
    return args[ARG_out].u_obj;
}
MP_DEFINE_CONST_FUN_OBJ_KW(microlite_cmvn_obj, 0, microlite_cmvn);

#endif
