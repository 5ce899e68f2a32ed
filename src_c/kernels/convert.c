// Numbers from one type or scale to another, see convert.h.
//
// Types meet in int32: a few elements at a time are widened, converted and narrowed, which needs
// one loop a type instead of one a pair of types.

#include "convert.h"
#include "table.h"

#include <stdbool.h>
#include <string.h>

#define CHUNK (32)

static const int32_t limits[][2] = {
    [CONVERT_S8] = { INT8_MIN, INT8_MAX },
    [CONVERT_U8] = { 0, UINT8_MAX },
    [CONVERT_S16] = { INT16_MIN, INT16_MAX },
    [CONVERT_S32] = { INT32_MIN, INT32_MAX },
};

static void widen(convert_type_t type, const void *in, int32_t at, int32_t *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        switch (type) {
            case CONVERT_S8:
                out[i] = ((const int8_t *)in)[at + i];
                break;
            case CONVERT_U8:
                out[i] = ((const uint8_t *)in)[at + i];
                break;
            case CONVERT_S16:
                out[i] = ((const int16_t *)in)[at + i];
                break;
            default:
                out[i] = ((const int32_t *)in)[at + i];
                break;
        }
    }
}

static void narrow(convert_type_t type, const int32_t *in, void *out, int32_t at, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        switch (type) {
            case CONVERT_S8:
            case CONVERT_U8:
                ((uint8_t *)out)[at + i] = (uint8_t)in[i];
                break;
            case CONVERT_S16:
                ((int16_t *)out)[at + i] = (int16_t)in[i];
                break;
            default:
                ((int32_t *)out)[at + i] = in[i];
                break;
        }
    }
}

static int32_t saturate(int64_t value) {
    return value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

// fixed_multiply() that saturates, for a shift of at most 30.
static int32_t multiply_saturated(int32_t value, factor_t factor) {
    if (factor.shift <= 0) {
        return fixed_multiply(value, factor.multiplier, factor.shift);
    }
    const int64_t half = (int64_t)1 << (30 - factor.shift);
    return saturate(((int64_t)value * factor.multiplier + half) >> (31 - factor.shift));
}

static void requantize_each(const requantize_t *params, convert_type_t in_type, const void *in,
    convert_type_t out_type, void *out, int32_t size) {
    const int32_t least = limits[out_type][0];
    const int32_t most = limits[out_type][1];
    int32_t values[CHUNK];
    for (int32_t at = 0; at < size; at += CHUNK) {
        const int32_t n = size - at < CHUNK ? size - at : CHUNK;
        widen(in_type, in, at, values, n);
        for (int32_t i = 0; i < n; ++i) {
            if (in_type == CONVERT_S32 || out_type == CONVERT_S32) {
                const int32_t scaled = multiply_saturated(values[i] - params->in_offset, params->factor);
                values[i] = fixed_clamp(saturate((int64_t)scaled + params->out_offset), least, most);
            } else {
                const int32_t scaled = fixed_multiply(values[i] - params->in_offset,
                    params->factor.multiplier, params->factor.shift);
                values[i] = fixed_clamp(scaled + params->out_offset, least, most);
            }
        }
        narrow(out_type, values, out, at, n);
    }
}

typedef struct {
    const requantize_t *params;
    convert_type_t in_type;
    convert_type_t out_type;
} bytes_t;

static void requantize_bytes(const void *params, const int8_t *in, int8_t *out, int32_t size) {
    const bytes_t *bytes = params;
    requantize_each(bytes->params, bytes->in_type, in, bytes->out_type, out, size);
}

static bool is_byte(convert_type_t type) {
    return type == CONVERT_S8 || type == CONVERT_U8;
}

void requantize(const requantize_t *params, convert_type_t in_type, const void *in,
    convert_type_t out_type, void *out, int32_t size) {
    if (is_byte(in_type) && is_byte(out_type)) {
        const bytes_t bytes = { params, in_type, out_type };
        table_s8(requantize_bytes, &bytes, in, out, size);
    } else {
        requantize_each(params, in_type, in, out_type, out, size);
    }
}

void requantize_sign(const void *in, void *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        ((uint8_t *)out)[i] = ((const uint8_t *)in)[i] ^ 0x80;
    }
}

