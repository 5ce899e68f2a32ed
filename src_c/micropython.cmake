# microlite as a user C module of MicroPython's CMake ports (rp2, esp32):
#
#   make -C ports/rp2 BOARD=... USER_C_MODULES=<this file> FROZEN_MANIFEST=<manifest>
#
# Variables of CMake or of the environment, as the ports' makefiles pass on none of ours:
#   TFLM_DIR        the crate tfmicro's submodules/tensorflow
#   MICROLITE_OPS   "all" (default), operator names, or models as @file.tflite
#   MICROLITE_WITHOUT   types to leave out: float32, uint8; "auto": those that the models lack
#   MICROLITE_OPS_EXTRA folder with operators of your own (docs/firmware.md)
#   MICROLITE_AUDIO     0 leaves the front ends for sound and spectrum() out (default 1)
#   MICROLITE_KERNELS   "portable" for kernels in plain C, "reference" for TFLM's (default: fastest)
#
# TFLM and engine are an ordinary static library whose options reach nothing else; only the C
# module is part of the interface library, where MicroPython looks for names.

set(MICROLITE_DIR ${CMAKE_CURRENT_LIST_DIR})

# Lets a manifest say package("microlite", base_path="$(MICROLITE_DIR)").
get_filename_component(MICROPY_MANIFEST_MICROLITE_DIR ${MICROLITE_DIR}/.. ABSOLUTE)

foreach(name TFLM_DIR MICROLITE_OPS MICROLITE_OPS_EXTRA MICROLITE_WITHOUT MICROLITE_AUDIO MICROLITE_KERNELS)
    if(NOT DEFINED ${name} AND DEFINED ENV{${name}})
        set(${name} $ENV{${name}})
    endif()
endforeach()
if(NOT MICROLITE_OPS)
    set(MICROLITE_OPS all)
endif()
if(MICROLITE_AUDIO OR NOT DEFINED MICROLITE_AUDIO)
    set(MICROLITE_AUDIO 1)
else()
    set(MICROLITE_AUDIO 0)
endif()
set(MICROLITE_LITE ${TFLM_DIR}/tensorflow/lite)
if(NOT EXISTS ${MICROLITE_LITE}/micro/kernels/micro_ops.h)
    message(FATAL_ERROR "TFLM_DIR=${TFLM_DIR} holds no TFLM sources")
endif()

# --- engine and TFLM; the same sources and flags as in tflm/engine.mk ---

