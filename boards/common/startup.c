// Start of the MPS2 boards: vector table and reset handler, in place of the qemu port's, which
// leave the floating-point unit off and have no interrupts.

#include <stdint.h>

#include "py/mpconfig.h"
#include "shared/runtime/semihosting_arm.h"

#define CPACR           (*(volatile uint32_t *)0xe000ed88)
#define CPACR_FPU       (0x00f00000)

extern uint32_t _estack, _sidata, _sdata, _edata, _sbss, _ebss;

void mps2_main(void);
void mps2_reset(void);
void mps2_uart_rx_irq(void);
void mps2_systick_irq(void);

// The qemu port's: they print the registers and stop.
void NMI_Handler(void);
void HardFault_Handler(void);
void MemManage_Handler(void);
void BusFault_Handler(void);
void UsageFault_Handler(void);
void SVC_Handler(void);
void DebugMon_Handler(void);
void PendSV_Handler(void);

const void *const mps2_vectors[] __attribute__((section(".mps2_vectors"), used)) = {
    &_estack, mps2_reset, NMI_Handler, HardFault_Handler,
    MemManage_Handler, BusFault_Handler, UsageFault_Handler, NULL,
    NULL, NULL, NULL, SVC_Handler,
    DebugMon_Handler, NULL, PendSV_Handler, mps2_systick_irq,
    mps2_uart_rx_irq,
};

void mps2_reset(void) {
    #if defined(__ARM_FP)
    CPACR |= CPACR_FPU;
    __asm volatile ("dsb\n isb" : : : "memory");
    #endif
    for (uint32_t *src = &_sidata, *dest = &_sdata; dest < &_edata;) {
        *dest++ = *src++;
    }
    for (uint32_t *dest = &_sbss; dest < &_ebss;) {
        *dest++ = 0;
    }
    mp_semihosting_init();
    mps2_init();
    mps2_main();
}
