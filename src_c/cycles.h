// A counter of 32 bits, continued to 64. How often it overflowed between two readings follows from
// a clock of milliseconds. Pure arithmetic on a state that the caller owns.

#ifndef MICROLITE_CYCLES_H
#define MICROLITE_CYCLES_H

#include <stdint.h>

typedef struct _cycles_t {
    uint64_t total;         // cycles up to the last reading; never goes back
    uint64_t anchor_total;  // of a reading some seconds ago
    uint32_t anchor_ms;
    uint32_t counter;       // of the last reading
    uint32_t ms;
    uint32_t per_ms_q8;     // counts in a millisecond, in units of 1/256
} cycles_t;

// Goes on from the total that there is, with another counter.
void cycles_start(cycles_t *self, uint32_t counter, uint32_t ms, float per_us);

// Takes a reading and returns the total. It is exact as long as less than 2^32 ms have passed since
// the last reading, and less than 2^31 cycles by which counter and clock may differ: a rate that
// is right within 1/10000 bridges 2^44 cycles.
//
// Where counter and clock contradict each other, because the counter stood still in sleep or was set
// by others, the clock is right: the total stays within some milliseconds of it.
uint64_t cycles_extend(cycles_t *self, uint32_t counter, uint32_t ms);

#endif
