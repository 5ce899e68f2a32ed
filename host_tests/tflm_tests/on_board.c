// TFLM's test programs on a board of bench/, whose board.c starts them: what they and shim.cc want
// of the system. The names of cases that are left out come where bench/ has its model.

#include <stdlib.h>

#include "board.h"

int main(int argc, char **argv);

static const char *left_out;

void measure(const blob_t *blob) {
    left_out = (const char *)blob->model;
    main(0, NULL);
}

char *getenv(const char *name) {
    (void)name;
    return (char *)left_out;
}

void DebugLog(const char *text) {
    print(text);
}

// Ends the program as a fault.
void abort(void) {
    __builtin_trap();
}
