// What the C programs of this folder share: files and arenas in blocks of exactly their size,
// so that a sanitizer sees the first byte beyond, and JSON lines on stdout.

#ifndef MICROLITE_HOST_H
#define MICROLITE_HOST_H

#include <stdio.h>

#include "engine.h"

typedef struct {
    uint8_t *data;
    size_t size;
} block_t;

// A block aligned to ENGINE_ALIGN, filled with one byte value; ends the program when there is none.
block_t block_new(size_t size, int fill);
block_t block_from_file(const char *path);
void block_free(block_t *block);

engine_t *host_engine(void);

// Loads with the least arena: starts at the floor and takes what the engine asks for.
engine_status_t load_least(engine_t *engine, block_t *arena, unsigned *rounds);

// engine_begin() and engine_step() until done.
engine_status_t run_to_end(engine_t *engine);

size_t inputs_nbytes(const engine_t *engine);
size_t outputs_nbytes(const engine_t *engine);

// Fills all inputs with a fixed pattern of the same values for the same model.
void write_pattern(engine_t *engine);

// Copies all outputs, one after the other.
void read_outputs(const engine_t *engine, uint8_t *dest);

// Prints what does not hold, and counts it.
extern int failures;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            failures++; \
        } \
    } while (0)

void json_string(const char *s);
void json_hex(const uint8_t *data, size_t n);

// "status": N and, after a failure, all that engine_error() and engine_missing_op() tell.
void json_status(const engine_t *engine, engine_status_t status);

#endif
