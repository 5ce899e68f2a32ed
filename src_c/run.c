// Running a model: in one go, in slices for asyncio, and with the time of each operator taken.
//
// All three run one operator after the other. Between two, what waits gets its turn: scheduled
// functions, Ctrl-C and on_op. What these raise is kept until the engine has returned, then
// the run is given up and the model is as good as before.

#include <string.h>

#include "py/mphal.h"
#include "py/runtime.h"
#include "microlite.h"

#if MICROPY_PY_TIME
#define now_us() ((uint32_t)mp_hal_ticks_us())
#else
#define now_us() (0)
#endif

#define NO_LIMIT (UINT32_MAX)

// A run in slices. It is its model's until it ends or is given up.
typedef struct _slices_obj_t {
    mp_obj_base_t base;
    model_obj_t *model;
    uint32_t slice_us;
    uint32_t spent_us;
} slices_obj_t;

// A call that runs operators.
typedef struct _run_t {
    model_obj_t *model;
    interrupts_t interrupts;
    uint32_t slice_us;          // end after the operator that exceeds this; NO_LIMIT for all of them
    uint32_t spent_us;
    float *times;               // where microseconds are added for each operator, or NULL
    float cycles_per_us;        // not 0
    engine_status_t status;
    mp_obj_t raised;            // between two operators, or MP_OBJ_NULL
} run_t;

// --- Between two operators ---

// Where threads share a lock, others may always wait for it.
static bool something_waits(const model_obj_t *model) {
    bool waits = MICROPY_PY_THREAD_GIL || model->on_op != mp_const_none || interrupts_pending()
        || MP_STATE_THREAD(mp_pending_exception) != MP_OBJ_NULL;
    #if MICROPY_ENABLE_SCHEDULER
    waits |= MP_STATE_VM(sched_state) == MP_SCHED_PENDING;
    #endif
    return waits;
}

// Returns whether the run goes on.
static bool let_others_run(run_t *self) {
    if (!something_waits(self->model)) {
        return true;
    }
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) {
        interrupts_release(&self->interrupts);
        MP_THREAD_GIL_EXIT();
        MP_THREAD_GIL_ENTER();
        mp_handle_pending(true);
        if (self->model->on_op != mp_const_none) {
            mp_call_function_0(self->model->on_op);
        }
        microlite_check(self->model);   // a buffer may have been resized
        interrupts_hold(&self->interrupts);
        nlr_pop();
        return true;
    }
    interrupts_hold(&self->interrupts);
    self->raised = MP_OBJ_FROM_PTR(nlr.ret_val);
    return false;
}

// --- The loop ---

// An input that must be written again, or NULL.
static tensor_obj_t *find_stale_input(const model_obj_t *model) {
    mp_obj_tuple_t *inputs = MP_OBJ_TO_PTR(model->inputs);
    for (size_t i = 0; i < inputs->len; ++i) {
        tensor_obj_t *input = MP_OBJ_TO_PTR(inputs->items[i]);
        if (input->is_stale) {
            return input;
        }
    }
    return NULL;
}

// Takes the model and starts a run, for which all inputs must have been written, unless only its
// times are wanted.
static void begin(run_t *self) {
    model_obj_t *model = self->model;
    microlite_take(model, MP_OBJ_NULL, &self->interrupts);
    tensor_obj_t *stale = find_stale_input(model);
    if (stale != NULL && self->times == NULL) {
        microlite_release(model, &self->interrupts);
        microlite_raise_tensor(&mp_type_RuntimeError, stale,
            "must be written again before each invoke(), its memory was reused");
    }
    mp_obj_tuple_t *inputs = MP_OBJ_TO_PTR(model->inputs);
    for (size_t i = 0; i < inputs->len; ++i) {
        tensor_obj_t *input = MP_OBJ_TO_PTR(inputs->items[i]);
        input->is_stale = input->info.overwritten && !input->is_viewed;
    }
    model->has_run = true;
    model->has_results = false;
    engine_begin(microlite_engine(model));
}

