// mutate [-n FLIPS] [-s SEED] [-m MUTANT] FILE...
//
// Opens, loads and runs every model of the files, and FLIPS copies of each with one to three
// changed bytes, in heap blocks of their exact size. A file holds models one after the other,
// each behind its length as 4 bytes, little-endian. Nothing may crash, hang, write into the model,
// or fail after the check. Runs in child processes, each of which goes on until it crashes. Prints
// a JSON line for each that went wrong and one with what came out, in all and for each operator.
// -m tries one of them alone, shows the sanitizer's report and leaves the model in mutant.tflite.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

#define SECONDS     (30)
#define ARENA_MAX   (1 << 22)
#define MAX_OPS     (128)
#define CHANGES_MAX (3)

typedef enum { REFUSED, MISSING, LARGE, RAN, LOAD_FAILED, INVOKE_FAILED, WROTE, CRASHED, N_RESULTS } result_t;

static const char *const result_names[N_RESULTS] = {
    "refused", "missing", "large", "ran", "load_failed", "invoke_failed", "wrote", "crashed",
};

// What children leave for the parent, in shared memory.
typedef struct {
    size_t next;                // mutant that is being tried
    unsigned results[N_RESULTS];
    unsigned ran[MAX_OPS];      // by operator of the build
    unsigned refused[MAX_OPS];
    char doing[32];
} shared_t;

static shared_t *shared;

static int op_number(const char *name) {
    const char *builtin;
    for (int i = 0; (builtin = engine_builtin_op((size_t)i)) != NULL; i++) {
        if (strcmp(builtin, name) == 0) {
            return i;
        }
    }
    return MAX_OPS - 1;
}

// Any bytes, but bools stay bools.
static void write_random(engine_t *engine) {
    for (size_t i = 0; i < engine_n_inputs(engine); i++) {
        engine_tensor_t tensor;
        engine_input(engine, i, &tensor);
        for (size_t k = 0; k < tensor.nbytes; k++) {
            ((uint8_t *)tensor.data)[k] = (uint8_t)(tensor.type == ENGINE_BOOL ? rand() & 1 : rand());
        }
    }
}

static void count_ops(const engine_t *engine) {
    for (size_t i = 0; i < engine_n_ops(engine); i++) {
        shared->ran[op_number(engine_op(engine, i))]++;
    }
}

static result_t load_and_run(engine_t *engine) {
    size_t size = engine_arena_floor(engine);
    block_t arena;
    for (;;) {
        if (size > ARENA_MAX) {
            return LARGE;
        }
        arena = block_new(size, 0xA5);
        engine_status_t status = engine_load(engine, arena.data, arena.size);
        if (status == ENGINE_OK) {
            break;
        }
        block_free(&arena);
        if (status != ENGINE_ERR_ARENA || engine_error(engine)->needed <= size) {
            return LOAD_FAILED;
        }
        size = engine_error(engine)->needed;
    }
    strcpy(shared->doing, "invoke");
    write_pattern(engine);
    engine_status_t status = run_to_end(engine);
    if (status == ENGINE_OK) {
        write_random(engine);
        status = run_to_end(engine);
    }
    block_free(&arena);
    if (status == ENGINE_OK) {
        count_ops(engine);
    }
    return status == ENGINE_OK ? RAN : INVOKE_FAILED;
}

static void count_problem(void *context, const char *problem) {
    *(unsigned *)context += problem[0] != '\0';
}

static result_t try_model(const block_t *model) {
    engine_t *engine = host_engine();
    unsigned problems = 0;
    strcpy(shared->doing, "check");
    engine_status_t status = engine_check(engine, model->data, model->size, count_problem, &problems);
    const engine_error_t *error = engine_error(engine);
    result_t result = WROTE;
    if (status == ENGINE_OK && problems == 0) {
        strcpy(shared->doing, "load");
        result = load_and_run(engine);
    } else if (status == ENGINE_ERR_OP && engine_missing_op(engine, 0) != NULL) {
        result = MISSING;
    } else if (status == ENGINE_ERR_MODEL && error->problem[0] != '\0') {
        result = REFUSED;
        if (error->op != NULL) {
            shared->refused[op_number(error->op)]++;
        }
    }
    if (result == LOAD_FAILED || result == INVOKE_FAILED) {
        printf("{\"mutant\": %zu, \"result\": \"%s\", ", shared->next, result_names[result]);
        json_status(engine, status == ENGINE_OK ? ENGINE_ERR_INVOKE : status);
        printf("}\n");
        fflush(stdout);
    }
    engine_close(engine);
    free(engine);
    return result;
}

