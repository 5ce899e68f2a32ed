// See host.h.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

int failures;

static void die(const char *what, const char *name) {
    fprintf(stderr, "%s: %s\n", what, name);
    exit(2);
}

block_t block_new(size_t size, int fill) {
    void *data = NULL;
    if (posix_memalign(&data, ENGINE_ALIGN, size) != 0) {
        die("no memory", "block");
    }
    memset(data, fill, size);
    return (block_t) { data, size };
}

block_t block_from_file(const char *path) {
    FILE *f = fopen(path, "rb");
    if (f == NULL || fseek(f, 0, SEEK_END) != 0) {
        die("cannot open", path);
    }
    block_t block = block_new((size_t)ftell(f), 0);
    rewind(f);
    if (fread(block.data, 1, block.size, f) != block.size) {
        die("cannot read", path);
    }
    fclose(f);
    return block;
}

void block_free(block_t *block) {
    free(block->data);
    *block = (block_t) { NULL, 0 };
}

engine_t *host_engine(void) {
    if (engine_abi() != ENGINE_ABI) {
        die("ABI differs", "engine");
    }
    return (engine_t *)block_new(engine_size(), 0xA5).data;
}

engine_status_t load_least(engine_t *engine, block_t *arena, unsigned *rounds) {
    size_t size = engine_arena_floor(engine);
    *rounds = 0;
    for (;;) {
        *rounds += 1;
        *arena = block_new(size, 0xA5);
        engine_status_t status = engine_load(engine, arena->data, arena->size);
        if (status == ENGINE_OK) {
            return status;
        }
        block_free(arena);
        size_t needed = engine_error(engine)->needed;
        if (status != ENGINE_ERR_ARENA) {
            return status;
        }
        if (needed <= size) {
            die("needed does not grow", "engine_load");
        }
        size = needed;
    }
}

engine_status_t run_to_end(engine_t *engine) {
    engine_status_t status = engine_begin(engine);
    if (status == ENGINE_OK) {
        do {
            status = engine_step(engine);
        } while (status == ENGINE_MORE);
    }
    return status;
}

typedef void (*get_tensor_t)(const engine_t *engine, size_t index, engine_tensor_t *tensor);

static size_t total_nbytes(const engine_t *engine, size_t n, get_tensor_t get) {
    size_t total = 0;
    for (size_t i = 0; i < n; i++) {
        engine_tensor_t tensor;
        get(engine, i, &tensor);
        total += tensor.nbytes;
    }
    return total;
}

size_t inputs_nbytes(const engine_t *engine) {
    return total_nbytes(engine, engine_n_inputs(engine), engine_input);
}

size_t outputs_nbytes(const engine_t *engine) {
    return total_nbytes(engine, engine_n_outputs(engine), engine_output);
}

void write_pattern(engine_t *engine) {
    uint32_t lcg = 1;
    for (size_t i = 0; i < engine_n_inputs(engine); i++) {
        engine_tensor_t tensor;
        engine_input(engine, i, &tensor);
        for (size_t k = 0; k < tensor.size; k++) {
            lcg = lcg * 1664525 + 1013904223;
            uint8_t byte = (uint8_t)(lcg >> 24);
            if (tensor.type == ENGINE_FLOAT32) {
                ((float *)tensor.data)[k] = (float)byte / 128 - 1;
            } else if (tensor.type == ENGINE_BOOL) {
                ((uint8_t *)tensor.data)[k] = byte & 1;
            } else {
                size_t itemsize = tensor.nbytes / tensor.size;
                memset((uint8_t *)tensor.data + k * itemsize, byte, itemsize);
            }
        }
    }
}

void read_outputs(const engine_t *engine, uint8_t *dest) {
    for (size_t i = 0; i < engine_n_outputs(engine); i++) {
        engine_tensor_t tensor;
        engine_output(engine, i, &tensor);
        memcpy(dest, tensor.data, tensor.nbytes);
        dest += tensor.nbytes;
    }
}

void json_string(const char *s) {
    putchar('"');
    for (; *s != '\0'; s++) {
        if (*s == '"' || *s == '\\') {
            putchar('\\');
        }
        if ((unsigned char)*s < ' ') {
            printf("\\u%04x", *s);
        } else {
            putchar(*s);
        }
    }
    putchar('"');
}

void json_hex(const uint8_t *data, size_t n) {
    putchar('"');
    for (size_t i = 0; i < n; i++) {
        printf("%02x", data[i]);
    }
    putchar('"');
}

void json_status(const engine_t *engine, engine_status_t status) {
    printf("\"status\": %d", status);
    if (status >= ENGINE_OK) {
        return;
    }
    const engine_error_t *error = engine_error(engine);
    printf(", \"needed\": %zu, \"given\": %zu, \"exact\": %s, \"op_index\": %d",
        error->needed, error->given, error->exact ? "true" : "false", (int)error->op_index);
    printf(", \"stage\": ");
    json_string(error->stage != NULL ? error->stage : "");
    printf(", \"op\": ");
    json_string(error->op != NULL ? error->op : "");
    printf(", \"problem\": ");
    json_string(error->problem);
    printf(", \"log\": ");
    json_string(error->log);
    printf(", \"missing\": [");
    const char *name;
    for (size_t i = 0; (name = engine_missing_op(engine, i)) != NULL; i++) {
        printf(i ? ", " : "");
        json_string(name);
    }
    printf("]");
}
