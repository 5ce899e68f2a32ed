// The arena while a model is being loaded, see arena.h.

#include "arena.h"

// No single request is as large as this; sums of requests cannot wrap.
#define REQUEST_MAX ((size_t)INT32_MAX)

void arena_init(arena_t *arena, uint8_t *base, size_t size) {
    *arena = {};
    arena->base = base;
    arena->size = size;
}

static bool arena_take(arena_t *arena, size_t bytes) {
    if (bytes > REQUEST_MAX) {
        bytes = REQUEST_MAX;
    }
    size_t wanted = arena->low + arena->high + arena_align(bytes, ARENA_ALIGN);
    if (wanted + arena->skipped > arena->peak) {
        arena->peak = wanted + arena->skipped;
    }
    arena->full = arena->full || wanted > arena->size;
    return wanted <= arena->size;
}

void *arena_keep(arena_t *arena, size_t bytes) {
    if (!arena_take(arena, bytes)) {
        return nullptr;
    }
    void *memory = arena->base + arena->low;
    arena->low += arena_align(bytes, ARENA_ALIGN);
    return memory;
}

void *arena_borrow(arena_t *arena, size_t bytes) {
    if (!arena_take(arena, bytes)) {
        return nullptr;
    }
    arena->high += arena_align(bytes, ARENA_ALIGN);
    return arena->base + arena->size - arena->high;
}

void arena_drop(arena_t *arena, size_t high) {
    arena->high = high;
}

void arena_measure(arena_t *arena, size_t start) {
    arena->measuring = true;
    arena->full = false;
    arena->skipped = start - arena->mark;
    arena->low = arena->mark;
}

size_t arena_kept(const arena_t *arena) {
    return arena->low + arena->skipped;
}

void arena_rewind(arena_t *arena) {
    if (arena->measuring) {
        arena->skipped += arena->low - arena->mark;
        arena->low = arena->mark;
    }
}
