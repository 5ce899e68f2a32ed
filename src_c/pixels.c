// Scaling: the centre of each pixel of the output is looked up in the frame. Bilinear weights have
// 8 bits, so that all is exact in 32.

#include <string.h>

#include "pixels.h"

size_t pixels_size(pixels_format_t format) {
    return format == PIXELS_GRAY8 ? 1 : format == PIXELS_RGB888 ? 3 : 2;
}

static int limited(int value, int most) {
    return value < 1 ? 1 : value > most ? most : value;
}

void pixels_crop(pixels_t *self) {
    uint32_t across = (uint32_t)self->width * self->out_height;
    uint32_t down = (uint32_t)self->height * self->out_width;
    int width = self->width, height = self->height;
    if (across > down) {
        width = limited((down + self->out_height / 2) / self->out_height, width);
    } else {
        height = limited((across + self->out_width / 2) / self->out_width, height);
    }
    self->x += (self->width - width) / 2;
    self->y += (self->height - height) / 2;
    self->width = width;
    self->height = height;
}

// One pixel of the region: grey, or red, green and blue in the bytes of a word, blue the lowest.
static uint32_t get_pixel(const pixels_t *self, int x, int y) {
    const uint8_t *p = self->data + (size_t)(self->y + y) * self->stride
        + (size_t)(self->x + x) * pixels_size(self->format);
    uint32_t red, green, blue;
    if (self->format == PIXELS_GRAY8) {
        return self->channels == 1 ? p[0] : p[0] * 0x010101u;
    } else if (self->format == PIXELS_RGB888) {
        red = p[0];
        green = p[1];
        blue = p[2];
    } else {
        uint32_t word = self->format == PIXELS_RGB565 ? p[0] | p[1] << 8 : p[0] << 8 | p[1];
        red = word >> 11;
        green = word >> 5 & 0x3f;
        blue = word & 0x1f;
        red = red << 3 | red >> 2;
        green = green << 2 | green >> 4;
        blue = blue << 3 | blue >> 2;
    }
    if (self->channels == 1) {
        // Luma of ITU-R BT.601, 0.299 red + 0.587 green + 0.114 blue, rounded.
        return (19595 * red + 38470 * green + 7471 * blue + 32768) >> 16;
    }
    return red << 16 | green << 8 | blue;
}

// The two pixels that surround a position, and how near it is to the second, in 1/256.
typedef struct _tap_t {
    int first, second;
    uint32_t weight;
} tap_t;

static tap_t get_tap(const pixels_t *self, int i, int size, int out_size) {
    int middle = (2 * i + 1) * size;
    int whole = 2 * out_size;
    if (!self->bilinear) {
        int nearest = middle / whole;
        return (tap_t) { nearest, nearest, 0 };
    }
    int position = middle < out_size ? 0 : middle - out_size;
    int first = position / whole;
    if (first + 1 >= size) {
        return (tap_t) { size - 1, size - 1, 0 };
    }
    return (tap_t) { first, first + 1, (uint32_t)(position % whole) * 256 / whole };
}

static uint32_t blend(const uint32_t *corners, const tap_t *across, const tap_t *down, int shift) {
    uint32_t row[2];
    for (int i = 0; i < 2; ++i) {
        uint32_t left = corners[2 * i] >> shift & 0xff, right = corners[2 * i + 1] >> shift & 0xff;
        row[i] = left * (256 - across->weight) + right * across->weight;
    }
    return (row[0] * (256 - down->weight) + row[1] * down->weight + 32768) >> 16;
}

void pixels_get(const pixels_t *self, int y, int x, int n, uint8_t *out) {
    tap_t down = get_tap(self, y, self->height, self->out_height);
    if (self->format == PIXELS_GRAY8 && self->channels == 1 && down.weight == 0 && self->width == self->out_width) {
        memcpy(out, self->data + (size_t)(self->y + down.first) * self->stride + self->x + x, n);
        return;
    }
    for (int end = x + n; x < end; ++x) {
        tap_t across = get_tap(self, x, self->width, self->out_width);
        uint32_t corners[4] = { get_pixel(self, across.first, down.first) };
        bool mixed = across.weight != 0 || down.weight != 0;
        if (mixed) {
            corners[1] = get_pixel(self, across.second, down.first);
            corners[2] = get_pixel(self, across.first, down.second);
            corners[3] = get_pixel(self, across.second, down.second);
        }
        for (int shift = 8 * (self->channels - 1); shift >= 0; shift -= 8) {
            *out++ = mixed ? blend(corners, &across, &down, shift) : corners[0] >> shift;
        }
    }
}
