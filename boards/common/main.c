// Main loop of the MPS2 boards, in place of the qemu port's: as on real boards, each (soft) reset
// gives an empty heap, mounts the file systems by the frozen _boot.py and runs boot.py and main.py.

#include "py/cstack.h"
#include "py/gc.h"
#include "py/mphal.h"
#include "py/runtime.h"
#include "shared/runtime/pyexec.h"

extern char _sstack, _estack;

static uint32_t gc_heap[MICROPY_HEAP_SIZE / sizeof(uint32_t)];

static void run_boot_scripts(void) {
    pyexec_frozen_module("_boot.py", false);
    int ret = pyexec_file_if_exists("boot.py");
    if (!(ret & PYEXEC_FORCED_EXIT) && pyexec_mode_kind == PYEXEC_MODE_FRIENDLY_REPL) {
        pyexec_file_if_exists("main.py");
    }
}

static void run_repl(void) {
    int ret;
    do {
        ret = pyexec_mode_kind == PYEXEC_MODE_RAW_REPL ? pyexec_raw_repl() : pyexec_friendly_repl();
    } while (ret == 0);
}

void mps2_main(void) {
    mp_cstack_init_with_top(&_estack, &_estack - &_sstack);
    for (;;) {
        gc_init(gc_heap, gc_heap + MP_ARRAY_SIZE(gc_heap));
        mp_init();
        run_boot_scripts();
        run_repl();
        mp_printf(&mp_plat_print, "MPY: soft reboot\n");
        gc_sweep_all();
        mp_deinit();
    }
}
