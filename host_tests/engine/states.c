// states MODEL
//
// Drives engines through their states: calls out of order, runs that are given up, two engines
// on one model, resets and closings. Prints what does not hold; exits with 1 then.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

typedef struct {
    engine_t *engine;
    block_t arena;
} loaded_t;

static loaded_t load(const block_t *model) {
    loaded_t loaded = { host_engine(), { NULL, 0 } };
    unsigned rounds;
    CHECK(engine_open(loaded.engine, model->data, model->size) == ENGINE_OK);
    CHECK(load_least(loaded.engine, &loaded.arena, &rounds) == ENGINE_OK);
    CHECK(engine_arena_needed(loaded.engine) == loaded.arena.size);
    CHECK(engine_state(loaded.engine) == ENGINE_READY);
    return loaded;
}

static void unload(loaded_t *loaded) {
    engine_close(loaded->engine);
    block_free(&loaded->arena);
    free(loaded->engine);
}

static block_t outputs_of(const engine_t *engine) {
    block_t outputs = block_new(outputs_nbytes(engine), 0);
    read_outputs(engine, outputs.data);
    return outputs;
}

static bool outputs_are(const engine_t *engine, const block_t *expected) {
    block_t outputs = outputs_of(engine);
    bool equal = outputs.size == expected->size && memcmp(outputs.data, expected->data, outputs.size) == 0;
    block_free(&outputs);
    return equal;
}

static void check_closed(engine_t *engine) {
    block_t arena = block_new(1 << 16, 0);
    CHECK(engine_state(engine) == ENGINE_CLOSED);
    CHECK(engine_load(engine, arena.data, arena.size) == ENGINE_ERR_STATE);
    CHECK(engine_begin(engine) == ENGINE_ERR_STATE);
    CHECK(engine_step(engine) == ENGINE_ERR_STATE);
    CHECK(engine_reset(engine) == ENGINE_ERR_STATE);
    CHECK(engine_state(engine) == ENGINE_CLOSED);
    block_free(&arena);
}

static void test_out_of_order(const block_t *model) {
    engine_t *engine = host_engine();
    CHECK(engine_open(engine, "not a model at all", 18) == ENGINE_ERR_MODEL);
    CHECK(engine_error(engine)->problem[0] != '\0');
    check_closed(engine);
    CHECK(engine_open(engine, model->data, model->size) == ENGINE_OK);
    CHECK(engine_state(engine) == ENGINE_OPEN);
    CHECK(engine_arena_needed(engine) == 0);
    CHECK(engine_begin(engine) == ENGINE_ERR_STATE);
    CHECK(engine_step(engine) == ENGINE_ERR_STATE);
    engine_tensor_t tensor;
    engine_input(engine, 0, &tensor);
    CHECK(tensor.data == NULL && tensor.nbytes > 0);
    engine_close(engine);
    check_closed(engine);
    engine_close(engine);
    free(engine);
}

static void test_run(const block_t *model, block_t *expected) {
    loaded_t loaded = load(model);
    CHECK(engine_step(loaded.engine) == ENGINE_ERR_STATE);
    CHECK(engine_state(loaded.engine) == ENGINE_READY);
    write_pattern(loaded.engine);
    CHECK(engine_begin(loaded.engine) == ENGINE_OK);
    for (size_t i = 0; i < engine_n_ops(loaded.engine); i++) {
        CHECK(engine_state(loaded.engine) == ENGINE_INVOKING);
        CHECK(engine_next_op(loaded.engine) == i);
        CHECK(engine_op(loaded.engine, i)[0] != '\0');
        bool last = i + 1 == engine_n_ops(loaded.engine);
        CHECK(engine_step(loaded.engine) == (last ? ENGINE_OK : ENGINE_MORE));
    }
    CHECK(engine_state(loaded.engine) == ENGINE_READY);
    CHECK(engine_step(loaded.engine) == ENGINE_ERR_STATE);
    *expected = outputs_of(loaded.engine);
    CHECK(engine_reset(loaded.engine) == ENGINE_OK);
    CHECK(outputs_are(loaded.engine, expected));
    unload(&loaded);
}

// Half a run, then another one from the start, by begin and by reset.
static void test_given_up(const block_t *model, const block_t *expected) {
    loaded_t loaded = load(model);
    for (int by_reset = 0; by_reset < 2; by_reset++) {
        write_pattern(loaded.engine);
        CHECK(engine_begin(loaded.engine) == ENGINE_OK);
        CHECK(engine_step(loaded.engine) == ENGINE_MORE);
        if (by_reset) {
            CHECK(engine_reset(loaded.engine) == ENGINE_OK);
            CHECK(engine_state(loaded.engine) == ENGINE_READY);
        }
        write_pattern(loaded.engine);
        CHECK(run_to_end(loaded.engine) == ENGINE_OK);
        CHECK(outputs_are(loaded.engine, expected));
    }
    unload(&loaded);
}

// Outputs stay while inputs are written, and two engines do not know of each other.
static void test_two_engines(const block_t *model, const block_t *expected) {
    loaded_t a = load(model), b = load(model);
    write_pattern(a.engine);
    write_pattern(b.engine);
    CHECK(engine_begin(a.engine) == ENGINE_OK);
    CHECK(engine_begin(b.engine) == ENGINE_OK);
    engine_status_t status;
    do {
        status = engine_step(a.engine);
        CHECK(engine_step(b.engine) == status);
    } while (status == ENGINE_MORE);
    CHECK(status == ENGINE_OK);
    CHECK(outputs_are(a.engine, expected));
    unload(&a);
    CHECK(outputs_are(b.engine, expected));
    write_pattern(b.engine);
    CHECK(outputs_are(b.engine, expected));
    unload(&b);
}

// The same engine and arena for one load after another.
static void test_again(const block_t *model, const block_t *expected) {
    loaded_t loaded = load(model);
    for (int i = 0; i < 3; i++) {
        engine_close(loaded.engine);
        CHECK(engine_open(loaded.engine, model->data, model->size) == ENGINE_OK);
        CHECK(engine_load(loaded.engine, loaded.arena.data, loaded.arena.size) == ENGINE_OK);
        write_pattern(loaded.engine);
        CHECK(run_to_end(loaded.engine) == ENGINE_OK);
        CHECK(outputs_are(loaded.engine, expected));
    }
    unload(&loaded);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: states MODEL\n");
        return 2;
    }
    block_t model = block_from_file(argv[1]);
    block_t expected;
    test_out_of_order(&model);
    test_run(&model, &expected);
    test_given_up(&model, &expected);
    test_two_engines(&model, &expected);
    test_again(&model, &expected);
    block_free(&expected);
    block_free(&model);
    return failures != 0;
}
