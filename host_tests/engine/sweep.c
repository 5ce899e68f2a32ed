// sweep [-s STEP] MODEL
//
// Loads a model into arenas of every STEP (16) bytes from nothing to more than enough, and of
// every byte near both ends, in memory that holds 0x00, 0xA5 or 0xFF. Each arena is a heap block
// of its exact size. A load must succeed exactly from the least size on, with the outputs of a
// generous arena; below that it must tell a needed size that grows towards the least and never
// passes it, and leave an engine that loads. Prints a JSON line; exits with 1 at the first fault.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"

#define MARGIN (64)

typedef struct {
    block_t model;
    block_t outputs;    // of the reference run
    size_t least;
    size_t loads;
    size_t runs;
    size_t exact;       // failures that knew the least size
} sweep_t;

static int fault(const char *what, size_t size, int fill, const engine_t *engine, engine_status_t status) {
    printf("{\"fault\": ");
    json_string(what);
    printf(", \"arena\": %zu, \"fill\": %d, \"state\": %d, ", size, fill, engine_state(engine));
    json_status(engine, status);
    printf("}\n");
    return 1;
}

static engine_status_t run_and_compare(sweep_t *sweep, engine_t *engine, bool *equal) {
    write_pattern(engine);
    engine_status_t status = run_to_end(engine);
    block_t outputs = block_new(outputs_nbytes(engine), 0);
    read_outputs(engine, outputs.data);
    *equal = memcmp(outputs.data, sweep->outputs.data, outputs.size) == 0;
    block_free(&outputs);
    sweep->runs++;
    return status;
}

static int check_loaded(sweep_t *sweep, engine_t *engine, size_t size, int fill) {
    if (size < sweep->least) {
        return fault("loads below the least size", size, fill, engine, ENGINE_OK);
    }
    if (engine_arena_needed(engine) != sweep->least) {
        return fault("another arena_needed", size, fill, engine, ENGINE_OK);
    }
    bool equal;
    engine_status_t status = run_and_compare(sweep, engine, &equal);
    if (status != ENGINE_OK) {
        return fault("does not run", size, fill, engine, status);
    }
    return equal ? 0 : fault("other outputs", size, fill, engine, status);
}

static int check_short(sweep_t *sweep, engine_t *engine, size_t size, int fill) {
    const engine_error_t *error = engine_error(engine);
    const char *what = NULL;
    if (size >= sweep->least) {
        what = "refused though large enough";
    } else if (error->needed <= size || error->needed > sweep->least) {
        what = "needed out of bounds";
    } else if (error->exact && error->needed != sweep->least) {
        what = "not exact";
    } else if (error->given != size) {
        what = "another size given";
    } else if (error->stage == NULL || error->stage[0] == '\0') {
        what = "no stage";
    } else if (engine_state(engine) != ENGINE_OPEN) {
        what = "not open after a failed load";
    }
    sweep->exact += error->exact;
    return what != NULL ? fault(what, size, fill, engine, ENGINE_ERR_ARENA) : 0;
}

static int check_size(sweep_t *sweep, size_t size, int fill) {
    engine_t *engine = host_engine();
    block_t arena = block_new(size, fill);
    engine_status_t status = engine_open(engine, sweep->model.data, sweep->model.size);
    if (status == ENGINE_OK) {
        status = engine_load(engine, arena.data, arena.size);
        sweep->loads++;
    }
    int result;
    if (status == ENGINE_OK) {
        result = check_loaded(sweep, engine, size, fill);
    } else if (status == ENGINE_ERR_ARENA) {
        result = check_short(sweep, engine, size, fill);
    } else {
        result = fault("another status", size, fill, engine, status);
    }
    engine_close(engine);
    block_free(&arena);
    free(engine);
    return result;
}

// A failed load must not harm the next one of the same engine.
static int check_reload(sweep_t *sweep, size_t size) {
    engine_t *engine = host_engine();
    block_t arena = block_new(size, 0xFF);
    block_t least = block_new(sweep->least, 0xFF);
    engine_open(engine, sweep->model.data, sweep->model.size);
    engine_status_t status = engine_load(engine, arena.data, arena.size);
    block_free(&arena);
    int result = status == ENGINE_ERR_ARENA ? 0 : fault("loads", size, 0xFF, engine, status);
    if (result == 0) {
        status = engine_load(engine, least.data, least.size);
        result = status == ENGINE_OK ? check_loaded(sweep, engine, least.size, 0xFF)
            : fault("no second load", size, 0xFF, engine, status);
    }
    engine_close(engine);
    block_free(&least);
    free(engine);
    return result;
}

static int reference(sweep_t *sweep) {
    engine_t *engine = host_engine();
    engine_status_t status = engine_open(engine, sweep->model.data, sweep->model.size);
    if (status != ENGINE_OK) {
        return fault("does not open", 0, 0, engine, status);
    }
    unsigned rounds;
    block_t arena;
    status = load_least(engine, &arena, &rounds);
    if (status != ENGINE_OK) {
        return fault("does not load", 0, 0, engine, status);
    }
    sweep->least = arena.size;
    engine_close(engine);
    block_free(&arena);
    arena = block_new(2 * sweep->least, 0);
    engine_open(engine, sweep->model.data, sweep->model.size);
    status = engine_load(engine, arena.data, arena.size);
    if (status == ENGINE_OK) {
        write_pattern(engine);
        status = run_to_end(engine);
    }
    if (status != ENGINE_OK) {
        return fault("does not run", arena.size, 0, engine, status);
    }
    sweep->outputs = block_new(outputs_nbytes(engine), 0);
    read_outputs(engine, sweep->outputs.data);
    engine_close(engine);
    block_free(&arena);
    free(engine);
    return 0;
}

static int sweep_sizes(sweep_t *sweep, size_t from, size_t to, size_t step) {
    static const int fills[] = { 0x00, 0xA5, 0xFF };
    for (size_t size = from; size <= to; size += step) {
        for (size_t i = 0; i < sizeof(fills) / sizeof(fills[0]); i++) {
            if (check_size(sweep, size, fills[i]) != 0) {
                return 1;
            }
        }
    }
    return 0;
}

static int sweep_model(sweep_t *sweep, size_t step) {
    if (reference(sweep) != 0) {
        return 1;
    }
    size_t least = sweep->least;
    if (sweep_sizes(sweep, 0, MARGIN, 1) != 0
        || sweep_sizes(sweep, least - MARGIN, least + 2, 1) != 0
        || sweep_sizes(sweep, least + MARGIN, least + MARGIN, 1) != 0
        || sweep_sizes(sweep, MARGIN, least - MARGIN, step) != 0) {
        return 1;
    }
    for (size_t i = 0; i < 8; i++) {
        if (check_reload(sweep, least / 8 * i) != 0) {
            return 1;
        }
    }
    printf("{\"least\": %zu, \"loads\": %zu, \"runs\": %zu, \"exact\": %zu}\n",
        least, sweep->loads, sweep->runs, sweep->exact);
    return 0;
}

int main(int argc, char **argv) {
    size_t step = ENGINE_ALIGN;
    int option;
    while ((option = getopt(argc, argv, "s:")) == 's') {
        step = strtoul(optarg, NULL, 0);
    }
    if (option != -1 || optind + 1 != argc || step == 0) {
        fprintf(stderr, "usage: sweep [-s STEP] MODEL\n");
        return 2;
    }
    sweep_t sweep = { block_from_file(argv[optind]), { NULL, 0 }, 0, 0, 0, 0 };
    int result = sweep_model(&sweep, step);
    block_free(&sweep.outputs);
    block_free(&sweep.model);
    return result;
}
