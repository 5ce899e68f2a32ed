// Memory plan, see plan.h. Largest buffer first, each at the lowest offset that is free for
// its whole life. Quadratic in the number of buffers and without memory of its own, which is
// right for the few hundred buffers of a microcontroller's model.

#include "plan.h"

static bool placed_before(const plan_buffer_t *a, const plan_buffer_t *b) {
    return a->size != b->size ? a->size > b->size : a->first < b->first;
}

static void sort(plan_buffer_t *buffers, size_t n) {
    for (size_t i = 1; i < n; ++i) {
        plan_buffer_t moving = buffers[i];
        size_t j = i;
        for (; j > 0 && placed_before(&moving, &buffers[j - 1]); --j) {
            buffers[j] = buffers[j - 1];
        }
        buffers[j] = moving;
    }
}

static bool alive_together(const plan_buffer_t *a, const plan_buffer_t *b) {
    return (a->first <= b->last && b->first <= a->last) || (a->between_runs && b->between_runs);
}

static uint32_t end_of(const plan_buffer_t *buffer) {
    return buffer->offset + ((buffer->size + PLAN_ALIGN - 1) & ~(uint32_t)(PLAN_ALIGN - 1));
}

// The lowest offset at which buffers[i] meets none of those before it. Every move ends at the
// end of a placed buffer that was in the way, so the search cannot pass a gap that fits.
static void place(plan_buffer_t *buffers, size_t i) {
    plan_buffer_t *buffer = &buffers[i];
    buffer->offset = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t j = 0; j < i; ++j) {
            const plan_buffer_t *other = &buffers[j];
            if (alive_together(buffer, other) && buffer->offset < end_of(other)
                && other->offset < end_of(buffer)) {
                buffer->offset = end_of(other);
                moved = true;
            }
        }
    }
}

size_t plan(plan_buffer_t *buffers, size_t n) {
    size_t total = 0;
    sort(buffers, n);
    for (size_t i = 0; i < n; ++i) {
        place(buffers, i);
        if (end_of(&buffers[i]) > total) {
            total = end_of(&buffers[i]);
        }
    }
    return total;
}
