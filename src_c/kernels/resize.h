// Images brought to another size.

#ifndef MICROLITE_KERNELS_RESIZE_H
#define MICROLITE_KERNELS_RESIZE_H

#include <stdbool.h>
#include <stdint.h>

#define RESIZE_MAX (1 << 20)    // rows or columns

// One direction, from size to size.
typedef struct {
    int32_t in;
    int32_t out;
} resize_axis_t;

typedef struct {
    resize_axis_t height;
    resize_axis_t width;
    int32_t batches;
    int32_t depth;              // elements of a pixel
    bool align_corners;         // the outermost pixels stay outermost
    bool half_pixel_centers;    // pixels lie in the middle of their areas
} resize_t;

// The nearest pixel; an element has item bytes.
void resize_nearest(const resize_t *params, const void *in, void *out, int32_t item);

// The mean of four pixels, by distance.
void resize_bilinear_f32(const resize_t *params, const float *in, float *out);
void resize_bilinear_s8(const resize_t *params, const int8_t *in, int8_t *out);

#endif
