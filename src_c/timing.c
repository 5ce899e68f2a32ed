// The clock of microlite.timing and Model.profile(): of the counters that a board may have the first
// that advances, measured by the clock of microseconds and continued to 64 bits.
//
// A port can add one of its own, of 32 bits and counting up: MICROLITE_COUNTER() reads it and
// MICROLITE_COUNTER_NAME is the qstr of its name.

#if defined(__unix__) || defined(__APPLE__)
#include <time.h>
#endif

#include "py/mphal.h"
#include "py/runtime.h"
#include "cycles.h"
#include "microlite.h"

typedef struct _source_t {
    qstr_short_t name;
    uint32_t (*read)(void);
} source_t;

typedef struct _reading_t {
    uint32_t us;
    uint32_t counter;
} reading_t;

#if defined(__unix__) || defined(__APPLE__)

// --- 64 bits from the system ---

uint64_t microlite_cycles(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

float microlite_calibrate(void) {
    return 1000.0f;
}

static qstr source_name(void) {
    return MP_QSTR_clock_gettime;
}

#else

// --- The counters, the finest first ---

// Since ARMv7-M a core may have a cycle counter, which is off until it is asked for.
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && __ARM_ARCH_ISA_THUMB == 2
#define HAS_DWT (1)
#define REG_DEMCR       (*(volatile uint32_t *)0xe000edfc)
#define REG_DWT_CTRL    (*(volatile uint32_t *)0xe0001000)
#define REG_DWT_CYCCNT  (*(volatile uint32_t *)0xe0001004)
#define REG_DWT_LAR     (*(volatile uint32_t *)0xe0001fb0)
#define DEMCR_TRCENA    (1 << 24)
#define DWT_CYCCNTENA   (1 << 0)
#define DWT_UNLOCK      (0xc5acce55)    // Cortex-M7 takes no write before

static uint32_t read_dwt(void) {
    if (!(REG_DWT_CTRL & DWT_CYCCNTENA)) {
        REG_DEMCR |= DEMCR_TRCENA;
        REG_DWT_LAR = DWT_UNLOCK;
        REG_DWT_CTRL |= DWT_CYCCNTENA;
    }
    return REG_DWT_CYCCNT;
}
#else
#define HAS_DWT (0)
#endif

#ifdef MICROLITE_COUNTER
static uint32_t read_port_counter(void) {
    return MICROLITE_COUNTER();
}
#endif

#if MICROPY_PY_TIME
static uint32_t now_ms(void) {
    return mp_hal_ticks_ms();
}

static uint32_t now_us(void) {
    return mp_hal_ticks_us();
}

static uint32_t read_ticks_cpu(void) {
    return mp_hal_ticks_cpu();
}
#else
static uint32_t now_ms(void) {
    return 0;
}
#define now_us now_ms
#define read_ticks_cpu now_ms
#endif

static const source_t sources[] = {
    #if HAS_DWT
    { MP_QSTR_dwt_cyccnt, read_dwt },
    #endif
    #ifdef MICROLITE_COUNTER
    { MICROLITE_COUNTER_NAME, read_port_counter },
    #endif
    { MP_QSTR_ticks_cpu, read_ticks_cpu },
    { MP_QSTR_ticks_us, now_us },   // what the others are measured by
};
#define N_FINE (MP_ARRAY_SIZE(sources) - 1)

// --- Which of them ---

#define MEASURE_US  (5000)
#define ALIVE_US    (100)
#define MAX_IDLE    (200000)    // readings for one tick of the clock

// Moves a reading on until the clock has ticked and so many us have passed; false when the clock
// stands still.
static bool wait(reading_t *reading, uint32_t us, uint32_t (*read)(void)) {
    uint32_t start = reading->us, last = start;
    for (int idle = 0; idle < MAX_IDLE; ++idle) {
        mp_uint_t atomic_state = MICROPY_BEGIN_ATOMIC_SECTION();
        reading->us = now_us();
        reading->counter = read();
        MICROPY_END_ATOMIC_SECTION(atomic_state);
        if (reading->us != last && reading->us - start >= us) {
            return true;
        }
        if (reading->us != last) {
            last = reading->us;
            idle = 0;
        }
    }
    return false;
}

// What a counter counts in a microsecond, from one tick of the clock to another; 0 when it or
// the clock stands still.
static float measure(uint32_t (*read)(void)) {
    reading_t first = { .us = now_us() };
    if (!wait(&first, 0, read)) {
        return 0.0f;
    }
    reading_t now = first;
    if (!wait(&now, ALIVE_US, read) || now.counter == first.counter || !wait(&now, MEASURE_US, read)) {
        return 0.0f;
    }
    return (float)(now.counter - first.counter) / (float)(now.us - first.us);
}

// The state outlives soft resets, so that the total never goes back.
static struct {
    const source_t *source;     // NULL before the first use
    float per_us;               // 0 when no clock advances
    cycles_t cycles;
} clock_state;

static void use(const source_t *source, float per_us) {
    mp_uint_t atomic_state = MICROPY_BEGIN_ATOMIC_SECTION();
    if (clock_state.source != NULL) {
        cycles_extend(&clock_state.cycles, clock_state.source->read(), now_ms());
    }
    clock_state.source = source;
    clock_state.per_us = per_us;
    cycles_start(&clock_state.cycles, source->read(), now_ms(), per_us);
    MICROPY_END_ATOMIC_SECTION(atomic_state);
}

float microlite_calibrate(void) {
    for (size_t i = 0; i < N_FINE; ++i) {
        float per_us = measure(sources[i].read);
        if (per_us >= 2.0f) {
            use(&sources[i], per_us);
            return per_us;
        }
    }
    use(&sources[N_FINE], measure(now_us) > 0.0f ? 1.0f : 0.0f);
    return clock_state.per_us;
}

uint64_t microlite_cycles(void) {
    if (clock_state.source == NULL) {
        microlite_calibrate();
    }
    mp_uint_t atomic_state = MICROPY_BEGIN_ATOMIC_SECTION();
    uint64_t total = cycles_extend(&clock_state.cycles, clock_state.source->read(), now_ms());
    MICROPY_END_ATOMIC_SECTION(atomic_state);
    return total;
}

static qstr source_name(void) {
    return clock_state.source->name;
}

#endif

// --- For Python ---

static mp_obj_t cycles(void) {
    return mp_obj_new_int_from_ull(microlite_cycles());
}
MP_DEFINE_CONST_FUN_OBJ_0(microlite_cycles_obj, cycles);

// The tuple (name of the clock, cycles in a microsecond), looked for and measured anew.
static mp_obj_t calibrate(void) {
    float per_us = microlite_calibrate();
    mp_obj_t items[] = { MP_OBJ_NEW_QSTR(source_name()), mp_obj_new_float_from_f(per_us) };
    return mp_obj_new_tuple(MP_ARRAY_SIZE(items), items);
}
MP_DEFINE_CONST_FUN_OBJ_0(microlite_calibrate_obj, calibrate);
