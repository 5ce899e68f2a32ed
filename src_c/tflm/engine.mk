# The engine and the parts of TFLM that it needs, as one relocatable object: $(OUT)/microlite.o.
#
#   make -f engine.mk TFLM_DIR=... OUT=... [CC= CXX= AR= ARCH= OPS= CACHE= OPT= KERNEL_OPT=]
#
# TFLM_DIR    folder that holds tensorflow/lite/micro (submodules/tensorflow of crate tfmicro)
# OUT         folder for everything that is built here
# CC CXX AR   compilers and archiver of the target
# ARCH        flags that decide about the machine: -m..., -f(no-)short-enums, -fsanitize..., -g
# OPS         "all", names of operators, or @model.tflite for the operators of a model
# WITHOUT     types to leave out: float32, uint8; "auto": those that no model of OPS has
# OPS_EXTRA   folder with further operators: ops.def and *.cc
# CACHE       folder for compiled TFLM, shared by builds with equal flags; default $(OUT)
# OPT         optimisation of engine and framework; KERNEL_OPT that of kernels
# AUDIO       1: with the front ends for sound (src_c/audio/) and what they need of TFLM
# VARIANTS    1: int8 layers have further kernels, which a model may choose: "portable", in plain C, and
#             "small", compiled with -Os
# KERNELS     empty: for the machine; "portable": plain C; "reference": TFLM's wherever it has them

ENGINE_DIR := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))

AR ?= ar
# Ports say some flags twice; each counts once, so that builds with equal flags share a cache.
first_of_each = $(if $1,$(firstword $1) $(call first_of_each,$(filter-out $(firstword $1),$1)))
override ARCH := $(strip $(call first_of_each,$(ARCH)))
OPS ?= all
OPS_EXTRA ?=
WITHOUT ?=
CACHE ?= $(OUT)
OPT ?= -Os
KERNEL_OPT ?= -O2
PYTHON ?= python3
KERNELS ?=
VARIANTS ?=
AUDIO ?=

L := $(TFLM_DIR)/tensorflow/lite
ifeq ($(wildcard $(L)/micro/kernels/micro_ops.h),)
$(error TFLM_DIR=$(TFLM_DIR) holds no TFLM sources)
endif

ifeq ($(WITHOUT),auto)
override WITHOUT := $(shell $(PYTHON) $(ENGINE_DIR)/select_ops.py $(ENGINE_DIR)/ops.def -auto $(OPS))
endif

# Messages of the compiler are ours only in our files: TFLM's headers are system headers there.
# Sums of TFLM's kernels wrap: weights and biases can be such that they overflow.
DEFINES := -DNDEBUG -DTF_LITE_STATIC_MEMORY -DTF_LITE_MCU_DEBUG_LOG -DGEMMLOWP_ALLOW_SLOW_SCALAR_FALLBACK
INCLUDES := $(TFLM_DIR) $(addprefix $(L)/micro/tools/make/downloads/,gemmlowp flatbuffers/include ruy)
COMMON := $(ARCH) -ffunction-sections -fdata-sections -ffp-contract=off -fno-exceptions \
    -fno-unwind-tables -fno-asynchronous-unwind-tables
CXX_ONLY := -std=c++11 -fno-rtti -fno-threadsafe-statics -fno-use-cxa-atexit
TFLM_FLAGS := $(COMMON) -fwrapv -w $(DEFINES) $(addprefix -I,$(INCLUDES)) -fmacro-prefix-map=$(TFLM_DIR)/=
# The optimisation comes later, so that kernels may have one of their own.
OUR_FLAGS := $(COMMON) -Wall -Wextra $(DEFINES) $(addprefix -isystem ,$(INCLUDES)) \
    $(patsubst %,-DMICROLITE_KERNELS_%,$(KERNELS)) $(if $(filter 1,$(VARIANTS)),-DMICROLITE_VARIANTS=1) $(patsubst %,-DMICROLITE_WITHOUT_%,$(WITHOUT)) $(if $(OPS_EXTRA),-I$(ENGINE_DIR))

