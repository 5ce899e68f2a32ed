// Scales frames that come on standard input: nine numbers of 32 bits (format, stride, x, y, width
// and height of the part, width, height and channels of the output), whether bilinear, the number
// of bytes of the frame, and these. Each frame and output is a block of its own, so that a
// sanitizer sees what goes beyond. The output goes to standard output.

#include <stdio.h>
#include <stdlib.h>

#include "pixels.h"

#define PIECE (7)   // pixels at a time

static void scale(pixels_t *pixels) {
    size_t row = (size_t)pixels->out_width * pixels->channels;
    uint8_t *out = malloc(row * pixels->out_height);
    for (int x = 0; x < pixels->out_width; x += PIECE) {
        pixels_piece(pixels, x, pixels->out_width - x < PIECE ? pixels->out_width - x : PIECE);
        for (int y = 0; y < pixels->out_height; ++y) {
            pixels_get(pixels, y, out + y * row + x * pixels->channels);
        }
    }
    fwrite(out, row, pixels->out_height, stdout);
    free(out);
}

int main(void) {
    int32_t head[12];
    while (fread(head, sizeof(head), 1, stdin) == 1) {
        uint8_t *frame = malloc(head[10]);
        if (fread(frame, 1, head[10], stdin) != (size_t)head[10]) {
            return 1;
        }
        pixels_t pixels = {
            .data = frame, .format = head[0], .stride = head[1],
            .x = head[2], .y = head[3], .width = head[4], .height = head[5],
            .out_width = head[6], .out_height = head[7], .channels = head[8], .bilinear = head[9],
        };
        if (head[11]) {
            pixels_crop(&pixels);
        }
        scale(&pixels);
        free(frame);
    }
    return 0;
}
