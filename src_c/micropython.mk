# microlite as a user C module of MicroPython's make ports:
#
#   make -C ports/PORT BOARD=... USER_C_MODULES=<this repository> TFLM_DIR=<TFLM's sources> \
#       FROZEN_MANIFEST=<a manifest that includes the board's and manifest.py> BUILD=<fresh folder>
#
# Variables, on the command line or in the environment:
#   TFLM_DIR            the crate tfmicro's submodules/tensorflow
#   MICROLITE_OPS       "all" (default), operator names, or models as @file.tflite
#   MICROLITE_WITHOUT   types to leave out: float32, uint8; "auto": those that the models lack
#   MICROLITE_OPS_EXTRA folder with operators of your own (docs/firmware.md)
#   MICROLITE_AUDIO     0 leaves the front ends for sound and spectrum() out (default 1)
#   MICROLITE_KERNELS   "portable" for kernels in plain C, "reference" for TFLM's (default: fastest)
#   MICROLITE_VARIANTS  1 for further kernels, which plans of models choose (docs/tuning.md)
#   MICROLITE_CACHE     folder for TFLM's compiled sources, may be shared by builds
#   MICROLITE_OPT       optimisation of engine and TFLM (default -Os)
#   MICROLITE_KERNEL_OPT  that of the kernels (default -O2)
#   MICROLITE_ARCH      flags of the port that engine and TFLM need too (default: found)
#   MICROLITE_CXX       the C++ compiler (default: CC, which tells the language by file name)
#
# Ports complete CFLAGS, CC and CROSS_COMPILE after they have read this file, so all that
# depends on them is expanded in recipes.

MICROLITE_DIR := $(USERMOD_DIR)
MICROLITE_BUILD := $(BUILD)/microlite
MICROLITE_CACHE ?= $(BUILD)/tflm-cache

MICROLITE_AUDIO ?= 1

# Lets a manifest say package("microlite", base_path="$(MICROLITE_DIR)").
MICROPY_MANIFEST_MICROLITE_DIR := $(abspath $(MICROLITE_DIR)/..)

ifeq ($(wildcard $(TFLM_DIR)/tensorflow/lite/micro),)
$(error TFLM_DIR=$(TFLM_DIR) holds no TFLM sources (tensorflow/lite/micro))
endif

CFLAGS_USERMOD += -DMICROLITE_AUDIO=$(MICROLITE_AUDIO) $(if $(filter 1,$(MICROLITE_VARIANTS)),-DMICROLITE_VARIANTS=1)

# The C module. plan.c belongs to the engine.
SRC_USERMOD_C += $(filter-out %/plan.c %/libm_shim.c,$(wildcard $(MICROLITE_DIR)/*.c))

# Ports without a C library's maths get the functions that TFLM needs and MicroPython lacks.
ifeq ($(filter unix windows webassembly,$(notdir $(CURDIR))),)
SRC_USERMOD_LIB_C += $(MICROLITE_DIR)/libm_shim.c
endif

# Float results are the same on every target. clang knows neither form of the second flag.
$(BUILD)/src_c/%.o: CFLAGS += -ffp-contract=off \
    $(if $(findstring clang,$(CC)),,-fno-single-precision-constant)
$(BUILD)/src_c/libm_shim.o: CFLAGS += -fno-builtin

# Engine, kernels and TFLM in one object, made by a makefile of its own.
MICROLITE_ARCH ?= $(filter -m% -fsanitize% -fno-sanitize% -fshort-enums -fno-short-enums -g, \
    $(CFLAGS) $(CFLAGS_EXTRA))

$(MICROLITE_BUILD)/microlite.o: FORCE
	$(Q)$(MAKE) --no-print-directory -f $(MICROLITE_DIR)/tflm/engine.mk \
	    TFLM_DIR="$(abspath $(TFLM_DIR))" OUT="$(abspath $(MICROLITE_BUILD))" \
	    CACHE="$(abspath $(MICROLITE_CACHE))" CC="$(CC)" CXX="$(or $(MICROLITE_CXX),$(CC))" AR="$(AR)" \
	    ARCH="$(strip $(MICROLITE_ARCH))" OPS="$(or $(MICROLITE_OPS),all)" \
	    OPS_EXTRA="$(MICROLITE_OPS_EXTRA)" WITHOUT="$(MICROLITE_WITHOUT)" \
	    KERNELS="$(MICROLITE_KERNELS)" AUDIO="$(MICROLITE_AUDIO)" VARIANTS="$(MICROLITE_VARIANTS)" \
	    OPT="$(or $(MICROLITE_OPT),-Os)" KERNEL_OPT="$(or $(MICROLITE_KERNEL_OPT),-O2)"

PY_O += $(MICROLITE_BUILD)/microlite.o
