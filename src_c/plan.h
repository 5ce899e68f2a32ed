// Memory plan: gives buffers with known lifetimes their places in one block.
// Pure arithmetic on an array that the caller owns; nothing is allocated.

#ifndef MICROLITE_PLAN_H
#define MICROLITE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PLAN_ALIGN (16)

// Time is counted in operators: a buffer is alive from operator first to operator last, both
// included. Between two runs only the buffers with between_runs set are alive.
typedef struct {
    uint32_t size;      // bytes, at most INT32_MAX in all
    uint32_t offset;    // result, a multiple of PLAN_ALIGN
    uint16_t first;
    uint16_t last;
    uint16_t owner;     // the caller's own mark: plan() changes the order of the array
    bool between_runs;
    bool is_scratch;    // the caller's too
} plan_buffer_t;

// Places the buffers so that no two that are alive together overlap. Returns the bytes that
// the whole takes, a multiple of PLAN_ALIGN.
size_t plan(plan_buffer_t *buffers, size_t n);

#ifdef __cplusplus
}
#endif

#endif
