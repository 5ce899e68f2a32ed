// The parameters of a FrontEnd: names, ranges and defaults, and what must hold between them.

#include <string.h>

#include "py/runtime.h"
#include "microlite.h"

#if MICROLITE_AUDIO

#include "front_end.h"

#define PCAN        (1 << FRONT_END_PCAN)
#define MFE         (1 << FRONT_END_MFE)
#define MFCC        (1 << FRONT_END_MFCC)
#define MEL         (MFE | MFCC)
#define ALL         (PCAN | MEL)
#define MAX_WINDOW  (16384)     // samples
#define HALF_RATE   (0.0f)      // default of upper: as high as it can be

typedef struct {
    qstr_short_t name;
    uint8_t kinds;          // that have it
    bool real;
    float low, high;
    float defaults[3];      // by kind
} parameter_t;

enum {
    SAMPLE_RATE, WINDOW_MS, STRIDE_MS, CHANNELS, LOWER, UPPER, BITS, SHIFT, FFT_SIZE, PREEMPHASIS, NOISE_FLOOR, CEPSTRA,
    SMOOTHING_BITS, EVEN_SMOOTHING, ODD_SMOOTHING, MIN_SIGNAL_REMAINING, PCAN_ON, STRENGTH, OFFSET, GAIN_BITS, LOG, LOG_SHIFT,
    N_PARAMETERS
};

static const parameter_t parameters[] = {
    [SAMPLE_RATE] = { MP_QSTR_sample_rate, ALL, false, 100, 384000, { 16000, 16000, 16000 } },
    [WINDOW_MS] = { MP_QSTR_window_ms, ALL, false, 1, 10000, { 30, 20, 20 } },
    [STRIDE_MS] = { MP_QSTR_stride_ms, ALL, false, 1, 10000, { 20, 10, 20 } },
    [CHANNELS] = { MP_QSTR_channels, ALL, false, 1, 256, { 40, 40, 32 } },
    [LOWER] = { MP_QSTR_lower, ALL, true, 0, 192000, { 125, 300, 0 } },
    [UPPER] = { MP_QSTR_upper, ALL, true, 1, 192000, { 7500, HALF_RATE, HALF_RATE } },
    [BITS] = { MP_QSTR_bits, ALL, false, 16, 32, { 16, 16, 16 } },
    [SHIFT] = { MP_QSTR_shift, ALL, false, 0, 16, { 16, 16, 16 } },
    [FFT_SIZE] = { MP_QSTR_fft_size, MEL, false, 4, MAX_WINDOW, { 0, 256, 256 } },
    [PREEMPHASIS] = { MP_QSTR_preemphasis, MEL, true, 0, 1, { 0, 0.98f, 0.98f } },
    [NOISE_FLOOR] = { MP_QSTR_noise_floor, MFE, true, -200, 0, { 0, -52, 0 } },
    [CEPSTRA] = { MP_QSTR_cepstra, MFCC, false, 1, 256, { 0, 0, 13 } },
    [SMOOTHING_BITS] = { MP_QSTR_smoothing_bits, PCAN, false, 0, 20, { 10 } },
    [EVEN_SMOOTHING] = { MP_QSTR_even_smoothing, PCAN, true, 0, 1, { 0.025f } },
    [ODD_SMOOTHING] = { MP_QSTR_odd_smoothing, PCAN, true, 0, 1, { 0.06f } },
    [MIN_SIGNAL_REMAINING] = { MP_QSTR_min_signal_remaining, PCAN, true, 0, 1, { 0.05f } },
    [PCAN_ON] = { MP_QSTR_pcan, PCAN, false, 0, 1, { 1 } },
    [STRENGTH] = { MP_QSTR_strength, PCAN, true, 0, 1, { 0.95f } },
    [OFFSET] = { MP_QSTR_offset, PCAN, true, 0.01f, 1e6f, { 80 } },
    [GAIN_BITS] = { MP_QSTR_gain_bits, PCAN, false, 0, 30, { 21 } },
    [LOG] = { MP_QSTR_log, PCAN, false, 0, 1, { 1 } },
    [LOG_SHIFT] = { MP_QSTR_log_shift, PCAN, false, 0, 10, { 6 } },
};

// --- What callers give ---

