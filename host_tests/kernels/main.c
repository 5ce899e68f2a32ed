// Kernels against their definition, see windows.c: the program of a PC, and that of a board, which
// bench/board.c starts.

#include <stddef.h>

#include "windows.h"

#define SEEDS  (4)
#define LAYERS (400)

#ifdef BLOB_ADDRESS
#include "board.h"
#else
#include <stdio.h>

static void print(const char *text) {
    fputs(text, stdout);
}

static void print_number(const char *name, int32_t value) {
    printf("%s=%d\n", name, (int)value);
}
#endif

static void check_all(void) {
    for (uint32_t seed = 1; seed <= SEEDS; ++seed) {
        const char *problem = windows_check(seed, LAYERS);
        if (problem) {
            print(problem);
            print("\n");
            windows_tell_last(print_number);
            return;
        }
    }
    print_number("layers", SEEDS * LAYERS);
}

#ifdef BLOB_ADDRESS
void measure(const blob_t *blob) {
    (void)blob;
    check_all();
}
#else
int main(void) {
    check_all();
    return 0;
}
#endif
