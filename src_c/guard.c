// Who may work with a model at a moment: one call at a time, whatever threads, callbacks and
// signals do. A call takes the model, which fails when another one has it, and releases it.

#include "py/cstack.h"
#include "py/mphal.h"
#include "py/runtime.h"
#include "microlite.h"

// What the engine and its kernels may take of the C stack.
#define STACK_NEEDED (3072)

static void check_stack(void) {
    #if MICROPY_STACK_CHECK
    if (mp_cstack_usage() + STACK_NEEDED >= MP_STATE_THREAD(stack_limit)) {
        mp_raise_recursion_depth();
    }
    #endif
}

#if MICROPY_ASYNC_KBD_INTR && !defined(_WIN32)
void interrupts_hold(interrupts_t *saved) {
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGINT);
    sigprocmask(SIG_BLOCK, &mask, saved);
}

void interrupts_release(const interrupts_t *saved) {
    sigprocmask(SIG_SETMASK, saved, NULL);
}

bool interrupts_pending(void) {
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGINT);
}

mp_obj_t interrupts_held_call(mp_obj_t (*function)(const mp_obj_t *args), const mp_obj_t *args) {
    interrupts_t saved;
    nlr_buf_t nlr;
    check_stack();
    interrupts_hold(&saved);
    if (nlr_push(&nlr) == 0) {
        mp_obj_t result = function(args);
        nlr_pop();
        interrupts_release(&saved);
        return result;
    }
    interrupts_release(&saved);
    nlr_jump(nlr.ret_val);
}
#else
void interrupts_hold(interrupts_t *saved) {
    (void)saved;
}

void interrupts_release(const interrupts_t *saved) {
    (void)saved;
}

bool interrupts_pending(void) {
    return false;
}

mp_obj_t interrupts_held_call(mp_obj_t (*function)(const mp_obj_t *args), const mp_obj_t *args) {
    check_stack();
    return function(args);
}
#endif

bool microlite_try_take(model_obj_t *self, interrupts_t *saved) {
    interrupts_hold(saved);
    mp_uint_t atomic_state = MICROPY_BEGIN_ATOMIC_SECTION();
    bool free = !self->taken;
    if (free) {
        self->taken = true;     // only then: the holder releases without the atomic section
    }
    MICROPY_END_ATOMIC_SECTION(atomic_state);
    if (!free) {
        interrupts_release(saved);
    }
    return free;
}

void microlite_release(model_obj_t *self, const interrupts_t *saved) {
    self->taken = false;
    interrupts_release(saved);
}

NORETURN void microlite_raise_busy(void) {
    mp_raise_msg(&mp_type_RuntimeError, MP_ERROR_TEXT("model is busy: its invoke() is running"));
}

// What keeps the model from being looked at; NULL when nothing does. Another thread may close it
// meanwhile, which takes the memory last.
static mp_rom_error_text_t find_loss(const model_obj_t *self) {
    bool model_is_there = region_is_there(&self->model), arena_is_there = region_is_there(&self->arena);
    if (self->live == NULL) {
        return MP_ERROR_TEXT("model is closed");
    } else if (!model_is_there) {
        return MP_ERROR_TEXT("the buffer with the model has moved or changed its size");
    }
    return arena_is_there ? NULL : MP_ERROR_TEXT("the arena's buffer has moved or changed its size");
}

// What keeps a taken model from being worked with, in that run or without one.
static mp_rom_error_text_t find_obstacle(model_obj_t *self, mp_obj_t slices) {
    if (self->slices != slices && self->live != NULL) {
        return slices == MP_OBJ_NULL ? MP_ERROR_TEXT("model is busy: its ainvoke() has not finished; await it or reset()")
            : MP_ERROR_TEXT("the run was given up: model was reset");
    } else if (engine_state(microlite_engine(self)) == ENGINE_BROKEN) {
        return MP_ERROR_TEXT("model failed an assertion; close() it");
    }
    return find_loss(self);
}

void microlite_take(model_obj_t *self, mp_obj_t slices, interrupts_t *saved) {
    check_stack();
    if (!microlite_try_take(self, saved)) {
        microlite_raise_busy();
    }
    mp_rom_error_text_t obstacle = find_obstacle(self, slices);
    if (obstacle != NULL) {
        microlite_release(self, saved);
        mp_raise_msg(&mp_type_RuntimeError, obstacle);
    }
}

bool microlite_is_lost(const model_obj_t *self) {
    return find_loss(self) != NULL;
}

void microlite_check(const model_obj_t *self) {
    mp_rom_error_text_t loss = find_loss(self);
    if (loss != NULL) {
        mp_raise_msg(&mp_type_RuntimeError, loss);
    }
}
