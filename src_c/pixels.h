// Pixels of a camera frame, scaled to the size of a tensor. Plain C, nothing is allocated: rows are
// made where they are wanted, in pieces of the same columns.
#ifndef MICROLITE_PIXELS_H
#define MICROLITE_PIXELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PIXELS_MAX_SIDE (16384)     // of frames and of what is made of them
#define PIXELS_PIECE    (32)        // pixels that are made at a time

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
    // Of the piece: its pixels lie between two columns of the region, nearer to the right one by weights / 256.
    int n;
    bool is_mixed;              // not all weights are 0
    uint8_t weights[PIXELS_PIECE];
    uint16_t left[PIXELS_PIECE], right[PIXELS_PIECE];
} pixels_t;

// Bytes of a pixel.
size_t pixels_size(pixels_format_t format);

// Takes the largest part in the middle of the region that has the output's proportions.
void pixels_crop(pixels_t *self);

// Chooses n columns of the output from x on, at most PIXELS_PIECE.
void pixels_piece(pixels_t *self, int x, int n);

// Writes the pixels in these columns of row y of the output, a byte for each channel.
void pixels_get(const pixels_t *self, int y, uint8_t *out);

#endif
