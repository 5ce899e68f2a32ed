// keep MODEL
//
// Inputs that keep their memory: they are as they were after each run, the results are those of
// an engine that reuses them. Prints what does not hold; exits with 1 then.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

#define RUNS (3)

static engine_t *load(const block_t *model, bool keeps, block_t *arena) {
    engine_t *engine = host_engine();
    unsigned rounds;
    CHECK(engine_open(engine, model->data, model->size) == ENGINE_OK);
    if (keeps) {
        CHECK(engine_keep_inputs(engine) == ENGINE_OK);
    }
    CHECK(load_least(engine, arena, &rounds) == ENGINE_OK);
    CHECK(engine_keep_inputs(engine) == ENGINE_ERR_STATE);
    return engine;
}

static size_t count_overwritten(const engine_t *engine) {
    size_t n = 0;
    for (size_t i = 0; i < engine_n_inputs(engine); i++) {
        engine_tensor_t tensor;
        engine_input(engine, i, &tensor);
        n += tensor.overwritten;
    }
    return n;
}

static void read_inputs(const engine_t *engine, uint8_t *dest) {
    for (size_t i = 0; i < engine_n_inputs(engine); i++) {
        engine_tensor_t tensor;
        engine_input(engine, i, &tensor);
        memcpy(dest, tensor.data, tensor.nbytes);
        dest += tensor.nbytes;
    }
}

static block_t results(engine_t *engine) {
    block_t outputs = block_new(outputs_nbytes(engine), 0);
    CHECK(run_to_end(engine) == ENGINE_OK);
    read_outputs(engine, outputs.data);
    return outputs;
}

static void compare(engine_t *kept, const block_t *expected) {
    block_t before = block_new(inputs_nbytes(kept), 0);
    block_t after = block_new(inputs_nbytes(kept), 0);
    write_pattern(kept);
    read_inputs(kept, before.data);
    for (int i = 0; i < RUNS; i++) {
        block_t outputs = results(kept);
        CHECK(memcmp(outputs.data, expected->data, expected->size) == 0);
        block_free(&outputs);
        read_inputs(kept, after.data);
        CHECK(memcmp(before.data, after.data, before.size) == 0);
    }
    block_free(&before);
    block_free(&after);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: keep MODEL\n");
        return 2;
    }
    block_t model = block_from_file(argv[1]);
    block_t arenas[2] = { { NULL, 0 } };
    engine_t *reusing = load(&model, false, &arenas[0]);
    engine_t *keeping = load(&model, true, &arenas[1]);
    CHECK(count_overwritten(reusing) > 0);
    CHECK(count_overwritten(keeping) == 0);
    CHECK(arenas[1].size >= arenas[0].size);
    write_pattern(reusing);
    block_t expected = results(reusing);
    compare(keeping, &expected);
    block_free(&expected);
    engine_close(reusing);
    engine_close(keeping);
    block_free(&arenas[0]);
    block_free(&arenas[1]);
    free(reusing);
    free(keeping);
    block_free(&model);
    return failures != 0;
}
