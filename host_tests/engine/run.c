// run [-a ARENA] MODEL [INPUT...]
//
// Runs a model through engine.h alone. Each INPUT is a raw little-endian file for one input
// tensor, holding one case after the other. Prints a JSON line for opening, one for loading,
// one with the tensors and one with the outputs of each case. Without -a the arena is the
// least that works. "run ops" prints the operators of this build.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"

#define MAX_INPUTS (16)

static int finish(const engine_t *engine, engine_status_t status) {
    json_status(engine, status);
    printf("}\n");
    fflush(stdout);
    return status == ENGINE_OK ? 0 : 1;
}

static void print_tensor(const engine_tensor_t *t) {
    printf("{\"name\": ");
    json_string(t->name);
    printf(", \"type\": %u, \"nbytes\": %zu, \"size\": %zu, \"constant\": %s, \"shape\": [",
        t->type, t->nbytes, t->size, t->constant ? "true" : "false");
    for (unsigned i = 0; i < t->rank; i++) {
        printf(i ? ", %" PRId32 : "%" PRId32, t->shape[i]);
    }
    printf("], \"quantized_dimension\": %" PRId32 ", \"scales\": [", t->quantized_dimension);
    for (unsigned i = 0; i < t->n_scales; i++) {
        printf(i ? ", %.9g" : "%.9g", (double)t->scales[i]);
    }
    printf("], \"zero_points\": [");
    for (unsigned i = 0; i < t->n_zero_points; i++) {
        int64_t zero_point;
        memcpy(&zero_point, (const char *)t->zero_points + i * sizeof(zero_point), sizeof(zero_point));
        printf(i ? ", %" PRId64 : "%" PRId64, zero_point);
    }
    printf("]}");
}

static void print_tensors(const engine_t *engine) {
    engine_tensor_t tensor;
    printf("{\"inputs\": [");
    for (size_t i = 0; i < engine_n_inputs(engine); i++) {
        printf(i ? ", " : "");
        engine_input(engine, i, &tensor);
        print_tensor(&tensor);
    }
    printf("], \"outputs\": [");
    for (size_t i = 0; i < engine_n_outputs(engine); i++) {
        printf(i ? ", " : "");
        engine_output(engine, i, &tensor);
        print_tensor(&tensor);
    }
    printf("]}\n");
}

static void print_outputs(const engine_t *engine) {
    printf("\"outputs\": [");
    for (size_t i = 0; i < engine_n_outputs(engine); i++) {
        engine_tensor_t tensor;
        engine_output(engine, i, &tensor);
        printf(i ? ", " : "");
        json_hex(tensor.data, tensor.nbytes);
    }
    printf("], ");
}

static int run_cases(engine_t *engine, block_t *files) {
    engine_tensor_t tensor;
    engine_input(engine, 0, &tensor);
    size_t n_cases = files[0].size / tensor.nbytes;
    for (size_t n = 0; n < n_cases; n++) {
        for (size_t i = 0; i < engine_n_inputs(engine); i++) {
            engine_input(engine, i, &tensor);
            if (files[i].size != n_cases * tensor.nbytes) {
                fprintf(stderr, "input %zu: %zu cases of %zu bytes needed, got %zu bytes\n",
                    i, n_cases, tensor.nbytes, files[i].size);
                return 2;
            }
            memcpy(tensor.data, files[i].data + n * tensor.nbytes, tensor.nbytes);
        }
        engine_status_t status = run_to_end(engine);
        printf("{\"case\": %zu, ", n);
        if (status == ENGINE_OK) {
            print_outputs(engine);
        }
        if (finish(engine, status) != 0) {
            return 1;
        }
    }
    return 0;
}

static engine_status_t load(engine_t *engine, long arena_size, block_t *arena) {
    unsigned rounds = 1;
    engine_status_t status;
    if (arena_size < 0) {
        status = load_least(engine, arena, &rounds);
    } else {
        *arena = block_new((size_t)arena_size, 0xA5);
        status = engine_load(engine, arena->data, arena->size);
    }
    printf("{\"load\": %zu, \"floor\": %zu, \"rounds\": %u, \"arena_needed\": %zu, ",
        arena->size, engine_arena_floor(engine), rounds, engine_arena_needed(engine));
    return status;
}

static int run(block_t *model, long arena_size, int n_files, char **paths) {
    block_t arena = { NULL, 0 };
    block_t files[MAX_INPUTS] = { { NULL, 0 } };
    engine_t *engine = host_engine();
    printf("{\"open\": %zu, \"engine_size\": %zu, ", model->size, engine_size());
    int result = finish(engine, engine_open(engine, model->data, model->size));
    if (result == 0) {
        result = finish(engine, load(engine, arena_size, &arena));
    }
    if (result == 0) {
        print_tensors(engine);
        if (n_files > 0 && (size_t)n_files == engine_n_inputs(engine) && n_files <= MAX_INPUTS) {
            for (int i = 0; i < n_files; i++) {
                files[i] = block_from_file(paths[i]);
            }
            result = run_cases(engine, files);
        } else if (n_files > 0) {
            fprintf(stderr, "%zu inputs needed, got %d\n", engine_n_inputs(engine), n_files);
            result = 2;
        }
    }
    engine_close(engine);
    for (int i = 0; i < MAX_INPUTS; i++) {
        block_free(&files[i]);
    }
    block_free(&arena);
    free(engine);
    return result;
}

static int print_ops(void) {
    const char *name;
    for (size_t i = 0; (name = engine_builtin_op(i)) != NULL; i++) {
        puts(name);
    }
    return 0;
}

int main(int argc, char **argv) {
    long arena_size = -1;
    int option;
    while ((option = getopt(argc, argv, "a:")) == 'a') {
        arena_size = strtol(optarg, NULL, 0);
    }
    if (option != -1 || optind == argc) {
        fprintf(stderr, "usage: run [-a ARENA] MODEL [INPUT...] | run ops\n");
        return 2;
    }
    if (strcmp(argv[optind], "ops") == 0) {
        return print_ops();
    }
    block_t model = block_from_file(argv[optind]);
    int result = run(&model, arena_size, argc - optind - 1, argv + optind + 1);
    block_free(&model);
    return result;
}
