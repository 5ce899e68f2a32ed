// Operators with two inputs, see broadcast.h.

#include "broadcast.h"

#include <stdbool.h>
#include <string.h>

// How many values of an input the dimensions so far hold.
static int32_t held(const broadcast_t *broadcast, const int32_t *steps) {
    int32_t size = 1;
    for (int32_t i = 0; i < broadcast->rank; ++i) {
        size *= steps[i] ? broadcast->dims[i] : 1;
    }
    return size;
}

void broadcast_add(broadcast_t *broadcast, int32_t a_dim, int32_t b_dim) {
    const int32_t dim = a_dim > b_dim ? a_dim : b_dim;
    if (dim == 1) {
        return;
    }
    const int32_t last = broadcast->rank - 1;
    if (last >= 0 && (a_dim > 1) == (broadcast->a_steps[last] > 0)
        && (b_dim > 1) == (broadcast->b_steps[last] > 0)) {
        broadcast->dims[last] *= dim;
        return;
    }
    const int32_t a_step = a_dim > 1 ? held(broadcast, broadcast->a_steps) : 0;
    const int32_t b_step = b_dim > 1 ? held(broadcast, broadcast->b_steps) : 0;
    broadcast->dims[broadcast->rank] = dim;
    broadcast->a_steps[broadcast->rank] = a_step;
    broadcast->b_steps[broadcast->rank] = b_step;
    ++broadcast->rank;
}

void broadcast(const broadcast_t *broadcast, broadcast_run_t run, const void *params, const void *a,
    const void *b, size_t in_size, void *out, size_t out_size) {
    int32_t n_runs = 1;
    for (int32_t i = 1; i < broadcast->rank; ++i) {
        n_runs *= broadcast->dims[i];
    }
    const int32_t n = broadcast->rank ? broadcast->dims[0] : 1;
    for (int32_t index = 0; index < n_runs; ++index) {
        int32_t rest = index;
        size_t a_place = 0;
        size_t b_place = 0;
        for (int32_t i = 1; i < broadcast->rank; ++i) {
            const int32_t next = rest / broadcast->dims[i];
            const int32_t place = rest - next * broadcast->dims[i];
            a_place += (size_t)(place * broadcast->a_steps[i]);
            b_place += (size_t)(place * broadcast->b_steps[i]);
            rest = next;
        }
        run(params, (const char *)a + a_place * in_size, broadcast->a_steps[0],
            (const char *)b + b_place * in_size, broadcast->b_steps[0], out, n);
        out = (char *)out + (size_t)n * out_size;
    }
}

void broadcast_repeated_s8(broadcast_run_t run, const void *params, const void *a, int32_t a_step,
    const void *b, int32_t b_step, void *out, int32_t n) {
    int8_t same[64];
    const int32_t most = n < (int32_t)sizeof(same) ? n : (int32_t)sizeof(same);
    memset(same, *(const int8_t *)(a_step ? b : a), (size_t)most);
    for (int32_t i = 0; i < n; i += most) {
        const int32_t left = n - i < most ? n - i : most;
        run(params, a_step ? (const int8_t *)a + i : same, 1, b_step ? (const int8_t *)b + i : same, 1,
            (int8_t *)out + i, left);
    }
}
