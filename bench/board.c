// Startup, semihosting and timer of a measuring program on QEMU's MPS2 boards; no C library.

#include "board.h"

#define CPACR (*(volatile uint32_t *)0xe000ed88)

typedef struct {
    volatile uint32_t ctrl;
    volatile uint32_t value;
    volatile uint32_t reload;
} timer_t;

#define TIMER0 ((timer_t *)0x40000000)

enum { SYS_WRITE0 = 0x04, SYS_EXIT = 0x18 };
#define EXIT_DONE  (0x20026)    // ADP_Stopped_ApplicationExit
#define EXIT_FAULT (0x20023)    // ADP_Stopped_RunTimeErrorUnknown

extern uint32_t _estack, _sdata, _edata, _sbss, _ebss;
extern const uint32_t _sidata;

void reset(void);

static int semihost(int operation, uintptr_t argument) {
    register int r0 __asm__ ("r0") = operation;
    register uintptr_t r1 __asm__ ("r1") = argument;
    __asm__ volatile ("bkpt 0xab" : "+r" (r0) : "r" (r1) : "memory");
    return r0;
}

static void fault(void) {
    semihost(SYS_EXIT, EXIT_FAULT);
}

__attribute__((section(".vectors"), used))
static const void *const vectors[16] = {
    &_estack, reset, fault, fault, fault, fault, fault,
};

void reset(void) {
    #if defined(__ARM_FP)
    CPACR |= 0x00f00000; // full access to CP10 and CP11
    __asm__ volatile ("dsb\nisb" ::: "memory");
    #endif
    const uint32_t *from = &_sidata;
    for (uint32_t *to = &_sdata; to < &_edata;) {
        *to++ = *from++;
    }
    for (uint32_t *to = &_sbss; to < &_ebss;) {
        *to++ = 0;
    }
    TIMER0->reload = TIMER0->value = 0xffffffff;
    TIMER0->ctrl = 1;
    measure((const blob_t *)BLOB_ADDRESS);
    semihost(SYS_EXIT, EXIT_DONE);
}

uint8_t *board_memory(size_t *size) {
    const size_t stack = 65536;
    *size = (size_t)((uint8_t *)&_estack - (uint8_t *)&_ebss) - stack;
    return (uint8_t *)&_ebss;
}

uint32_t board_ticks(void) {
    return 0xffffffff - TIMER0->value;
}

void print(const char *s) {
    semihost(SYS_WRITE0, (uintptr_t)s);
}

void print_text(const char *name, const char *text) {
    print(name);
    print("=");
    print(text);
    print("\n");
}

void print_number(const char *name, int32_t value) {
    char text[12];
    char *s = &text[sizeof(text) - 1];
    uint32_t rest = value < 0 ? 0 - (uint32_t)value : (uint32_t)value;
    *s = '\0';
    do {
        *--s = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (value < 0) {
        *--s = '-';
    }
    print_text(name, s);
}

void print_hex(const char *name, const uint8_t *data, size_t n) {
    print(name);
    print("=");
    for (size_t i = 0; i < n; i++) {
        const char *digits = "0123456789abcdef";
        char text[3] = { digits[data[i] >> 4], digits[data[i] & 15], '\0' };
        print(text);
    }
    print("\n");
}
