// Scaling: the centre of each pixel of the output is looked up in the frame. Bilinear weights have
// 8 bits, so that all is exact in 32. Pixels are fetched for a piece of a row, and then mixed.

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

// --- Where the pixels of the output lie ---

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

void pixels_piece(pixels_t *self, int x, int n) {
    self->n = n;
    self->is_mixed = false;
    for (int i = 0; i < n; ++i) {
        tap_t tap = get_tap(self, x + i, self->width, self->out_width);
        self->left[i] = tap.first;
        self->right[i] = tap.second;
        self->weights[i] = tap.weight;
        self->is_mixed |= tap.weight != 0;
    }
}

// --- Pixels of the frame ---

#define INLINE static inline __attribute__((always_inline))

INLINE uint8_t *put(uint8_t *out, int channels, uint32_t red, uint32_t green, uint32_t blue) {
    if (channels == 1) {
        // Luma of ITU-R BT.601, 0.299 red + 0.587 green + 0.114 blue, rounded.
        *out++ = (19595 * red + 38470 * green + 7471 * blue + 32768) >> 16;
    } else {
        *out++ = red;
        *out++ = green;
        *out++ = blue;
    }
    return out;
}

// high: the byte of a word that is the high one. It and channels are constants, so that the loop does not ask.
INLINE void fetch_565(const uint8_t *row, const uint16_t *columns, int n, uint8_t *out, int channels, int high) {
    for (const uint16_t *end = columns + n; columns < end; ++columns) {
        const uint8_t *p = row + 2 * *columns;
        uint32_t word = p[high] << 8 | p[1 - high];
        uint32_t red = word >> 11, green = word >> 5 & 0x3f, blue = word & 0x1f;
        out = put(out, channels, red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2);
    }
}

// The pixels of a row in these columns.
static void fetch(const pixels_t *self, int y, const uint16_t *columns, uint8_t *out) {
    int n = self->n, channels = self->channels;
    const uint8_t *row = self->data + (size_t)(self->y + y) * self->stride + (size_t)self->x * pixels_size(self->format);
    if (self->format == PIXELS_GRAY8 && channels == 1 && columns == self->left && self->width == self->out_width) {
        memcpy(out, row + columns[0], n);
    } else if (self->format == PIXELS_GRAY8) {
        for (int i = 0; i < n; ++i) {
            for (int channel = 0; channel < channels; ++channel) {
                *out++ = row[columns[i]];
            }
        }
    } else if (self->format == PIXELS_RGB888) {
        for (int i = 0; i < n; ++i) {
            const uint8_t *p = row + 3 * columns[i];
            out = put(out, channels, p[0], p[1], p[2]);
        }
    } else if (channels != 1) {
        fetch_565(row, columns, n, out, 3, self->format == PIXELS_RGB565);
    } else if (self->format == PIXELS_RGB565) {
        fetch_565(row, columns, n, out, 1, 1);
    } else {
        fetch_565(row, columns, n, out, 1, 0);
    }
}

// --- Pixels of the output ---

#define CORNER (3 * PIXELS_PIECE)   // bytes above left, then above right, below left, below right

static void mix(const pixels_t *self, const uint8_t *corners, uint32_t down, uint8_t *out) {
    int channels = self->channels;
    for (int channel = 0; channel < channels; ++channel) {
        const uint8_t *p = corners + channel;
        uint8_t *to = out + channel;
        for (const uint8_t *across = self->weights, *end = across + self->n; across < end; ++across) {
            uint32_t above = p[0] * 256 + (p[CORNER] - p[0]) * *across;
            uint32_t below = p[2 * CORNER] * 256 + (p[3 * CORNER] - p[2 * CORNER]) * *across;
            *to = (above * (256 - down) + below * down + 32768) >> 16;
            p += channels;
            to += channels;
        }
    }
}

void pixels_get(const pixels_t *self, int y, uint8_t *out) {
    tap_t down = get_tap(self, y, self->height, self->out_height);
    if (!self->is_mixed && down.weight == 0) {
        fetch(self, down.first, self->left, out);
        return;
    }
    uint8_t corners[4 * CORNER];
    fetch(self, down.first, self->left, corners);
    fetch(self, down.first, self->right, corners + CORNER);
    fetch(self, down.second, self->left, corners + 2 * CORNER);
    fetch(self, down.second, self->right, corners + 3 * CORNER);
    mix(self, corners, down.weight, out);
}
