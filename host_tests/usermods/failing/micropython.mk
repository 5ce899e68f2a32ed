# The module failing, and microlite with it: this folder stands in for the repository as
# USER_C_MODULES.

FAILING_DIR := $(USERMOD_DIR)
SRC_USERMOD_C += $(FAILING_DIR)/failing.c
LDFLAGS_USERMOD += -Wl,--wrap=gc_alloc -Wl,--wrap=gc_realloc -Wl,--wrap=engine_step

USERMOD_DIR := $(abspath $(FAILING_DIR)/../../../src_c)
include $(USERMOD_DIR)/micropython.mk
