// What a measuring program is made of: board.c starts it and prints, measure.c or empty.c runs.

#ifndef BENCH_BOARD_H
#define BENCH_BOARD_H

#include <stddef.h>
#include <stdint.h>

// What bench.py puts into memory: the sizes, then the model, then all inputs, each aligned to 16.
typedef struct {
    uint32_t model_size;
    uint32_t inputs_size;
    uint32_t unused[2];
    uint8_t model[];
} blob_t;

// Memory that the program does not use, aligned to 16.
uint8_t *board_memory(size_t *size);

// CMSDK timer 0: counts down at 25 MHz; with -icount shift=0 a tick is 40 instructions.
uint32_t board_ticks(void);

void print(const char *s);
void print_text(const char *name, const char *text);
void print_number(const char *name, int32_t value);
void print_hex(const char *name, const uint8_t *data, size_t n);

void measure(const blob_t *blob);

#endif
