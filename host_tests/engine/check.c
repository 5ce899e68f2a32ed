// check MODEL: prints what engine_check() tells, as JSON: the status, all problems and the
// operators that are missing.

#include <stdio.h>
#include <stdlib.h>

#include "host.h"

static void print_problem(void *context, const char *problem) {
    unsigned *n = context;
    printf(*n ? ", " : "");
    json_string(problem);
    *n += 1;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: check MODEL\n");
        return 2;
    }
    block_t model = block_from_file(argv[1]);
    engine_t *engine = host_engine();
    unsigned n = 0;
    printf("{\"problems\": [");
    engine_status_t status = engine_check(engine, model.data, model.size, print_problem, &n);
    printf("], ");
    json_status(engine, status);
    printf("}\n");
    free(engine);
    block_free(&model);
    return status == ENGINE_OK ? 0 : 1;
}
