# Arm MPS2 with FPGA image AN500: Cortex-M7 with a double-precision floating-point unit; MicroPython floats stay single.
QEMU_MACHINE = mps2-an500
MPS2_PSRAM = 0x60000000
CFLAGS += -mcpu=cortex-m7 -mfpu=fpv5-d16 -mfloat-abi=hard
CFLAGS += -DMICROPY_HW_MCU_NAME='"Cortex-M7"'
MPY_CROSS_FLAGS += -march=armv7emdp
include $(BOARD_DIR)/../common/board.mk
