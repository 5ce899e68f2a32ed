# microlite: everything that is built, run and tested. `make help` lists the targets.
#
# The work is done by the scripts of tools/, each of which returns at once when its result is
# there already.

MICROPYTHON ?= 1.25.0
MPY_DIR ?= $(CURDIR)/build/src/micropython-$(MICROPYTHON)
TFLM_DIR ?= $(CURDIR)/build/src/tfmicro/submodules/tensorflow
JOBS ?= $(shell nproc)
export MICROPYTHON MPY_DIR TFLM_DIR TFLM_CRATE MODELS_CRATE JOBS

BOARDS := $(patsubst boards/%/mpconfigboard.mk,%,$(wildcard boards/*/mpconfigboard.mk))
PYTHON := .venv/bin/python
# A file of tests at a time for each process: what a file prepares, all its tests use.
PYTEST := $(PYTHON) -m pytest -n $(JOBS) --dist loadfile

.NOTPARALLEL:
.PHONY: help hello unix unix32 unix-asan unix-oom firmware boards test bench soak size lint clean \
    sources models venv venv-dev typings

help:
	@echo "make hello              build MicroPython with microlite, run the examples"
	@echo "make hello BOARD=NAME   the same on an emulated board: $(BOARDS)"
	@echo "make test               all tests, on unix and on the emulated boards"
	@echo "make soak               the long tests: sanitizers, fuzzing, allocation failures"
	@echo "make bench              instructions, least arena and text of models on the boards;"
	@echo "                        ARGS=--ops each operator, ARGS=--help more"
	@echo "make size               text, data and bss of the module and of TFLM; text by operators"
	@echo "make lint               style and types; FIX=1 mends style"
	@echo "make unix               build/unix/micropython (also unix32, unix-asan, unix-oom)"
	@echo "make firmware BOARD=NAME  build/NAME/firmware.elf"
	@echo "make clean              remove build/, but for the sources in build/src"
	@echo
	@echo "MICROPYTHON=1.26.1      another MicroPython (default 1.25.0), or MPY_DIR=DIR, a tree of yours"
	@echo "TFLM_CRATE=FILE         an archive of the crate tfmicro 0.1.0, or TFLM_DIR=DIR, TFLM's sources"
	@echo "MODELS_CRATE=FILE       an archive of the crate microflow 0.1.3"
	@echo "MICROLITE_OPS=...       operators to link: all, names, or @model.tflite (absolute path)"
	@echo "JOBS=$(JOBS)                  compilers at a time"

hello: venv $(if $(BOARD),firmware,unix) models
	@tools/hello.sh $(BOARD)

unix unix-asan unix-oom: sources
	@tools/build.sh $@

unix32: sources
	@tools/packages.sh m32
	@tools/build.sh $@

firmware: sources
	$(if $(BOARD),,$(error name a board: make firmware BOARD=NAME with $(BOARDS)))
	@tools/packages.sh boards
	@tools/build.sh $(BOARD)

boards: sources
	@tools/packages.sh boards
	@for board in $(BOARDS); do tools/build.sh $$board || exit; done

test: venv-dev typings unix unix32 unix-oom boards models
	@$(PYTEST)

soak: venv-dev typings unix unix-asan unix-oom unix32 boards models
	@$(PYTEST) -m soak

bench: venv-dev boards models
	@$(PYTHON) bench/bench.py $(ARGS)

size: venv-dev unix models
	@tools/packages.sh boards
	@$(PYTHON) -m microlite_tools.size
	@$(PYTHON) bench/sizes.py

lint: sources venv-dev typings
	@tools/lint.sh $(if $(FIX),--fix)

clean:
	rm -rf $(filter-out build/src,$(wildcard build/* build/.lock*))

# --- what the targets above stand on ---

sources:
	@tools/packages.sh base
	@tools/sources.sh

models:
	@tools/models.sh

venv venv-dev:
	@tools/packages.sh base
	@tools/venv.sh requirements$(patsubst venv%,%,$@).txt

typings:
	@tools/typings.sh
