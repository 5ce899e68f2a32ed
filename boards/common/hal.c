// Console, time and waiting of the MPS2 boards. Received bytes are taken by an interrupt, so that
// Ctrl-C reaches a running script, and waiting stops the core, so that an idle board costs no
// host time.

#include "py/mphal.h"
#include "py/ringbuf.h"
#include "py/runtime.h"
#include "py/stream.h"
#include "shared/runtime/interrupt_char.h"
#include "ports/qemu/uart.h"

#define UART0_DATA      (*(volatile uint32_t *)0x40004000)
#define UART0_STATE     (*(volatile uint32_t *)0x40004004)
#define UART0_CTRL      (*(volatile uint32_t *)0x40004008)
#define UART0_INTCLEAR  (*(volatile uint32_t *)0x4000400c)
#define UART_RXFULL     (1 << 1)    // in STATE
#define UART_RXINT_EN   (1 << 3)    // in CTRL
#define UART_RXINT      (1 << 1)    // in INTCLEAR

// CMSDK timer: counts down.
#define TIMER0_CTRL     (*(volatile uint32_t *)0x40000000)
#define TIMER0_VALUE    (*(volatile uint32_t *)0x40000004)
#define TIMER0_RELOAD   (*(volatile uint32_t *)0x40000008)

#define FPGAIO_COUNTER  (*(volatile uint32_t *)0x40028018)
#define FPGAIO_PRESCALE (*(volatile uint32_t *)0x4002801c)

#define SYSTICK_CTRL    (*(volatile uint32_t *)0xe000e010)
#define SYSTICK_LOAD    (*(volatile uint32_t *)0xe000e014)
#define SYSTICK_VALUE   (*(volatile uint32_t *)0xe000e018)
#define SYSTICK_START   (7)         // core clock, interrupt, enable
#define SYSTICK_MAX     (0xffffff)

#define NVIC_ENABLE     (*(volatile uint32_t *)0xe000e100)
#define UART0_RX_IRQ    (0)

#define CLOCK_MHZ       (25)

static uint8_t stdin_buf[MICROPY_REPL_STDIN_BUFFER_MAX];
static ringbuf_t stdin_ring = {stdin_buf, sizeof(stdin_buf)};

// Set by every interrupt, cleared by the wait that it ends.
static volatile bool woken;

// When the ring is full, the next byte stays in the UART, which holds the sender back.
void mps2_uart_rx_irq(void) {
    woken = true;
    UART0_INTCLEAR = UART_RXINT;
    while (UART0_STATE & UART_RXFULL) {
        if (ringbuf_free(&stdin_ring) == 0) {
            UART0_CTRL &= ~UART_RXINT_EN;
            return;
        }
        int c = UART0_DATA & 0xff;
        if (c == mp_interrupt_char) {
            mp_sched_keyboard_interrupt();
        } else {
            ringbuf_put(&stdin_ring, c);
        }
    }
}

// A byte that came before asks for no interrupt, and none comes after it until it is taken.
static void enable_rx_interrupt(void) {
    UART0_CTRL |= UART_RXINT_EN;
    mps2_uart_rx_irq();
}

void mps2_init(void) {
    uart_init();
    enable_rx_interrupt();
    NVIC_ENABLE = 1 << UART0_RX_IRQ;
    FPGAIO_PRESCALE = CLOCK_MHZ - 1;
    TIMER0_RELOAD = TIMER0_VALUE = UINT32_MAX;
    TIMER0_CTRL = 1;
}

void mps2_systick_irq(void) {
    woken = true;
    SYSTICK_CTRL = 0;
}

// Stop the core until the next interrupt, for timeout_ms at most if that is not negative.
void mps2_wait(int timeout_ms) {
    uint32_t state = mps2_irq_disable();
    if (!woken && timeout_ms != 0) {
        if (timeout_ms > 0) {
            SYSTICK_LOAD = MIN((uint32_t)timeout_ms, SYSTICK_MAX / (CLOCK_MHZ * 1000)) * CLOCK_MHZ * 1000;
            SYSTICK_VALUE = 0;
            SYSTICK_CTRL = SYSTICK_START;
        }
        __asm volatile ("dsb\n wfi" : : : "memory");
        SYSTICK_CTRL = 0;
    }
    mps2_irq_restore(state);
    __asm volatile ("isb" : : : "memory");
    woken = false;
}

int __wrap_mp_hal_stdin_rx_chr(void) {
    for (;;) {
        uint32_t state = mps2_irq_disable();
        int c = ringbuf_get(&stdin_ring);
        if (c >= 0 && !(UART0_CTRL & UART_RXINT_EN)) {
            enable_rx_interrupt();
        }
        mps2_irq_restore(state);
        if (c >= 0) {
            return c;
        }
        mp_event_wait_indefinite();
    }
}

// A script is also interrupted by what was typed while it was compiled.
void __wrap_mp_hal_set_interrupt_char(int c) {
    uint32_t state = mps2_irq_disable();
    mp_interrupt_char = c;
    for (size_t n = ringbuf_avail(&stdin_ring); c >= 0 && n > 0; n--) {
        int typed = ringbuf_get(&stdin_ring);
        if (typed == c) {
            mp_sched_keyboard_interrupt();
        } else {
            ringbuf_put(&stdin_ring, typed);
        }
    }
    mps2_irq_restore(state);
}

uintptr_t __wrap_mp_hal_stdio_poll(uintptr_t flags) {
    uintptr_t ready = flags & MP_STREAM_POLL_WR;
    if ((flags & MP_STREAM_POLL_RD) && ringbuf_avail(&stdin_ring) > 0) {
        ready |= MP_STREAM_POLL_RD;
    }
    return ready;
}

// The counter has 32 bits: right as long as it is read once in 71 minutes.
static uint64_t now_us(void) {
    static uint64_t total;
    static uint32_t last;
    uint32_t now = FPGAIO_COUNTER;
    total += now - last;
    last = now;
    return total;
}

mp_uint_t __wrap_mp_hal_ticks_ms(void) {
    return now_us() / 1000;
}

mp_uint_t __wrap_mp_hal_ticks_us(void) {
    return now_us();
}

mp_uint_t __wrap_mp_hal_ticks_cpu(void) {
    return now_us();
}

uint64_t __wrap_mp_hal_time_ns(void) {
    return now_us() * 1000;
}

uint32_t mps2_counter(void) {
    return ~TIMER0_VALUE;
}

void __wrap_mp_hal_delay_us(mp_uint_t us) {
    for (uint64_t end = now_us() + us; now_us() < end;) {
    }
}

void __wrap_mp_hal_delay_ms(mp_uint_t ms) {
    uint64_t end = now_us() + (uint64_t)ms * 1000;
    for (;;) {
        uint64_t now = now_us();
        if (now >= end) {
            break;
        }
        mp_event_wait_ms(MIN((end - now) / 1000, 1000));
    }
    mp_event_handle_nowait();
}
