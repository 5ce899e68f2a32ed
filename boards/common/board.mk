# What the MPS2 boards share: included at the end of each board's mpconfigboard.mk, which sets
# MPS2_PSRAM, the address of the 16 MiB of PSRAM.
QEMU_ARCH = arm
MPS2_DIR := $(abspath $(BOARD_DIR)/../common)

LDSCRIPT = $(MPS2_DIR)/mps2.ld
CFLAGS += -mthumb -I$(MPS2_DIR) -DQEMU_SOC_MPS2 -DMPS2_PSRAM=$(MPS2_PSRAM)
CFLAGS += -DMP_CONFIGFILE='"$(MPS2_DIR)/mpconfigport_mps2.h"'

vpath boards/common/%.c $(abspath $(MPS2_DIR)/../..)
SRC_C += \
	boards/common/hal.c \
	boards/common/main.c \
	boards/common/startup.c \
	boards/common/storage.c \
	shared/timeutils/timeutils.c \

SRC_BOARD_O += shared/runtime/gchelper_native.o shared/runtime/gchelper_thumb2.o

# The port's stdin is polled and cannot be interrupted, and what else hal.c and storage.c define
# it has in some versions only: these names are ours in all of them.
MPS2_OWN = mp_hal_stdin_rx_chr mp_hal_stdio_poll mp_hal_ticks_ms mp_hal_ticks_us \
	mp_hal_ticks_cpu mp_hal_time_ns mp_hal_delay_ms mp_hal_delay_us mp_hal_set_interrupt_char \
	mp_vfs_rom_ioctl
LDFLAGS += $(addprefix -Xlinker --wrap=,$(MPS2_OWN))

MICROPY_HEAP_SIZE ?= 2097152
MICROPY_FLOAT_IMPL ?= float
MICROPY_VFS_LFS2 ?= 1
