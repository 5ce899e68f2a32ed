# Arm MPS2 with FPGA image AN385: Cortex-M3, no floating-point unit.
QEMU_MACHINE = mps2-an385
MPS2_PSRAM = 0x21000000
CFLAGS += -mcpu=cortex-m3 -mfloat-abi=soft
CFLAGS += -DMICROPY_HW_MCU_NAME='"Cortex-M3"'
MPY_CROSS_FLAGS += -march=armv7m
include $(BOARD_DIR)/../common/board.mk
