// Configuration of the MPS2 boards: that of the qemu port, and what real boards have.

#include "ports/qemu/mpconfigport.h"

#undef MICROPY_PY_SYS_STDIO_BUFFER
#define MICROPY_PY_SYS_STDIO_BUFFER             (1)
#undef MICROPY_PY_SELECT
#define MICROPY_PY_SELECT                       (1)
#undef MICROPY_PY_ASYNCIO
#define MICROPY_PY_ASYNCIO                      (1)
#undef MICROPY_PY_TIME
#define MICROPY_PY_TIME                         (1)
#undef MICROPY_PY_TIME_GMTIME_LOCALTIME_MKTIME
#define MICROPY_PY_TIME_GMTIME_LOCALTIME_MKTIME (1)
#undef MICROPY_PY_TIME_TIME_TIME_NS
#define MICROPY_PY_TIME_TIME_TIME_NS            (1)
#undef MICROPY_PY_TIME_INCLUDEFILE
#define MICROPY_PY_TIME_INCLUDEFILE             "modtime_mps2.c"
#undef MICROPY_REPL_STDIN_BUFFER_MAX
#define MICROPY_REPL_STDIN_BUFFER_MAX           (4096)
#undef MICROPY_VFS_ROM_IOCTL
#define MICROPY_VFS_ROM_IOCTL                   (1)
// What one import takes beyond the check.
#undef MICROPY_STACK_CHECK_MARGIN
#define MICROPY_STACK_CHECK_MARGIN              (2048)

// PSRAM: the lower half is the ROMFS window, the upper half the RAM disk.
#define MPS2_ROMFS_ADDR     (MPS2_PSRAM)
#define MPS2_ROMFS_SIZE     (8 * 1024 * 1024)
#define MPS2_DISK_ADDR      (MPS2_PSRAM + MPS2_ROMFS_SIZE)
#define MPS2_DISK_SIZE      (8 * 1024 * 1024)

// QEMU's cores have no cycle counter.
#define MICROLITE_COUNTER_NAME  MP_QSTR_cmsdk_timer0
#define MICROLITE_COUNTER()     mps2_counter()

void mps2_init(void);
uint32_t mps2_counter(void);
void mps2_wait(int timeout_ms);

#undef MICROPY_INTERNAL_WFE
#define MICROPY_INTERNAL_WFE(timeout_ms)        mps2_wait(timeout_ms)

static inline uint32_t mps2_irq_disable(void) {
    uint32_t state;
    __asm volatile ("mrs %0, primask\n cpsid i" : "=r" (state) : : "memory");
    return state;
}

static inline void mps2_irq_restore(uint32_t state) {
    __asm volatile ("msr primask, %0" : : "r" (state) : "memory");
}

#undef MICROPY_BEGIN_ATOMIC_SECTION
#define MICROPY_BEGIN_ATOMIC_SECTION()          mps2_irq_disable()
#undef MICROPY_END_ATOMIC_SECTION
#define MICROPY_END_ATOMIC_SECTION(state)       mps2_irq_restore(state)
