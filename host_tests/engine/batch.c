// batch [-f FIRST] FILE
//
// Runs many small models in one process. A file holds records one after the other: four numbers
// of 4 bytes, little-endian (bytes of the model, sets of inputs, bytes of a set, whether to reset the
// model before each set), the model, and the sets; a set is all inputs one after the other. Prints
// a JSON line for each record, from FIRST on: its number, the status and, of each set, all outputs
// one after the other. Model and arena lie in blocks of exactly their size. What crashes is the
// record after the last line.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"

typedef struct {
    uint32_t model_size;
    uint32_t n_sets;
    uint32_t set_size;
    uint32_t reset;
} head_t;

static void write_inputs(const engine_t *engine, const uint8_t *set) {
    for (size_t i = 0; i < engine_n_inputs(engine); i++) {
        engine_tensor_t tensor;
        engine_input(engine, i, &tensor);
        memcpy(tensor.data, set, tensor.nbytes);
        set += tensor.nbytes;
    }
}

static engine_status_t run_sets(engine_t *engine, const head_t *head, const uint8_t *sets) {
    block_t outputs = block_new(outputs_nbytes(engine), 0);
    engine_status_t status = ENGINE_OK;
    for (uint32_t n = 0; n < head->n_sets && status == ENGINE_OK; n++) {
        if (head->reset) {
            status = engine_reset(engine);
        }
        if (status == ENGINE_OK) {
            write_inputs(engine, sets + (size_t)n * head->set_size);
            status = run_to_end(engine);
        }
        if (status == ENGINE_OK) {
            read_outputs(engine, outputs.data);
            printf(n ? ", " : "");
            json_hex(outputs.data, outputs.size);
        }
    }
    block_free(&outputs);
    return status;
}

static void run_record(engine_t *engine, const head_t *head, const uint8_t *data) {
    block_t model = block_new(head->model_size, 0);
    block_t arena = { NULL, 0 };
    unsigned rounds;
    memcpy(model.data, data, model.size);
    printf("\"outputs\": [");
    engine_status_t status = engine_open(engine, model.data, model.size);
    if (status == ENGINE_OK) {
        status = load_least(engine, &arena, &rounds);
    }
    if (status == ENGINE_OK) {
        if (inputs_nbytes(engine) != head->set_size) {
            fprintf(stderr, "inputs of %zu bytes, the model needs %zu\n", (size_t)head->set_size,
                inputs_nbytes(engine));
            exit(2);
        }
        status = run_sets(engine, head, data + head->model_size);
    }
    printf("], ");
    json_status(engine, status);
    engine_close(engine);
    block_free(&arena);
    block_free(&model);
}

int main(int argc, char **argv) {
    size_t first = 0;
    int option;
    while ((option = getopt(argc, argv, "f:")) == 'f') {
        first = strtoul(optarg, NULL, 0);
    }
    if (option != -1 || optind != argc - 1) {
        fprintf(stderr, "usage: batch [-f FIRST] FILE\n");
        return 2;
    }
    block_t file = block_from_file(argv[optind]);
    engine_t *engine = host_engine();
    head_t head;
    size_t number = 0;
    for (size_t at = 0; at + sizeof(head) <= file.size; number++) {
        memcpy(&head, file.data + at, sizeof(head));
        at += sizeof(head);
        if (number >= first) {
            printf("{\"record\": %zu, ", number);
            run_record(engine, &head, file.data + at);
            printf("}\n");
            fflush(stdout);
        }
        at += head.model_size + (size_t)head.n_sets * head.set_size;
    }
    free(engine);
    block_free(&file);
    return 0;
}