static NORETURN void raise_range(int index, float given, float low, float high) {
    mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("%q: %g is not within %g to %g"),
        (qstr)parameters[index].name, (double)given, (double)low, (double)high);
}

static NORETURN void raise_against(int index, float given, const char *what, float other) {
    mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("%q: %g is %s, %g"),
        (qstr)parameters[index].name, (double)given, what, (double)other);
}

static int find_parameter(front_end_kind_t kind, qstr name) {
    for (int i = 0; i < N_PARAMETERS; ++i) {
        if (parameters[i].name == name && parameters[i].kinds & 1 << kind) {
            return i;
        }
    }
    mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%q: no parameter of '%q'"), name, front_end_kind_name(kind));
}

static float parameter_value(int index, mp_obj_t object) {
    const parameter_t *parameter = &parameters[index];
    bool is_int = mp_obj_is_int(object) || mp_obj_is_bool(object);
    if (!is_int && !(parameter->real && mp_obj_is_float(object))) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%q: %s needed, not %s"),
            (qstr)parameter->name, parameter->real ? "a number" : "an int", mp_obj_get_type_str(object));
    }
    float value = (float)mp_obj_get_float(object);
    if (!(value >= parameter->low && value <= parameter->high)) {
        raise_range(index, value, parameter->low, parameter->high);
    }
    return value;
}

static front_end_kind_t find_kind(mp_obj_t object, size_t n_kw, const mp_obj_t *keywords) {
    for (size_t i = 0; i < n_kw && object == MP_OBJ_NULL; ++i) {
        if (mp_obj_str_get_qstr(keywords[2 * i]) == MP_QSTR_kind) {
            object = keywords[2 * i + 1];
        }
    }
    for (front_end_kind_t kind = FRONT_END_PCAN; kind <= FRONT_END_MFCC; ++kind) {
        if (object == MP_OBJ_NULL || microlite_is_word(object, front_end_kind_name(kind))) {
            return kind;
        }
    }
    mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("kind: 'pcan', 'mfe' or 'mfcc' needed, not %s"),
        mp_obj_is_str(object) ? mp_obj_str_get_str(object) : mp_obj_get_type_str(object));
}

static char find_typecode(front_end_kind_t kind, mp_obj_t object) {
    const char *possible = kind == FRONT_END_PCAN ? "fbBH" : "f";
    const char *code = mp_obj_is_str(object) ? mp_obj_str_get_str(object) : "";
    if (strlen(code) != 1 || strchr(possible, *code) == NULL) {
        mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("typecode: one of %s needed"), possible);
    }
    return *code;
}

// --- What must hold between them ---

static void check_band(const float *values) {
    float half = values[SAMPLE_RATE] / 2;
    if (values[UPPER] > half) {
        raise_against(UPPER, values[UPPER], "more than half the sample rate", half);
    } else if (values[LOWER] >= values[UPPER]) {
        raise_against(LOWER, values[LOWER], "not below upper", values[UPPER]);
    }
}

static void check_window(const front_end_config_t *config, const float *values) {
    if (values[STRIDE_MS] > values[WINDOW_MS]) {
        raise_against(STRIDE_MS, values[STRIDE_MS], "more than window_ms", values[WINDOW_MS]);
    } else if (config->window < 2 || config->window > MAX_WINDOW) {
        mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("window_ms: %u samples are not within 2 to %u"), config->window, MAX_WINDOW);
    } else if (config->stride < 1) {
        raise_against(STRIDE_MS, values[STRIDE_MS], "less than a sample at sample_rate", values[SAMPLE_RATE]);
    }
}

