// Kernels against their definition, see windows.c and dense.c: the program of a PC, and that of a
// board, which bench/board.c starts.

#include <stddef.h>

#include "dense.h"
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

static const struct {
    const char *name;
    const char *(*check)(uint32_t seed, uint32_t n);
    void (*tell_last)(void (*tell)(const char *name, int32_t value));
} families[] = {
    { "windows", windows_check, windows_tell_last },
    { "dense", dense_check, dense_tell_last },
};

static void check_all(void) {
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); ++i) {
        for (uint32_t seed = 1; seed <= SEEDS; ++seed) {
            const char *problem = families[i].check(seed, LAYERS);
            if (problem) {
                print(problem);
                print("\n");
                families[i].tell_last(print_number);
                return;
            }
        }
        print_number(families[i].name, SEEDS * LAYERS);
    }
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
