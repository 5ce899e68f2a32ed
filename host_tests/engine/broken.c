// broken INVOKE_MODEL PREPARE_MODEL GOOD_MODEL
//
// Operator 1 of the first model is ABS, of the second FLOOR: their kernels, see asserting.cc, fail
// an assertion. The engine tells so and is good for nothing but to be closed; then it runs the third
// model. Prints what does not hold; exits with 1 then.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

static void check_error(const engine_t *engine, const char *op, const char *log) {
    const engine_error_t *error = engine_error(engine);
    CHECK(error->op_index == 1);
    CHECK(error->op != NULL && strcmp(error->op, op) == 0);
    CHECK(strncmp(error->log, log, strlen(log)) == 0);
}

static void check_broken(engine_t *engine, block_t *arena) {
    CHECK(engine_state(engine) == ENGINE_BROKEN);
    CHECK(engine_begin(engine) == ENGINE_ERR_STATE);
    CHECK(engine_step(engine) == ENGINE_ERR_STATE);
    CHECK(engine_reset(engine) == ENGINE_ERR_STATE);
    CHECK(engine_load(engine, arena->data, arena->size) == ENGINE_ERR_STATE);
    CHECK(engine_state(engine) == ENGINE_BROKEN);
    engine_close(engine);
    CHECK(engine_state(engine) == ENGINE_CLOSED);
}

static void check_good(engine_t *engine, block_t *arena, const block_t *model) {
    CHECK(engine_open(engine, model->data, model->size) == ENGINE_OK);
    CHECK(engine_load(engine, arena->data, arena->size) == ENGINE_OK);
    write_pattern(engine);
    CHECK(run_to_end(engine) == ENGINE_OK);
    engine_close(engine);
}

static void test_invoke(engine_t *engine, block_t *arena, const block_t *model) {
    CHECK(engine_open(engine, model->data, model->size) == ENGINE_OK);
    CHECK(engine_load(engine, arena->data, arena->size) == ENGINE_OK);
    write_pattern(engine);
    CHECK(engine_begin(engine) == ENGINE_OK);
    CHECK(engine_step(engine) == ENGINE_MORE);
    CHECK(engine_step(engine) == ENGINE_ERR_INVOKE);
    check_error(engine, "ABS", "input->dims->size > 9");
    check_broken(engine, arena);
}

static void test_prepare(engine_t *engine, block_t *arena, const block_t *model) {
    CHECK(engine_open(engine, model->data, model->size) == ENGINE_OK);
    CHECK(engine_load(engine, arena->data, arena->size) == ENGINE_ERR_MODEL);
    check_error(engine, "FLOOR", "output->type didn't equal kTfLiteString");
    CHECK(strcmp(engine_error(engine)->problem, "operator 1 (FLOOR) cannot be prepared") == 0);
    check_broken(engine, arena);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: broken INVOKE_MODEL PREPARE_MODEL GOOD_MODEL\n");
        return 2;
    }
    block_t models[3];
    for (int i = 0; i < 3; i++) {
        models[i] = block_from_file(argv[1 + i]);
    }
    engine_t *engine = host_engine();
    block_t arena = block_new(1 << 14, 0xA5);
    for (int round = 0; round < 2; round++) {
        test_invoke(engine, &arena, &models[0]);
        check_good(engine, &arena, &models[2]);
        test_prepare(engine, &arena, &models[1]);
        check_good(engine, &arena, &models[2]);
    }
    block_free(&arena);
    free(engine);
    for (int i = 0; i < 3; i++) {
        block_free(&models[i]);
    }
    return failures != 0;
}
