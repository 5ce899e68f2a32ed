// A counter of 32 bits, continued to 64 with the help of a clock.

#include "cycles.h"

#define SLACK_MS    (2)     // either reading of the clock may be late by one
#define SLACK_SHIFT (10)    // and the rate wrong by 1/1024
#define ANCHOR_MS   (4096)  // from then on differences are forgotten

static uint64_t cycles_in(const cycles_t *self, uint32_t ms) {
    return ((uint64_t)ms * self->per_ms_q8) >> 8;
}

static void set_anchor(cycles_t *self) {
    self->anchor_total = self->total;
    self->anchor_ms = self->ms;
}

void cycles_start(cycles_t *self, uint32_t counter, uint32_t ms, float per_us) {
    self->counter = counter;
    self->ms = ms;
    self->per_ms_q8 = (uint32_t)(per_us * 256000.0f + 0.5f);
    set_anchor(self);
}

// Cycles since the last reading: of those that fit the counter the nearest to the clock.
static uint64_t count(const cycles_t *self, uint32_t counter, uint32_t ms) {
    uint64_t counted = (uint32_t)(counter - self->counter);
    uint64_t expected = cycles_in(self, ms - self->ms);
    if (expected > counted) {
        counted += (expected - counted + (1u << 31)) >> 32 << 32;
    }
    return counted;
}

uint64_t cycles_extend(cycles_t *self, uint32_t counter, uint32_t ms) {
    uint64_t total = self->total + count(self, counter, ms);
    uint64_t expected = self->anchor_total + cycles_in(self, ms - self->anchor_ms);
    uint64_t difference = total > expected ? total - expected : expected - total;
    uint64_t slack = cycles_in(self, SLACK_MS) + ((expected - self->anchor_total) >> SLACK_SHIFT);
    self->counter = counter;
    self->ms = ms;
    if (difference <= slack) {
        self->total = total;
        if (ms - self->anchor_ms >= ANCHOR_MS) {
            set_anchor(self);
        }
    } else {
        self->total = expected > self->total ? expected : self->total;
        set_anchor(self);
    }
    return self->total;
}
