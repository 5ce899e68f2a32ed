// Pixels of a camera frame, scaled to the size of a tensor. Plain C, nothing is allocated: rows are
// made where they are wanted, in pieces of any length.
#ifndef MICROLITE_PIXELS_H
#define MICROLITE_PIXELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PIXELS_MAX_SIDE (16384)     // of frames and of what is made of them

typedef enum _pixels_format_t {
    PIXELS_GRAY8,
    PIXELS_RGB565,      // words of 16 bits, the low byte first
    PIXELS_RGB565BE,    // the high byte first
    PIXELS_RGB888,      // bytes: red, green, blue
} pixels_format_t;

typedef struct _pixels_t {
    const uint8_t *data;
    size_t stride;              // bytes from one row of the frame to the next
    pixels_format_t format;
    int x, y, width, height;    // the part of the frame that is used
    int out_width, out_height;
    int channels;               // 1: grey, 3: red, green, blue
    bool bilinear;              // else the nearest pixel
} pixels_t;

// Bytes of a pixel.
size_t pixels_size(pixels_format_t format);

// Takes the largest part in the middle of the region that has the output's proportions.
void pixels_crop(pixels_t *self);

// Writes n pixels of row y of the output, from column x on, a byte for each channel.
void pixels_get(const pixels_t *self, int y, int x, int n, uint8_t *out);

#endif