static void configure_pcan(front_end_config_t *config, const float *values) {
    config->pcan = (pcan_config_t) {
        .sample_rate = (int)values[SAMPLE_RATE],
        .window = config->window,
        .stride = config->stride,
        .channels = (int)values[CHANNELS],
        .lower = values[LOWER],
        .upper = values[UPPER],
        .smoothing_bits = (int)values[SMOOTHING_BITS],
        .even_smoothing = values[EVEN_SMOOTHING],
        .odd_smoothing = values[ODD_SMOOTHING],
        .min_signal_remaining = values[MIN_SIGNAL_REMAINING],
        .pcan = values[PCAN_ON] != 0,
        .strength = values[STRENGTH],
        .offset = values[OFFSET],
        .gain_bits = (int)values[GAIN_BITS],
        .log = values[LOG] != 0,
        .log_shift = (int)values[LOG_SHIFT],
    };
    int least = pcan_least_smoothing_bits(&config->pcan);
    if (config->pcan.pcan && values[SMOOTHING_BITS] < least) {
        raise_against(SMOOTHING_BITS, values[SMOOTHING_BITS], "less than what the window needs", least);
    }
    least = pcan_least_gain_bits(&config->pcan);
    if (config->pcan.pcan && values[GAIN_BITS] < least) {
        raise_against(GAIN_BITS, values[GAIN_BITS], "less than what the window needs", least);
    }
    config->size = pcan_size(&config->pcan);
    if (config->size == 0) {
        raise_against(UPPER, values[UPPER], "too close to half the sample rate", values[SAMPLE_RATE] / 2);
    }
}

static void configure_mel(front_end_config_t *config, const float *values) {
    config->mel = (mel_config_t) {
        .sample_rate = (int)values[SAMPLE_RATE],
        .window = config->window,
        .stride = config->stride,
        .fft_size = (int)values[FFT_SIZE],
        .channels = (int)values[CHANNELS],
        .lower = values[LOWER],
        .upper = values[UPPER],
        .preemphasis = values[PREEMPHASIS],
        .noise_floor = values[NOISE_FLOOR],
        .cepstra = (int)values[CEPSTRA],
    };
    int size = config->mel.fft_size;
    if ((size & (size - 1)) != 0) {
        mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("fft_size: %d is not a power of two"), size);
    } else if (values[CEPSTRA] > values[CHANNELS]) {
        raise_against(CEPSTRA, values[CEPSTRA], "more than channels", values[CHANNELS]);
    }
    config->size = mel_size(&config->mel);
    if (config->size == 0) {
        raise_against(CHANNELS, values[CHANNELS], "too many for fft_size", size);
    }
}

void front_end_configure(front_end_config_t *config, mp_obj_t kind_in, size_t n_kw, const mp_obj_t *keywords) {
    front_end_kind_t kind = find_kind(kind_in, n_kw, keywords);
    float values[N_PARAMETERS];
    for (int i = 0; i < N_PARAMETERS; ++i) {
        values[i] = parameters[i].defaults[kind];
    }
    config->kind = kind;
    config->typecode = 'f';
    for (size_t i = 0; i < n_kw; ++i) {
        qstr name = mp_obj_str_get_qstr(keywords[2 * i]);
        mp_obj_t value = keywords[2 * i + 1];
        if (name == MP_QSTR_typecode) {
            config->typecode = find_typecode(kind, value);
        } else if (name != MP_QSTR_kind || kind_in != MP_OBJ_NULL) {
            int index = find_parameter(kind, name);
            values[index] = parameter_value(index, value);
        }
    }
    if (values[BITS] != 16 && values[BITS] != 32) {
        mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("bits: 16 or 32 needed, not %d"), (int)values[BITS]);
    } else if (values[UPPER] == HALF_RATE) {
        values[UPPER] = values[SAMPLE_RATE] / 2;
    }
    int up = kind == FRONT_END_PCAN ? 0 : 999;
    config->bits = (uint8_t)values[BITS];
    config->shift = (uint8_t)values[SHIFT];
    config->window = (int)(((int64_t)values[SAMPLE_RATE] * (int)values[WINDOW_MS] + up) / 1000);
    config->stride = (int)(((int64_t)values[SAMPLE_RATE] * (int)values[STRIDE_MS] + up) / 1000);
    check_window(config, values);
    check_band(values);
    (kind == FRONT_END_PCAN ? configure_pcan : configure_mel)(config, values);
}

// --- What follows from them ---

qstr front_end_kind_name(front_end_kind_t kind) {
    return kind == FRONT_END_PCAN ? MP_QSTR_pcan : kind == FRONT_END_MFE ? MP_QSTR_mfe : MP_QSTR_mfcc;
}

size_t front_end_row_length(const front_end_config_t *config) {
    if (config->kind == FRONT_END_PCAN) {
        return config->pcan.channels;
    }
    return config->kind == FRONT_END_MFE ? config->mel.channels : config->mel.cepstra;
}

#endif
