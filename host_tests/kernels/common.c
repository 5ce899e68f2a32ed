// Random numbers and canaries, see common.h.

#include "common.h"

static uint32_t state;

void start_random(uint32_t seed) {
    state = seed;
}

int32_t any(int32_t least, int32_t most) {
    state = state * 1664525u + 1013904223u;
    return least + (int32_t)((state >> 8) % (uint32_t)(most - least + 1));
}

void fill(int8_t *data, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        data[i] = (int8_t)(any(0, 15) ? any(-128, 127) : any(0, 1) ? -128 : 127);
    }
}

bool alive(const void *canaries) {
    const uint8_t *bytes = canaries;
    for (int32_t i = 0; i < CANARIES; ++i) {
        if (bytes[i] != CANARY) {
            return false;
        }
    }
    return true;
}