static engine_status_t step_timed(const run_t *self, engine_t *engine) {
    float *time = &self->times[engine_next_op(engine)];
    uint64_t start = microlite_cycles();
    engine_status_t status = engine_step(engine);
    *time += (float)(microlite_cycles() - start) / self->cycles_per_us;
    return status;
}

// Runs operators until the last one, until the slice is over, or until something raises.
static void run_slice(run_t *self) {
    engine_t *engine = microlite_engine(self->model);
    uint32_t start = now_us();
    self->raised = MP_OBJ_NULL;
    do {
        self->status = self->times == NULL ? engine_step(engine) : step_timed(self, engine);
    } while (self->status == ENGINE_MORE && let_others_run(self)
        && (self->slice_us == NO_LIMIT || now_us() - start < self->slice_us));
    self->spent_us += now_us() - start;
}

// Releases the model after a slice, and raises what ended the run before its time.
static void leave(run_t *self) {
    model_obj_t *model = self->model;
    tensor_obj_t *not_carried = NULL;
    if (self->status == ENGINE_OK) {
        model->has_results = true;
        if (self->times == NULL) {
            model->last_us = self->spent_us;
            not_carried = microlite_carry_state(model);
        }
    }
    microlite_release(model, &self->interrupts);
    if (not_carried != NULL) {
        microlite_raise_tensor(&mp_type_ValueError, not_carried, "NaN or infinity cannot be carried into an input of integers");
    }
    if (self->raised != MP_OBJ_NULL) {
        bool is_slice = self->slice_us != NO_LIMIT;
        if (is_slice && mp_obj_exception_match(self->raised, MP_OBJ_FROM_PTR(&mp_type_StopIteration))) {
            // The iterator would end with it as if the run had.
            mp_raise_msg(&mp_type_RuntimeError, MP_ERROR_TEXT("StopIteration between operators"));
        }
        nlr_raise(self->raised);
    } else if (self->status < ENGINE_OK) {
        microlite_raise(self->status, microlite_engine(model), model->name);
    }
}

void microlite_run(model_obj_t *self) {
    run_t run = { .model = self, .slice_us = NO_LIMIT };
    begin(&run);
    run_slice(&run);
    leave(&run);
}

