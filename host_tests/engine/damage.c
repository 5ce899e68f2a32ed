// damage [-c] [-n FLIPS] [-a AREA] [-s SEED] MODEL
//
// Opens a model that is cut off (at every sixteenth and at every byte of its first and last 64)
// or has one changed byte in its first AREA bytes, in heap blocks of their exact size. What opens
// is loaded and run as well, unless -c asks for the check alone. Every damaged model is tried in
// a process of its own. Prints a JSON line for each crash and one that counts what came out.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

#define EDGE (64)
#define SECONDS (20)

enum { REFUSED, OPENED, RAN, FAILED, CRASHED_IN_CHECK, CRASHED_LATER, N_RESULTS };

static const char *const result_names[N_RESULTS] = {
    "refused", "opened", "ran", "failed", "crashed_in_check", "crashed_later",
};

// Exit codes of the child: a result from here on, or this one. A crash has no such code.
#define EXIT_RESULT (40)
#define EXIT_WRONG_STATUS (39)

static bool check_only;

static void try_model(const block_t *model, int opened) {
    engine_t *engine = host_engine();
    engine_status_t status = engine_open(engine, model->data, model->size);
    if (status == ENGINE_ERR_MODEL || status == ENGINE_ERR_OP) {
        const engine_error_t *error = engine_error(engine);
        bool told = status == ENGINE_ERR_OP ? engine_missing_op(engine, 0) != NULL : error->problem[0] != '\0';
        _exit(told && engine_state(engine) == ENGINE_CLOSED ? EXIT_RESULT + REFUSED : EXIT_WRONG_STATUS);
    } else if (status != ENGINE_OK) {
        _exit(EXIT_WRONG_STATUS);
    }
    if (write(opened, "o", 1) != 1) {
        _exit(EXIT_WRONG_STATUS);
    }
    size_t size = engine_arena_floor(engine);
    if (check_only || size > 1 << 24) {
        _exit(EXIT_RESULT + OPENED);
    }
    block_t arena;
    unsigned rounds;
    status = load_least(engine, &arena, &rounds);
    if (status == ENGINE_OK) {
        write_pattern(engine);
        status = run_to_end(engine);
    }
    _exit(EXIT_RESULT + (status == ENGINE_OK ? RAN : FAILED));
}

static int try_in_child(const block_t *model) {
    int opened[2];
    if (pipe(opened) != 0) {
        exit(2);
    }
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS);
        if (freopen("/dev/null", "w", stderr) == NULL) { // sanitizers' reports
            _exit(EXIT_WRONG_STATUS);
        }
        try_model(model, opened[1]);
    }
    close(opened[1]);
    char c;
    bool was_opened = read(opened[0], &c, 1) == 1;
    close(opened[0]);
    int status;
    waitpid(child, &status, 0);
    int result = WIFEXITED(status) ? WEXITSTATUS(status) - EXIT_RESULT : -1;
    if (result >= REFUSED && result <= FAILED) {
        return result;
    }
    return was_opened ? CRASHED_LATER : CRASHED_IN_CHECK;
}

static void print_counts(const char *name, const unsigned *counts) {
    printf("\"%s\": {", name);
    for (int i = 0; i < N_RESULTS; i++) {
        printf("%s\"%s\": %u", i ? ", " : "", result_names[i], counts[i]);
    }
    printf("}");
}

static void truncate_at(const block_t *model, size_t size, unsigned *counts) {
    block_t cut = block_new(size, 0);
    memcpy(cut.data, model->data, size);
    int result = try_in_child(&cut);
    counts[result]++;
    if (result >= CRASHED_IN_CHECK) {
        printf("{\"cut\": %zu, \"result\": \"%s\"}\n", size, result_names[result]);
    }
    block_free(&cut);
}

static void truncations(const block_t *model, unsigned *counts) {
    for (size_t i = 0; i < EDGE && i < model->size; i++) {
        truncate_at(model, i, counts);
        truncate_at(model, model->size - 1 - i, counts);
    }
    for (size_t i = 1; i < 16; i++) {
        truncate_at(model, model->size / 16 * i, counts);
    }
}

static void flips(const block_t *model, unsigned n, size_t area, unsigned *counts) {
    block_t mutant = block_new(model->size, 0);
    memcpy(mutant.data, model->data, model->size);
    for (unsigned i = 0; i < n; i++) {
        size_t at = (size_t)rand() % (area < model->size ? area : model->size);
        uint8_t bits = (uint8_t)(1 + rand() % 255);
        mutant.data[at] ^= bits;
        int result = try_in_child(&mutant);
        counts[result]++;
        if (result >= CRASHED_IN_CHECK) {
            printf("{\"byte\": %zu, \"xor\": %u, \"result\": \"%s\"}\n", at, bits, result_names[result]);
        }
        mutant.data[at] ^= bits;
    }
    block_free(&mutant);
}

int main(int argc, char **argv) {
    unsigned n = 300, seed = 1;
    size_t area = 4096;
    int option;
    while ((option = getopt(argc, argv, "cn:a:s:")) != -1) {
        if (option == 'c') {
            check_only = true;
        } else if (option == 'n') {
            n = (unsigned)strtoul(optarg, NULL, 0);
        } else if (option == 'a') {
            area = strtoul(optarg, NULL, 0);
        } else if (option == 's') {
            seed = (unsigned)strtoul(optarg, NULL, 0);
        } else {
            return 2;
        }
    }
    if (optind + 1 != argc) {
        fprintf(stderr, "usage: damage [-c] [-n FLIPS] [-a AREA] [-s SEED] MODEL\n");
        return 2;
    }
    srand(seed);
    block_t model = block_from_file(argv[optind]);
    unsigned cut[N_RESULTS] = { 0 }, flipped[N_RESULTS] = { 0 };
    truncations(&model, cut);
    flips(&model, n, area, flipped);
    printf("{");
    print_counts("truncations", cut);
    printf(", ");
    print_counts("flips", flipped);
    printf("}\n");
    block_free(&model);
    return 0;
}