// To the nearest integer, halves away from zero, within 31 bits; 0 for what is no number. Without an FPU far
// faster than by roundf() and comparisons.
static int32_t nearest(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    const int32_t left = (int32_t)(bits >> 23 & 0xff) - (127 + 23);     // exponent of the last bit
    const uint32_t mantissa = (bits & 0x7fffff) | 0x800000;
    uint32_t size = 0;
    if (left > 31 - 24) {
        size = (bits & 0x7fffffff) > 0x7f800000 ? 0 : INT32_MAX;
    } else if (left >= 0) {
        size = mantissa << left;
    } else if (left >= -24) {
        size = ((mantissa >> (-left - 1)) + 1) >> 1;
    }
    return bits >> 31 ? -(int32_t)size : (int32_t)size;
}

void quantize_f32(float scale, int32_t zero_point, const float *in, convert_type_t out_type, void *out,
    int32_t size) {
    const int32_t least = limits[out_type][0] - zero_point;
    const int32_t most = limits[out_type][1] - zero_point;
    int32_t values[CHUNK];
    for (int32_t at = 0; at < size; at += CHUNK) {
        const int32_t n = size - at < CHUNK ? size - at : CHUNK;
        for (int32_t i = 0; i < n; ++i) {
            values[i] = fixed_clamp(nearest(in[at + i] / scale), least, most) + zero_point;
        }
        narrow(out_type, values, out, at, n);
    }
}

void dequantize_f32(float scale, int32_t zero_point, convert_type_t in_type, const void *in, float *out,
    int32_t size) {
    int32_t values[CHUNK];
    for (int32_t at = 0; at < size; at += CHUNK) {
        const int32_t n = size - at < CHUNK ? size - at : CHUNK;
        widen(in_type, in, at, values, n);
        for (int32_t i = 0; i < n; ++i) {
            out[at + i] = (float)(values[i] - zero_point) * scale;
        }
    }
}

// --- values as they are ---

// A float as an integer between the limits, of which the upper one may only be exact plus 1.
static int64_t truncate(float value, int64_t least, int64_t most) {
    if (value >= (float)most) {
        return most;
    }
    return value <= (float)least ? least : value == value ? (int64_t)value : 0;
}

static int64_t truncate_to(convert_type_t type, float value) {
    return type == CONVERT_S64 ? truncate(value, INT64_MIN, INT64_MAX)
           : truncate(value, limits[type][0], limits[type][1]);
}

static int64_t load(convert_type_t type, const void *in, int32_t at) {
    int32_t value;
    if (type == CONVERT_S64) {
        return ((const int64_t *)in)[at];
    }
    widen(type == CONVERT_BOOL ? CONVERT_U8 : type, in, at, &value, 1);
    return value;
}

static void store(convert_type_t type, int64_t value, void *out, int32_t at) {
    const int32_t low = (int32_t)value;
    if (type == CONVERT_S64) {
        ((int64_t *)out)[at] = value;
    } else {
        narrow(type, &low, out, at, 1);
    }
}

void cast(convert_type_t in_type, const void *in, convert_type_t out_type, void *out, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        if (in_type == CONVERT_F32) {
            const float value = ((const float *)in)[i];
            if (out_type == CONVERT_F32) {
                ((float *)out)[i] = value;
            } else if (out_type == CONVERT_BOOL) {
                ((uint8_t *)out)[i] = value != 0;
            } else {
                store(out_type, truncate_to(out_type, value), out, i);
            }
        } else {
            const int64_t value = load(in_type, in, i);
            if (out_type == CONVERT_F32) {
                ((float *)out)[i] = (float)value;
            } else if (out_type == CONVERT_BOOL) {
                ((uint8_t *)out)[i] = value != 0;
            } else {
                store(out_type, value, out, i);
            }
        }
    }
}