static mp_obj_t model_invoke(mp_obj_t self_in) {
    microlite_run(MP_OBJ_TO_PTR(self_in));
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_1(microlite_invoke_obj, model_invoke);

// --- In slices ---

static const mp_obj_type_t slices_type;

// An iterator, each step of which runs operators for so many milliseconds.
static mp_obj_t model_slices(mp_obj_t self_in, mp_obj_t slice_ms_in) {
    mp_int_t slice_ms = mp_obj_get_int(slice_ms_in);
    if (slice_ms < 0) {
        mp_raise_ValueError(MP_ERROR_TEXT("slice_ms must not be negative"));
    }
    slices_obj_t *slices = mp_obj_malloc(slices_obj_t, &slices_type);
    slices->model = MP_OBJ_TO_PTR(self_in);
    slices->slice_us = (uint32_t)MIN(slice_ms, 1000000) * 1000;
    slices->spent_us = 0;
    run_t run = { .model = slices->model };
    begin(&run);
    slices->model->slices = MP_OBJ_FROM_PTR(slices);
    microlite_release(slices->model, &run.interrupts);
    return MP_OBJ_FROM_PTR(slices);
}
MP_DEFINE_CONST_FUN_OBJ_2(microlite_slices_obj, model_slices);

static mp_obj_t slices_iternext(mp_obj_t self_in) {
    slices_obj_t *self = MP_OBJ_TO_PTR(self_in);
    model_obj_t *model = self->model;
    run_t run = { .model = model, .slice_us = self->slice_us, .spent_us = self->spent_us };
    microlite_take(model, self_in, &run.interrupts);
    run_slice(&run);
    self->spent_us = run.spent_us;
    bool suspended = run.status == ENGINE_MORE && run.raised == MP_OBJ_NULL;
    if (!suspended) {
        model->slices = MP_OBJ_NULL;
    }
    leave(&run);
    return suspended ? mp_const_none : MP_OBJ_STOP_ITERATION;
}

// Gives the run up, if it has not ended.
static mp_obj_t slices_close(mp_obj_t self_in) {
    model_obj_t *model = ((slices_obj_t *)MP_OBJ_TO_PTR(self_in))->model;
    if (model->slices == self_in) {
        interrupts_t saved;
        if (!microlite_try_take(model, &saved)) {
            microlite_raise_busy();
        }
        model->slices = MP_OBJ_NULL;
        microlite_release(model, &saved);
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(slices_close_obj, slices_close);

static const mp_rom_map_elem_t slices_locals_dict_table[] = {
    { MP_ROM_QSTR(MP_QSTR_close), MP_ROM_PTR(&slices_close_obj) },
};
static MP_DEFINE_CONST_DICT(slices_locals_dict, slices_locals_dict_table);

static MP_DEFINE_CONST_OBJ_TYPE(
    slices_type,
    MP_QSTR_slices,
    MP_TYPE_FLAG_ITER_IS_ITERNEXT,
    iter, slices_iternext,
    locals_dict, &slices_locals_dict
    );

// --- With times ---

// Copies the inputs that a run overwrites into a block, or back, and whether they were stale. Returns
// the size of that.
static size_t copy_inputs(const model_obj_t *model, byte *block, bool back) {
    size_t size = 0;
    mp_obj_tuple_t *inputs = MP_OBJ_TO_PTR(model->inputs);
    for (size_t i = 0; i < inputs->len; ++i) {
        tensor_obj_t *input = MP_OBJ_TO_PTR(inputs->items[i]);
        if (!input->info.overwritten) {
            continue;
        } else if (back) {
            input->is_stale = block[size];
            memcpy(input->info.data, block + size + 1, input->info.nbytes);
        } else if (block != NULL) {
            block[size] = input->is_stale;
            memcpy(block + size + 1, input->info.data, input->info.nbytes);
        }
        size += 1 + input->info.nbytes;
    }
    return size;
}

// An array with the microseconds of each operator in so many runs together. The inputs are
// afterwards as they were before, those of the state too. Of stale inputs there are no results.
static mp_obj_t model_profile(mp_obj_t self_in, mp_obj_t runs_in) {
    model_obj_t *model = MP_OBJ_TO_PTR(self_in);
    mp_int_t runs = mp_obj_get_int(runs_in);
    microlite_check(model);
    values_t times, ops = { .n = engine_n_ops(microlite_engine(model)), .code = 'f' };
    mp_obj_t array = values_new_array(&ops, &times);
    memset(times.data, 0, times.n * sizeof(float));
    size_t size = copy_inputs(model, NULL, false);
    byte *inputs = m_new(byte, size);
    run_t run = { .model = model, .slice_us = NO_LIMIT, .times = times.data };
    run.cycles_per_us = microlite_calibrate();
    if (run.cycles_per_us == 0.0f) {
        run.cycles_per_us = 1.0f;       // where no clock advances, no time passes
    }
    while (runs-- > 0) {
        bool is_stale = find_stale_input(model) != NULL;
        copy_inputs(model, inputs, false);
        begin(&run);
        run_slice(&run);
        if (run.status == ENGINE_OK) {
            copy_inputs(model, inputs, true);
        }
        leave(&run);
        model->has_results &= !is_stale;
    }
    m_del(byte, inputs, size);
    return array;
}
MP_DEFINE_CONST_FUN_OBJ_2(microlite_profile_obj, model_profile);
