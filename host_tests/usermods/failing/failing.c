// The module failing, of a test build: makes allocations of the heap and operators of models fail.
//
//   failing.start(n, once)  the n-th allocation from now on fails, and those after it unless once
//   failing.stop()          none fail any more; returns how many there were since start()
//   failing.operator(n)     operator n of the next run fails
//
// The linker sends all calls of the functions that are wrapped here from other files.

#include <string.h>

#include "py/gc.h"
#include "py/runtime.h"
#include "../../../src_c/engine.h"

// --- Allocations ---

void *__real_gc_alloc(size_t n_bytes, unsigned int alloc_flags);
void *__real_gc_realloc(void *ptr, size_t n_bytes, bool allow_move);
void *__wrap_gc_alloc(size_t n_bytes, unsigned int alloc_flags);
void *__wrap_gc_realloc(void *ptr, size_t n_bytes, bool allow_move);

static size_t allocations;
static size_t first;    // the one that fails; 0 for none
static bool one_only;

static bool fails(void) {
    ++allocations;
    return first != 0 && (one_only ? allocations == first : allocations >= first);
}

void *__wrap_gc_alloc(size_t n_bytes, unsigned int alloc_flags) {
    return fails() ? NULL : __real_gc_alloc(n_bytes, alloc_flags);
}

// Shrinking and freeing always work.
void *__wrap_gc_realloc(void *ptr, size_t n_bytes, bool allow_move) {
    bool grows = n_bytes > (ptr == NULL ? 0 : gc_nbytes(ptr));
    return grows && fails() ? NULL : __real_gc_realloc(ptr, n_bytes, allow_move);
}

static mp_obj_t failing_start(mp_obj_t n, mp_obj_t once) {
    one_only = mp_obj_is_true(once);
    first = mp_obj_get_int(n);
    allocations = 0;
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(failing_start_obj, failing_start);

static mp_obj_t failing_stop(void) {
    first = 0;
    return MP_OBJ_NEW_SMALL_INT(allocations);
}
static MP_DEFINE_CONST_FUN_OBJ_0(failing_stop_obj, failing_stop);

// --- Operators ---

engine_status_t __real_engine_step(engine_t *engine);
engine_status_t __wrap_engine_step(engine_t *engine);

static mp_int_t bad_operator = -1;

engine_status_t __wrap_engine_step(engine_t *engine) {
    if ((mp_int_t)engine_next_op(engine) != bad_operator) {
        return __real_engine_step(engine);
    }
    engine_error_t *error = (engine_error_t *)engine_error(engine);
    error->op_index = bad_operator;
    error->op = engine_op(engine, bad_operator);
    strcpy(error->log, "words of TFLM");
    bad_operator = -1;
    return ENGINE_ERR_INVOKE;
}

static mp_obj_t failing_operator(mp_obj_t n) {
    bad_operator = mp_obj_get_int(n);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(failing_operator_obj, failing_operator);

static const mp_rom_map_elem_t failing_globals_table[] = {
    { MP_ROM_QSTR(MP_QSTR___name__), MP_ROM_QSTR(MP_QSTR_failing) },
    { MP_ROM_QSTR(MP_QSTR_start), MP_ROM_PTR(&failing_start_obj) },
    { MP_ROM_QSTR(MP_QSTR_stop), MP_ROM_PTR(&failing_stop_obj) },
    { MP_ROM_QSTR(MP_QSTR_operator), MP_ROM_PTR(&failing_operator_obj) },
};
static MP_DEFINE_CONST_DICT(failing_globals, failing_globals_table);

const mp_obj_module_t failing_module = {
    .base = { &mp_type_module },
    .globals = (mp_obj_dict_t *)&failing_globals,
};

MP_REGISTER_MODULE(MP_QSTR_failing, failing_module);