static void change(block_t *model) {
    for (int n = 1 + rand() % CHANGES_MAX; n > 0; n--) {
        uint8_t *byte = &model->data[(size_t)rand() % model->size];
        switch (rand() % 4) {
            case 0:
                *byte ^= (uint8_t)(1 << rand() % 8);
                break;
            case 1:
                *byte = (uint8_t)rand();
                break;
            case 2:
                *byte = (uint8_t)(*byte + (rand() & 1 ? 1 : -1));
                break;
            default:
                *byte = rand() & 1 ? 0x00 : 0xff;
        }
    }
}

typedef struct {
    const uint8_t *data;
    size_t size;
} span_t;

// The mutants of a model are numbered; each has a random sequence of its own.
static block_t make_mutant(const span_t *source, unsigned seed, bool changed) {
    block_t model = block_new(source->size, 0);
    memcpy(model.data, source->data, source->size);
    srand(seed + (unsigned)shared->next);
    if (changed) {
        change(&model);
    }
    return model;
}

static void try_mutant(const span_t *source, unsigned seed, bool changed) {
    block_t model = make_mutant(source, seed, changed);
    block_t copy = block_new(source->size, 0);
    memcpy(copy.data, model.data, model.size);
    alarm(SECONDS);
    result_t result = try_model(&model);
    if (memcmp(copy.data, model.data, model.size) != 0) {
        result = WROTE;
        printf("{\"mutant\": %zu, \"result\": \"wrote\"}\n", shared->next);
        fflush(stdout);
    }
    shared->results[result]++;
    block_free(&copy);
    block_free(&model);
}

static void run_children(const span_t *models, size_t n_models, unsigned flips, unsigned seed) {
    const size_t per_model = (size_t)flips + 1;
    const size_t end = n_models * per_model;
    shared->next = 0;
    while (shared->next < end) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            if (freopen("/dev/null", "w", stderr) == NULL) {
                _exit(2);
            }
            for (; shared->next < end; shared->next++) {
                try_mutant(&models[shared->next / per_model], seed, shared->next % per_model != 0);
            }
            _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            shared->results[CRASHED]++;
            printf("{\"mutant\": %zu, \"model\": %zu, \"result\": \"%s\", \"in\": \"%s\"}\n", shared->next,
                shared->next / per_model,
                WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hung" : "crashed", shared->doing);
            shared->next++;
        }
    }
}

static void try_one(const span_t *models, unsigned flips, unsigned seed, size_t number) {
    shared->next = number;
    const span_t *source = &models[number / ((size_t)flips + 1)];
    const bool changed = number % ((size_t)flips + 1) != 0;
    block_t model = make_mutant(source, seed, changed);
    FILE *file = fopen("mutant.tflite", "wb");
    if (file == NULL || fwrite(model.data, model.size, 1, file) != 1 || fclose(file) != 0) {
        exit(2);
    }
    block_free(&model);
    try_mutant(source, seed, changed);
}

static size_t split(const block_t *file, span_t **models) {
    size_t n = 0;
    *models = NULL;
    for (size_t at = 0; at + 4 <= file->size; n++) {
        uint32_t size;
        memcpy(&size, file->data + at, 4);
        *models = realloc(*models, (n + 1) * sizeof(span_t));
        (*models)[n] = (span_t) { file->data + at + 4, size };
        at += 4 + (size_t)size;
    }
    return n;
}

static void print_counts(void) {
    printf("{");
    for (int i = 0; i < N_RESULTS; i++) {
        printf("\"%s\": %u, ", result_names[i], shared->results[i]);
    }
    printf("\"ops\": {");
    const char *name;
    for (int i = 0; (name = engine_builtin_op((size_t)i)) != NULL; i++) {
        printf("%s\"%s\": [%u, %u]", i ? ", " : "", name, shared->ran[i], shared->refused[i]);
    }
    printf("}}\n");
}

int main(int argc, char **argv) {
    unsigned flips = 0, seed = 1;
    long alone = -1;
    int option;
    while ((option = getopt(argc, argv, "n:s:m:")) != -1) {
        if (option == 'n') {
            flips = (unsigned)strtoul(optarg, NULL, 0);
        } else if (option == 's') {
            seed = (unsigned)strtoul(optarg, NULL, 0);
        } else if (option == 'm') {
            alone = strtol(optarg, NULL, 0);
        } else {
            return 2;
        }
    }
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || optind == argc) {
        fprintf(stderr, "usage: mutate [-n FLIPS] [-s SEED] [-m MUTANT] FILE...\n");
        return 2;
    }
    for (int i = optind; i < argc; i++) {
        block_t file = block_from_file(argv[i]);
        span_t *models;
        size_t n = split(&file, &models);
        if (alone >= 0) {
            try_one(models, flips, seed, (size_t)alone);
        } else {
            run_children(models, n, flips, seed);
        }
        free(models);
        block_free(&file);
    }
    print_counts();
    return 0;
}
