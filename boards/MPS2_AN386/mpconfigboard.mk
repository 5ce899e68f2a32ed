# Arm MPS2 with FPGA image AN386: Cortex-M4 with a single-precision floating-point unit.
QEMU_MACHINE = mps2-an386
MPS2_PSRAM = 0x21000000
CFLAGS += -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard
CFLAGS += -DMICROPY_HW_MCU_NAME='"Cortex-M4F"'
MPY_CROSS_FLAGS += -march=armv7emsp
include $(BOARD_DIR)/../common/board.mk
