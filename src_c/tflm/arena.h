// The arena while a model is being loaded: what stays grows up from its start, what is dropped
// before the model runs grows down from its end. The bytes belong to the engine's caller.
//
// An arena that runs full can go on measuring: what one operator takes is counted and given
// up again, so that the room for one operator is enough to learn what all of them need.

#ifndef MICROLITE_TFLM_ARENA_H
#define MICROLITE_TFLM_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint8_t *base;
    size_t size;
    size_t low;         // bytes that stay, from the start
    size_t high;        // temporary bytes, from the end
    size_t skipped;     // bytes counted and given up while measuring
    size_t peak;        // the most bytes wanted at once, given up ones included
    size_t mark;        // where measuring goes back to
    bool measuring;
    bool full;          // a request did not fit
} arena_t;

#define ARENA_ALIGN (8)

static inline size_t arena_align(size_t bytes, size_t alignment) {
    return (bytes + alignment - 1) & ~(alignment - 1);
}

// base is aligned to 16, size a multiple of 16.
void arena_init(arena_t *arena, uint8_t *base, size_t size);

// Memory that stays, or nullptr when there is no room.
void *arena_keep(arena_t *arena, size_t bytes);

// Memory until arena_drop(), or nullptr when there is no room.
void *arena_borrow(arena_t *arena, size_t bytes);

// Gives back all temporary memory taken since arena->high had this value.
void arena_drop(arena_t *arena, size_t high);

// From now on what is kept lies at the mark again and again. What was kept since low had the
// value start is taken back as if it had not been asked for.
void arena_measure(arena_t *arena, size_t start);

// Bytes kept so far, as if nothing had been given up.
size_t arena_kept(const arena_t *arena);

// Counts and gives up what was kept since arena_measure(); nothing when not measuring.
void arena_rewind(arena_t *arena);

#endif
