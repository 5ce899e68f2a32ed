// Loads the model in its least arena, runs it twice, prints what that took and the outputs of
// both runs, which must be equal. In the first run operators are measured, in the second the whole.

#include <string.h>

#include "board.h"
#include "engine.h"

static engine_status_t load_least(engine_t *engine, uint8_t *arena, size_t available) {
    size_t size = engine_arena_floor(engine);
    engine_status_t status;
    do {
        if (size > available) {
            return ENGINE_ERR_ARENA;
        }
        status = engine_load(engine, arena, size);
        size = engine_error(engine)->needed;
    } while (status == ENGINE_ERR_ARENA);
    return status;
}

static void write_inputs(const engine_t *engine, const uint8_t *data) {
    for (size_t i = 0; i < engine_n_inputs(engine); i++) {
        engine_tensor_t tensor;
        engine_input(engine, i, &tensor);
        memcpy(tensor.data, data, tensor.nbytes);
        data += tensor.nbytes;
    }
}

static void print_outputs(const engine_t *engine) {
    for (size_t i = 0; i < engine_n_outputs(engine); i++) {
        engine_tensor_t tensor;
        engine_output(engine, i, &tensor);
        print_hex("output", tensor.data, tensor.nbytes);
    }
}

static engine_status_t invoke_ops(engine_t *engine) {
    engine_status_t status = engine_begin(engine);
    if (status == ENGINE_OK) {
        do {
            uint32_t start = board_ticks();
            status = engine_step(engine);
            print_number("op", (int32_t)(board_ticks() - start));
        } while (status == ENGINE_MORE);
    }
    return status;
}

static engine_status_t invoke(engine_t *engine) {
    uint32_t start = board_ticks();
    engine_status_t status = engine_begin(engine);
    if (status == ENGINE_OK) {
        do {
            status = engine_step(engine);
        } while (status == ENGINE_MORE);
    }
    print_number("ticks", (int32_t)(board_ticks() - start));
    return status;
}

void measure(const blob_t *blob) {
    size_t available;
    uint8_t *memory = board_memory(&available);
    engine_t *engine = (engine_t *)memory;
    size_t engine_bytes = (engine_size() + ENGINE_ALIGN - 1) / ENGINE_ALIGN * ENGINE_ALIGN;
    const uint8_t *inputs = blob->model + (blob->model_size + 15) / 16 * 16;

    engine_status_t status = engine_open(engine, blob->model, blob->model_size);
    if (status == ENGINE_OK) {
        status = load_least(engine, memory + engine_bytes, available - engine_bytes);
    }
    for (int run = 0; run < 2 && status == ENGINE_OK; run++) {
        write_inputs(engine, inputs);
        status = run == 0 ? invoke_ops(engine) : invoke(engine);
        print_outputs(engine);
    }
    print_number("status", status);
    print_number("arena", (int32_t)engine_arena_needed(engine));
    print_text("kernels", engine_kernels());
    print_text("log", engine_error(engine)->log);
}
