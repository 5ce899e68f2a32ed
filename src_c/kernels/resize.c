// Images brought to another size, see resize.h.

#include "resize.h"

#include <string.h>

static float scale_of(const resize_t *params, resize_axis_t axis) {
    if (params->align_corners && axis.out > 1) {
        return (float)(axis.in - 1) / (float)(axis.out - 1);
    }
    return (float)axis.in / (float)axis.out;
}

static int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

// --- nearest ---

static int32_t nearest(const resize_t *params, resize_axis_t axis, float scale, int32_t place) {
    const float at = ((float)place + (params->half_pixel_centers ? 0.5f : 0.0f)) * scale;
    int32_t source = (int32_t)at;
    if (params->align_corners && at - (float)source >= 0.5f) {
        ++source;
    }
    return least(source, axis.in - 1);
}

static void nearest_row(const resize_t *params, float scale, const uint8_t *in, uint8_t *out, size_t pixel) {
    for (int32_t x = 0; x < params->width.out; ++x, out += pixel) {
        memcpy(out, in + (size_t)nearest(params, params->width, scale, x) * pixel, pixel);
    }
}

void resize_nearest(const resize_t *params, const void *in, void *out, int32_t item) {
    const float scale_y = scale_of(params, params->height);
    const float scale_x = scale_of(params, params->width);
    const size_t pixel = (size_t)(params->depth * item);
    const size_t in_row = (size_t)params->width.in * pixel;
    const size_t out_row = (size_t)params->width.out * pixel;
    const uint8_t *from = in;
    uint8_t *to = out;
    for (int32_t b = 0; b < params->batches; ++b, from += (size_t)params->height.in * in_row) {
        int32_t before = -1;
        for (int32_t y = 0; y < params->height.out; ++y, to += out_row) {
            const int32_t source = nearest(params, params->height, scale_y, y);
            if (source == before) {
                memcpy(to, to - out_row, out_row);
            } else {
                nearest_row(params, scale_x, from + (size_t)source * in_row, to, pixel);
            }
            before = source;
        }
    }
}

// --- bilinear ---

// Integers lie at places of 10 fractional bits.
#define ONE (1 << 10)

// The places that a pixel lies between, and how far behind the first, for floats or integers.
typedef struct {
    int32_t first;
    int32_t second;
    float part;
    int32_t part_s8;
} between_t;

static between_t between_of(resize_axis_t axis, int32_t first) {
    first = least(first, axis.in - 1);
    return (between_t) { first, least(first + 1, axis.in - 1), 0, 0 };
}

static between_t between_f32(const resize_t *params, resize_axis_t axis, int32_t place) {
    const float scale = scale_of(params, axis);
    const float at = params->half_pixel_centers ? ((float)place + 0.5f) * scale - 0.5f : (float)place * scale;
    between_t between = between_of(axis, at < 0 ? 0 : (int32_t)at);
    between.part = at < 0 ? 0 : at - (float)between.first;
    return between;
}

static between_t between_s8(const resize_t *params, resize_axis_t axis, int32_t place) {
    const bool inner = params->align_corners && axis.out > 1;
    const int32_t out = axis.out - inner;
    const int32_t scale = (ONE * (axis.in - inner) + out / 2) / out;
    const int32_t at = place * scale + (params->half_pixel_centers ? scale / 2 - ONE / 2 : 0);
    between_t between = between_of(axis, at < 0 ? 0 : at / ONE);
    between.part_s8 = at < 0 ? 0 : at - between.first * ONE;
    return between;
}

// Pixels by offsets from the image's start.
typedef struct {
    int32_t top_left;
    int32_t top_right;
    int32_t bottom_left;
    int32_t bottom_right;
} corners_t;

static corners_t corners_of(const resize_t *params, between_t y, between_t x) {
    const int32_t top = y.first * params->width.in;
    const int32_t bottom = y.second * params->width.in;
    return (corners_t) {
        (top + x.first) * params->depth, (top + x.second) * params->depth,
        (bottom + x.first) * params->depth, (bottom + x.second) * params->depth,
    };
}

static void blend_f32(const float *in, float *out, int32_t depth, corners_t at, float y, float x) {
    for (int32_t c = 0; c < depth; ++c, ++in) {
        out[c] = in[at.top_left] * (1 - y) * (1 - x) + in[at.bottom_left] * y * (1 - x)
            + in[at.top_right] * (1 - y) * x + in[at.bottom_right] * y * x;
    }
}

static void blend_s8(const int8_t *in, int8_t *out, int32_t depth, corners_t at, int32_t y, int32_t x) {
    for (int32_t c = 0; c < depth; ++c, ++in) {
        const int32_t sum = in[at.top_left] * ((ONE - y) * (ONE - x)) + in[at.bottom_left] * (y * (ONE - x))
            + in[at.top_right] * ((ONE - y) * x) + in[at.bottom_right] * (y * x);
        out[c] = (int8_t)((sum + (sum > 0 ? ONE * ONE / 2 : -ONE * ONE / 2)) / (ONE * ONE));
    }
}

void resize_bilinear_f32(const resize_t *params, const float *in, float *out) {
    for (int32_t b = 0; b < params->batches; ++b) {
        for (int32_t i = 0; i < params->height.out; ++i) {
            const between_t y = between_f32(params, params->height, i);
            for (int32_t j = 0; j < params->width.out; ++j, out += params->depth) {
                const between_t x = between_f32(params, params->width, j);
                blend_f32(in, out, params->depth, corners_of(params, y, x), y.part, x.part);
            }
        }
        in += params->height.in * params->width.in * params->depth;
    }
}

void resize_bilinear_s8(const resize_t *params, const int8_t *in, int8_t *out) {
    for (int32_t b = 0; b < params->batches; ++b) {
        for (int32_t i = 0; i < params->height.out; ++i) {
            const between_t y = between_s8(params, params->height, i);
            for (int32_t j = 0; j < params->width.out; ++j, out += params->depth) {
                const between_t x = between_s8(params, params->width, j);
                blend_s8(in, out, params->depth, corners_of(params, y, x), y.part_s8, x.part_s8);
            }
        }
        in += params->height.in * params->width.in * params->depth;
    }
}
