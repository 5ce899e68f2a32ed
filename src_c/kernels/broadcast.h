// Operators with two inputs, element by element: where dimensions differ, one of them is 1 and its
// values are used again. Kernels work on runs, in which each input advances or stays.

#ifndef MICROLITE_KERNELS_BROADCAST_H
#define MICROLITE_KERNELS_BROADCAST_H

#include <stddef.h>
#include <stdint.h>

#define BROADCAST_MAX_RANK (5)

// n values of the output; steps of inputs are 0 or 1.
typedef void (*broadcast_run_t)(const void *params, const void *a, int32_t a_step, const void *b,
    int32_t b_step, void *out, int32_t n);

// Dimensions, the last one first: as few as possible, none of size 1.
typedef struct {
    int32_t rank;
    int32_t dims[BROADCAST_MAX_RANK];
    int32_t a_steps[BROADCAST_MAX_RANK];
    int32_t b_steps[BROADCAST_MAX_RANK];
} broadcast_t;

// Adds the dimension in front of those that are there, as it is in both inputs.
void broadcast_add(broadcast_t *broadcast, int32_t a_dim, int32_t b_dim);

void broadcast(const broadcast_t *broadcast, broadcast_run_t run, const void *params, const void *a,
    const void *b, size_t in_size, void *out, size_t out_size);

// A run of int8 in which one input stays, as runs in which both advance: that one is repeated in a buffer.
void broadcast_repeated_s8(broadcast_run_t run, const void *params, const void *a, int32_t a_step,
    const void *b, int32_t b_step, void *out, int32_t n);

#define BROADCAST_DECLARE(name) \
    void name(const void *params, const void *a_in, int32_t a_step, const void *b_in, int32_t b_step, \
    void *out_in, int32_t n)

#define BROADCAST_LOOP(in_type, out_type, expression) \
    const in_type *a = a_in; \
    const in_type *b = b_in; \
    out_type *out = out_in; \
    for (int32_t i = 0; i < n; ++i, a += a_step, b += b_step) { \
        const in_type x = *a; \
        const in_type y = *b; \
        out[i] = (out_type)(expression); \
    }

// A run: expression is made of x, y and parameters *p, or of x and y alone. A copy of parameters
// stays in registers, whatever is written.
#define BROADCAST_RUN(name, in_type, out_type, params_type, expression) \
    BROADCAST_DECLARE(name) { \
        const params_type copy = *(const params_type *)params; \
        const params_type *const p = &copy; \
        BROADCAST_LOOP(in_type, out_type, expression) \
    }

#define BROADCAST_PLAIN_RUN(name, in_type, out_type, expression) \
    BROADCAST_DECLARE(name) { \
        (void)params; \
        BROADCAST_LOOP(in_type, out_type, expression) \
    }

#endif