file(GLOB MICROLITE_TFLM_KERNEL_SOURCES ${MICROLITE_LITE}/micro/kernels/*.cc)
list(FILTER MICROLITE_TFLM_KERNEL_SOURCES EXCLUDE REGEX "_test\\.cc$|/all_ops_resolver\\.cc$|/circular_buffer\\.cc$")
set(MICROLITE_TFLM_SOURCES
    ${MICROLITE_TFLM_KERNEL_SOURCES}
    ${MICROLITE_LITE}/core/api/error_reporter.cc
    ${MICROLITE_LITE}/core/api/flatbuffer_conversions.cc
    ${MICROLITE_LITE}/core/api/tensor_utils.cc
    ${MICROLITE_LITE}/kernels/internal/quantization_util.cc
    ${MICROLITE_LITE}/kernels/kernel_util.cc
    ${MICROLITE_LITE}/micro/micro_utils.cc
    ${MICROLITE_LITE}/c/common.c
)
# TFLM's front end for sound works on tables of ours.
set(MICROLITE_KISSFFT ${MICROLITE_LITE}/micro/tools/make/downloads/kissfft)
set(MICROLITE_FRONT_END ${MICROLITE_LITE}/experimental/microfrontend/lib)
if(MICROLITE_AUDIO)
    set(MICROLITE_KISSFFT_SOURCES ${MICROLITE_KISSFFT}/kiss_fft.c ${MICROLITE_KISSFFT}/tools/kiss_fftr.c)
    set(MICROLITE_FRONT_END_SOURCES
        ${MICROLITE_FRONT_END}/frontend.c
        ${MICROLITE_FRONT_END}/window.c
        ${MICROLITE_FRONT_END}/fft.cc
        ${MICROLITE_FRONT_END}/filterbank.c
        ${MICROLITE_FRONT_END}/noise_reduction.c
        ${MICROLITE_FRONT_END}/pcan_gain_control.c
        ${MICROLITE_FRONT_END}/log_scale.c
        ${MICROLITE_FRONT_END}/log_lut.c
        ${MICROLITE_KISSFFT_SOURCES}
    )
    file(GLOB MICROLITE_AUDIO_SOURCES ${MICROLITE_DIR}/audio/*.c)
endif()
file(GLOB MICROLITE_ENGINE_SOURCES ${MICROLITE_DIR}/tflm/*.cc)
file(GLOB MICROLITE_KERNEL_SOURCES ${MICROLITE_DIR}/kernels/*.c)
set(MICROLITE_OPS_TABLES ${MICROLITE_DIR}/tflm/ops.def)
if(MICROLITE_OPS_EXTRA)
    file(GLOB MICROLITE_EXTRA_SOURCES ${MICROLITE_OPS_EXTRA}/*.cc)
    list(APPEND MICROLITE_KERNEL_SOURCES ${MICROLITE_EXTRA_SOURCES})
    list(APPEND MICROLITE_OPS_TABLES ${MICROLITE_OPS_EXTRA}/ops.def)
endif()

set(MICROLITE_OPS_FILE ${CMAKE_CURRENT_BINARY_DIR}/microlite_ops.inc)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
separate_arguments(MICROLITE_OP_ARGUMENTS UNIX_COMMAND "${MICROLITE_OPS}")
if(MICROLITE_WITHOUT STREQUAL auto)
    execute_process(
        COMMAND ${Python3_EXECUTABLE} ${MICROLITE_DIR}/tflm/select_ops.py ${MICROLITE_OPS_TABLES} -auto
            ${MICROLITE_OP_ARGUMENTS}
        OUTPUT_VARIABLE MICROLITE_WITHOUT
        OUTPUT_STRIP_TRAILING_WHITESPACE
    )
endif()
separate_arguments(MICROLITE_WITHOUT UNIX_COMMAND "${MICROLITE_WITHOUT}")
set(MICROLITE_WITHOUT_ARGUMENTS ${MICROLITE_WITHOUT})
list(TRANSFORM MICROLITE_WITHOUT_ARGUMENTS PREPEND "-")
list(TRANSFORM MICROLITE_WITHOUT PREPEND "MICROLITE_WITHOUT_")
execute_process(
    COMMAND ${Python3_EXECUTABLE} ${MICROLITE_DIR}/tflm/select_ops.py ${MICROLITE_OPS_TABLES}
        ${MICROLITE_WITHOUT_ARGUMENTS} ${MICROLITE_OP_ARGUMENTS}
    OUTPUT_FILE ${MICROLITE_OPS_FILE}.new
    RESULT_VARIABLE MICROLITE_RESULT
)
if(NOT MICROLITE_RESULT EQUAL 0)
    message(FATAL_ERROR "MICROLITE_OPS=${MICROLITE_OPS} cannot be linked")
endif()
configure_file(${MICROLITE_OPS_FILE}.new ${MICROLITE_OPS_FILE} COPYONLY)

# Of two kernels for an operator the first one wins.
set(MICROLITE_OUR_SOURCES ${MICROLITE_ENGINE_SOURCES} ${MICROLITE_DIR}/plan.c ${MICROLITE_KERNEL_SOURCES}
    ${MICROLITE_AUDIO_SOURCES} ${MICROLITE_FRONT_END_SOURCES})
if(MICROLITE_KERNELS STREQUAL reference)
    add_library(microlite_engine STATIC ${MICROLITE_TFLM_SOURCES} ${MICROLITE_OUR_SOURCES})
else()
    add_library(microlite_engine STATIC ${MICROLITE_OUR_SOURCES} ${MICROLITE_TFLM_SOURCES})
endif()
target_include_directories(microlite_engine SYSTEM PRIVATE
    ${MICROLITE_DIR}/tflm
    ${TFLM_DIR}
    ${MICROLITE_LITE}/micro/tools/make/downloads/gemmlowp
    ${MICROLITE_LITE}/micro/tools/make/downloads/flatbuffers/include
    ${MICROLITE_LITE}/micro/tools/make/downloads/ruy
    ${MICROLITE_KISSFFT}
)
target_compile_definitions(microlite_engine PRIVATE
    NDEBUG
    TF_LITE_STATIC_MEMORY
    TF_LITE_MCU_DEBUG_LOG
    GEMMLOWP_ALLOW_SLOW_SCALAR_FALLBACK
    MICROLITE_OPS_FILE="${MICROLITE_OPS_FILE}"
    ${MICROLITE_WITHOUT}
    $<$<BOOL:${MICROLITE_KERNELS}>:MICROLITE_KERNELS_${MICROLITE_KERNELS}>
)
target_compile_options(microlite_engine PRIVATE
    -Os -ffunction-sections -fdata-sections -ffp-contract=off
    -fno-exceptions -fno-unwind-tables -fno-asynchronous-unwind-tables
    $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>
    $<$<COMPILE_LANGUAGE:CXX>:-fno-threadsafe-statics>
    $<$<COMPILE_LANGUAGE:CXX>:-fno-use-cxa-atexit>
)
set_target_properties(microlite_engine PROPERTIES CXX_STANDARD 11 CXX_STANDARD_REQUIRED ON)
set_property(SOURCE ${MICROLITE_TFLM_SOURCES} APPEND PROPERTY COMPILE_OPTIONS -w -fwrapv)
set_property(SOURCE ${MICROLITE_TFLM_KERNEL_SOURCES} APPEND PROPERTY COMPILE_OPTIONS -O2)
set_property(SOURCE ${MICROLITE_KERNEL_SOURCES} APPEND PROPERTY COMPILE_OPTIONS -O2 -fwrapv)
if(MICROLITE_AUDIO)
    set_property(SOURCE ${MICROLITE_AUDIO_SOURCES} APPEND PROPERTY COMPILE_OPTIONS -O2)
    set_property(SOURCE ${MICROLITE_FRONT_END_SOURCES} APPEND PROPERTY COMPILE_OPTIONS -w -O2 -fwrapv -fno-strict-aliasing)
    set_property(SOURCE ${MICROLITE_KISSFFT_SOURCES} APPEND PROPERTY COMPILE_OPTIONS -include${MICROLITE_DIR}/audio/kissfft.h)
endif()
set_property(SOURCE ${MICROLITE_TFLM_SOURCES} APPEND PROPERTY COMPILE_OPTIONS
    $<$<COMPILE_LANGUAGE:CXX>:-include${MICROLITE_DIR}/tflm/abort.h>)

# --- the C module ---

file(GLOB MICROLITE_MODULE_SOURCES ${MICROLITE_DIR}/*.c)
list(REMOVE_ITEM MICROLITE_MODULE_SOURCES ${MICROLITE_DIR}/plan.c)
if(ESP_PLATFORM)
    list(REMOVE_ITEM MICROLITE_MODULE_SOURCES ${MICROLITE_DIR}/libm_shim.c)
endif()
set_property(SOURCE ${MICROLITE_MODULE_SOURCES} APPEND PROPERTY COMPILE_OPTIONS -ffp-contract=off)
set_property(SOURCE ${MICROLITE_DIR}/libm_shim.c APPEND PROPERTY COMPILE_OPTIONS -fno-builtin)

add_library(usermod_microlite INTERFACE)
target_sources(usermod_microlite INTERFACE ${MICROLITE_MODULE_SOURCES})
target_compile_definitions(usermod_microlite INTERFACE MICROLITE_AUDIO=${MICROLITE_AUDIO})
target_link_libraries(usermod_microlite INTERFACE microlite_engine)
target_link_libraries(usermod INTERFACE usermod_microlite)