# --- TFLM, one archive for each set of flags ---
TFLM_SOURCES := \
    $(filter-out %_test.cc %/all_ops_resolver.cc %/circular_buffer.cc,$(wildcard $(L)/micro/kernels/*.cc)) \
    $(addprefix $(L)/core/api/,error_reporter.cc flatbuffer_conversions.cc tensor_utils.cc) \
    $(addprefix $(L)/kernels/,internal/quantization_util.cc kernel_util.cc) \
    $(addprefix $(L)/micro/,micro_utils.cc) $(L)/c/common.c

# Where the sources lie makes no difference.
KEY := $(shell { printf '%s\n' '$(CC)' '$(CXX)' '$(subst $(TFLM_DIR),,$(TFLM_FLAGS)) $(CXX_ONLY)' '$(OPT)' '$(KERNEL_OPT)'; \
    $(CXX) --version; cat '$(ENGINE_DIR)/abort.h'; } | sha256sum | cut -c1-12)
LIBDIR := $(CACHE)/$(KEY)
LIB := $(LIBDIR)/libtflm.a
TFLM_OBJECTS := $(patsubst $(L)/%,$(LIBDIR)/%.o,$(TFLM_SOURCES))

# --- the front end for sound of TFLM, which works on tables of ours ---
FRONT_END := experimental/microfrontend/lib
KISSFFT := micro/tools/make/downloads/kissfft
FRONT_END_SOURCES := $(addprefix $(FRONT_END)/,frontend.c window.c fft.cc filterbank.c noise_reduction.c \
    pcan_gain_control.c log_scale.c log_lut.c) $(addprefix $(KISSFFT)/,kiss_fft.c tools/kiss_fftr.c)
FRONT_END_OBJECTS := $(if $(filter 1,$(AUDIO)),$(patsubst %,$(LIBDIR)/%.o,$(FRONT_END_SOURCES)))
AUDIO_DIR := $(ENGINE_DIR)/../audio
AUDIO_OBJECTS := $(if $(filter 1,$(AUDIO)),$(patsubst %,$(OUT)/audio/%.o,$(notdir $(wildcard $(AUDIO_DIR)/*.c))))

# --- the engine, and an archive of our kernels: the link takes those that the operators need ---
KERNELS_DIR := $(ENGINE_DIR)/../kernels
GLUE_OBJECTS := $(patsubst %,$(OUT)/%.o,$(notdir $(wildcard $(ENGINE_DIR)/kernel*.cc)))
KERNEL_OBJECTS := $(patsubst %,$(OUT)/kernels/%.o,$(notdir $(wildcard $(KERNELS_DIR)/*.c)))
ENGINE_OBJECTS := $(filter-out $(GLUE_OBJECTS), \
    $(patsubst %,$(OUT)/%.o,$(notdir $(wildcard $(ENGINE_DIR)/*.cc)) plan.c))
GLUE_OBJECTS += $(if $(OPS_EXTRA),$(patsubst %,$(OUT)/%.o,$(notdir $(wildcard $(OPS_EXTRA)/*.cc))))
OUR_OBJECTS := $(ENGINE_OBJECTS) $(GLUE_OBJECTS) $(KERNEL_OBJECTS) $(AUDIO_OBJECTS)
KERNELS_LIB := $(OUT)/libkernels.a

# Weak references do not take objects out of archives, so variants are always linked. What belongs to
# operators that the build lacks is left out by the port's link, as nothing refers to it.
VARIANT_SOURCES := kernel_conv.cc kernel_fully_connected.cc $(addprefix kernels/,conv_s8.c depthwise_s8.c \
    depthwise_3x3_s8.c fully_connected_s8.c)
VARIANT_NAMES := $(if $(filter 1,$(VARIANTS)),portable small)
VARIANT_OBJECTS := $(foreach name,$(VARIANT_NAMES),$(patsubst %,$(OUT)/$(name)/%.o,$(VARIANT_SOURCES)))
VARIANT_FLAGS = -include $(KERNELS_DIR)/variant.h -DMICROLITE_VARIANT=$(VARIANT_NAME)
OUR_OBJECTS += $(VARIANT_OBJECTS)
# What comes first wins.
ARCHIVES := $(if $(filter reference,$(KERNELS)),$(LIB) $(KERNELS_LIB) $(LIB),$(KERNELS_LIB) $(LIB))
OPS_FILE := $(OUT)/ops.inc
FLAGS_FILE := $(OUT)/flags
REPLACE = @cmp -s $@.new $@ && rm $@.new || mv $@.new $@

.PHONY: all archive FORCE
.DELETE_ON_ERROR:
all: $(OUT)/microlite.o

$(OUT)/microlite.o: $(ENGINE_OBJECTS) $(VARIANT_OBJECTS) $(AUDIO_OBJECTS) $(KERNELS_LIB) $(LIB)
	@echo "LD $@"
	@$(CC) $(ARCH) -r -nostdlib -o $@.new $(ENGINE_OBJECTS) $(VARIANT_OBJECTS) $(AUDIO_OBJECTS) $(FRONT_END_OBJECTS) $(ARCHIVES)
	@mv $@.new $@

vpath %.cc $(ENGINE_DIR) $(OPS_EXTRA)
$(OUT)/%.cc.o: %.cc $(FLAGS_FILE) | $(OPS_FILE)
	@echo "CXX $(<F)"
	@$(CXX) $(OUR_FLAGS) $(OPT) $(CXX_ONLY) -DMICROLITE_OPS_FILE='"$(abspath $(OPS_FILE))"' -MMD -MP -c -o $@ $<

$(OUT)/%.c.o: $(ENGINE_DIR)/../%.c $(FLAGS_FILE)
	@echo "CC $(<F)"
	@$(CC) $(OUR_FLAGS) $(OPT) -std=gnu99 -MMD -MP -c -o $@ $<

# As in TFLM's, sums of hostile weights and biases wrap.
$(OUT)/kernels/%.c.o: $(KERNELS_DIR)/%.c $(FLAGS_FILE)
	@echo "CC kernels/$(<F)"
	@mkdir -p $(@D)
	@$(CC) $(OUR_FLAGS) $(KERNEL_OPT) -fwrapv -std=gnu99 -MMD -MP -c -o $@ $<

# The last of two optimisations counts.
define variant_rules
$(OUT)/$1/%: VARIANT_NAME = $1
$(OUT)/$1/%.cc.o: $(ENGINE_DIR)/%.cc $(FLAGS_FILE)
	@echo "CXX $1 $$(<F)"
	@mkdir -p $$(@D)
	@$(CXX) $$(OUR_FLAGS) $$(VARIANT_FLAGS) $(OPT) $(CXX_ONLY) -MMD -MP -c -o $$@ $$<
$(OUT)/$1/kernels/%.c.o: $(KERNELS_DIR)/%.c $(FLAGS_FILE)
	@echo "CC $1 kernels/$$(<F)"
	@mkdir -p $$(@D)
	@$(CC) $$(OUR_FLAGS) $$(VARIANT_FLAGS) $(KERNEL_OPT) $2 -fwrapv -std=gnu99 -MMD -MP -c -o $$@ $$<
endef
$(eval $(call variant_rules,portable,-DMICROLITE_KERNELS_portable))
$(eval $(call variant_rules,small,-Os))

$(OUT)/audio/%.c.o: $(AUDIO_DIR)/%.c $(FLAGS_FILE)
	@echo "CC audio/$(<F)"
	@mkdir -p $(@D)
	@$(CC) $(OUR_FLAGS) $(KERNEL_OPT) -isystem $(L)/$(KISSFFT) -std=gnu99 -MMD -MP -c -o $@ $<

$(KERNELS_LIB): $(GLUE_OBJECTS) $(KERNEL_OBJECTS)
	@rm -f $@
	@$(AR) rcs $@ $^

$(OPS_FILE): FORCE | $(OUT)
	@$(PYTHON) $(ENGINE_DIR)/select_ops.py $(ENGINE_DIR)/ops.def $(OPS_EXTRA:%=%/ops.def) $(WITHOUT:%=-%) $(OPS) >$@.new
	$(REPLACE)

$(FLAGS_FILE): FORCE | $(OUT)
	@printf '%s\n' '$(CC) $(CXX) $(OUR_FLAGS) $(OPT) $(KERNEL_OPT) $(CXX_ONLY)' >$@.new
	$(REPLACE)

# Builds that share a cache take turns in filling it.
$(LIB): FORCE
	@+mkdir -p $(LIBDIR)
	@+$(if $(shell command -v flock),flock $(LIBDIR)/lock) $(MAKE) -f $(ENGINE_DIR)/engine.mk \
	    --no-print-directory archive

archive: $(LIBDIR)/stamp $(FRONT_END_OBJECTS)
	@:

# A link that finds the archive newer than its result runs again: it only changes when it must.
$(LIBDIR)/stamp: $(TFLM_OBJECTS)
	@rm -f $(LIB).new
	@$(AR) rcs $(LIB).new $^
	@mv $(LIB).new $(LIB)
	@touch $@

# Energies take the place of the spectrum that they are made of.
$(FRONT_END_OBJECTS): TFLM_FLAGS += -fno-strict-aliasing -I$(L)/$(KISSFFT)
$(LIBDIR)/$(KISSFFT)/%.o: TFLM_FLAGS += -include $(AUDIO_DIR)/kissfft.h

$(FRONT_END_OBJECTS): OPTIMISE = $(KERNEL_OPT)
$(TFLM_OBJECTS): OPTIMISE = $(if $(findstring /micro/kernels/,$<),$(KERNEL_OPT),$(OPT))
$(LIBDIR)/%.cc.o: $(L)/%.cc
	@echo "TFLM $*.cc"
	@mkdir -p $(@D)
	@$(CXX) $(TFLM_FLAGS) $(CXX_ONLY) $(OPTIMISE) -include $(ENGINE_DIR)/abort.h -c -o $@.new $<
	@mv $@.new $@

$(LIBDIR)/%.c.o: $(L)/%.c
	@echo "TFLM $*.c"
	@mkdir -p $(@D)
	@$(CC) $(TFLM_FLAGS) $(OPTIMISE) -c -o $@.new $<
	@mv $@.new $@

$(OUT):
	@mkdir -p $@

FORCE:

-include $(OUR_OBJECTS:.o=.d)
