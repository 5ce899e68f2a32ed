// Functions of one int8 number, see table.h.
//
// 5 instructions an element on a Cortex-M4, and 256 times what the function takes.

#include "table.h"

#define NUMBERS (256)
#define LEAST   (3 * NUMBERS / 2)   // elements that make up for a table

void table_s8(table_function_t function, const void *params, const int8_t *in, int8_t *out, int32_t size) {
    if (size < LEAST) {
        function(params, in, out, size);
        return;
    }
    int8_t table[NUMBERS];
    for (int32_t i = 0; i < NUMBERS; ++i) {
        table[i] = (int8_t)i;
    }
    function(params, table, table, NUMBERS);
    for (int32_t i = 0; i < size; ++i) {
        out[i] = table[(uint8_t)in[i]];
    }
}
