// The methods of Tensor that write numbers: real values from Python objects, buffers and other
// tensors, and the tensor's own representation.
//
// All values are checked before the first is stored, so that a call that fails changes nothing.

#include <string.h>

#include "py/runtime.h"
#include "microlite.h"

// What write() is given, made into rows of numbers.
typedef struct _job_t {
    tensor_obj_t *self;
    tensor_obj_t *from;         // the tensor that src belongs to, or NULL
    values_t dst;
    values_t src;
    scaling_t scaling;
    float mul, add;
    uint64_t number;
    size_t saturated;           // ints that were beyond int64 when they were collected
    size_t block_size;          // of what src was collected into
    bool exact;                 // ints stay ints
} job_t;

// --- What is no buffer ---

static bool is_in_place(mp_obj_t object) {
    mp_buffer_info_t info;
    return object == MP_OBJ_NULL || microlite_is_number(object) || mp_get_buffer(object, &info, MP_BUFFER_READ);
}

// As many factors as the last dimension has.
static size_t n_factors(const job_t *job) {
    const engine_tensor_t *info = &job->self->info;
    return info->rank == 0 ? 1 : (size_t)info->shape[info->rank - 1];
}

static void collect_factors(const job_t *job, const char *what, mp_obj_t factors, values_t *row) {
    if (!is_in_place(factors)) {
        size_t saturated;
        *row = microlite_collect(job->self, what, n_factors(job), false, factors, &saturated);
    }
}

static void collect_values(job_t *job, mp_obj_t values) {
    if (!is_in_place(values) && !mp_obj_is_type(values, &microlite_type_Tensor)) {
        job->src = microlite_collect(job->self, "", job->dst.n, job->exact, values, &job->saturated);
        job->block_size = job->dst.n * values_item_size(job->exact ? 'q' : 'f');
    }
}

// --- What is there already ---

static void get_factors(const job_t *job, const char *what, mp_obj_t factors, float *number, values_t *row) {
    mp_buffer_info_t info;
    if (row->data != NULL) {
        return;
    } else if (factors == MP_OBJ_NULL || microlite_is_number(factors)) {
        *number = factors == MP_OBJ_NULL ? *number : microlite_real(job->self, what, 0, factors);
        *row = (values_t) { .data = number, .n = 1, .code = 'f' };
        return;
    } else if (mp_obj_is_str(factors) || !mp_get_buffer(factors, &info, MP_BUFFER_READ)
               || !values_from_buffer(row, &info) || row->code == 'B') {
        microlite_raise_no_numbers(job->self, what, factors);
    } else if (values_overlap(row, &job->dst)) {
        microlite_raise_tensor(&mp_type_ValueError, job->self, "%soverlaps the tensor", what);
    }
    microlite_check_length(job->self, what, n_factors(job), row->n);
}

// Whether bytes are pixels, raw numbers or values is only told when they are scaled.
static void from_buffer(job_t *job, mp_obj_t values, bool scaled) {
    mp_buffer_info_t info;
    mp_get_buffer_raise(values, &info, MP_BUFFER_READ);
    if (mp_obj_is_str(values)) {
        microlite_raise_no_numbers(job->self, "", values);
    } else if (!values_from_buffer(&job->src, &info)) {
        microlite_raise_tensor(&mp_type_TypeError, job->self, "%s without numbers", mp_obj_get_type_str(values));
    } else if (job->src.code == 'B' && !scaled) {
        microlite_raise_tensor(&mp_type_TypeError, job->self, "bytes need mul= or add= to be real values; "
            "write_image() takes frames, write_raw() the tensor's own representation");
    }
    bool in_place = job->src.data == job->dst.data && values_item_size(job->src.code) == values_item_size(job->dst.code);
    if (!in_place && values_overlap(&job->src, &job->dst)) {
        microlite_raise_tensor(&mp_type_ValueError, job->self, "the values overlap the tensor");
    }
}

static void get_values(job_t *job, mp_obj_t values, bool scaled) {
    if (job->src.data != NULL) {
        return;
    } else if (mp_obj_is_type(values, &microlite_type_Tensor)) {
        job->from = MP_OBJ_TO_PTR(values);
        microlite_check_readable(job->from);
        job->src = microlite_values(job->from);
    } else if (microlite_is_number(values)) {
        job->src = microlite_number(job->self, job->exact, values, &job->number, &job->saturated);
    } else {
        from_buffer(job, values, scaled);
    }
    microlite_check_length(job->self, "", job->dst.n, job->src.n);
}

// --- Writing ---

// The tensor that values come from may be another model's, which is then taken too. False when
// that is not possible. Between this and leave() nothing may raise.
static bool enter(const job_t *job, interrupts_t *saved) {
    model_obj_t *model = job->self->model;
    microlite_take(model, MP_OBJ_NULL, &saved[0]);
    if (job->from == NULL || job->from->model == model || microlite_try_take_to_read(job->from, &saved[1])) {
        return true;
    }
    microlite_release(model, &saved[0]);
    return false;
}

static void leave(const job_t *job, const interrupts_t *saved) {
    if (job->from != NULL && job->from->model != job->self->model) {
        microlite_release(job->from->model, &saved[1]);
    }
    microlite_release(job->self->model, &saved[0]);
}

// Whether v * mul + add is v for all values.
static bool is_plain(const job_t *job) {
    return job->scaling.mul.data == &job->mul && job->mul == 1.0f
           && job->scaling.add.data == &job->add && job->add == 0.0f;
}

// Returns the number of values that were out of range.
static size_t store(job_t *job) {
    const scaling_t *scaling = is_plain(job) ? NULL : &job->scaling;
    size_t saturated = 0;
    interrupts_t saved[2];
    if (!enter(job, saved)) {
        microlite_raise_busy();
    }
    size_t infinite = values_find_infinite(&job->src, scaling);
    if (infinite == job->src.n) {
        saturated = values_convert(&job->dst, &job->src, scaling);
        job->self->is_stale = false;
    }
    leave(job, saved);
    if (infinite != job->src.n) {
        microlite_raise_tensor(&mp_type_ValueError, job->self, "value " UINT_FMT "%s is NaN or infinite",
            (mp_uint_t)infinite, scaling == NULL ? "" : " * mul + add");
    }
    return job->dst.code == 'q' ? saturated + job->saturated : saturated;
}

static mp_obj_t tensor_write(size_t n_args, const mp_obj_t *pos_args, mp_map_t *kw_args) {
    enum { ARG_values, ARG_mul, ARG_add };
    static const mp_arg_t allowed_args[] = {
        { MP_QSTR_values, MP_ARG_REQUIRED | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL} },
        { MP_QSTR_mul, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL} },
        { MP_QSTR_add, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL} },
    };
    mp_arg_val_t args[MP_ARRAY_SIZE(allowed_args)];
    mp_arg_parse_all(n_args - 1, pos_args + 1, kw_args, MP_ARRAY_SIZE(allowed_args), allowed_args, args);
    bool scaled = args[ARG_mul].u_obj != MP_OBJ_NULL || args[ARG_add].u_obj != MP_OBJ_NULL;

    job_t job = { .self = MP_OBJ_TO_PTR(pos_args[0]), .mul = 1.0f, .add = 0.0f };
    microlite_check_writable(job.self);
    job.dst = microlite_values(job.self);
    job.exact = !scaled && job.dst.scales == NULL && job.dst.code != 'f';

    // Python code may run while numbers are collected, and resize buffers.
    collect_values(&job, args[ARG_values].u_obj);
    collect_factors(&job, "mul: ", args[ARG_mul].u_obj, &job.scaling.mul);
    collect_factors(&job, "add: ", args[ARG_add].u_obj, &job.scaling.add);
    get_values(&job, args[ARG_values].u_obj, scaled);
    get_factors(&job, "mul: ", args[ARG_mul].u_obj, &job.mul, &job.scaling.mul);
    get_factors(&job, "add: ", args[ARG_add].u_obj, &job.add, &job.scaling.add);

    size_t saturated = store(&job);
    if (job.block_size != 0) {
        m_del(byte, job.src.data, job.block_size);
    }
    return MP_OBJ_NEW_SMALL_INT(saturated);
}
MP_DEFINE_CONST_FUN_OBJ_KW(microlite_write_obj, 1, tensor_write);

static mp_obj_t tensor_write_raw(mp_obj_t self_in, mp_obj_t buffer) {
    tensor_obj_t *self = MP_OBJ_TO_PTR(self_in);
    microlite_check_writable(self);
    const dtype_t *dtype = microlite_dtype(self);
    mp_buffer_info_t info;
    values_t raw;
    if (mp_obj_is_str(buffer) || !mp_get_buffer(buffer, &info, MP_BUFFER_READ)
        || !values_from_buffer(&raw, &info) || (raw.code != 'B' && raw.code != dtype->view)) {
        microlite_raise_tensor(&mp_type_TypeError, self, "bytes or array('%c') needed", dtype->view);
    }
    if (info.len != self->info.nbytes) {
        microlite_raise_tensor(&mp_type_ValueError, self, UINT_FMT " byte%s needed, " UINT_FMT " given",
            (mp_uint_t)self->info.nbytes, self->info.nbytes == 1 ? "" : "s", (mp_uint_t)info.len);
    }
    for (size_t i = 0; dtype->code == '?' && i < info.len; ++i) {
        if (((const byte *)info.buf)[i] > 1) {
            microlite_raise_tensor(&mp_type_ValueError, self, "bools are bytes 0 and 1");
        }
    }
    interrupts_t saved;
    microlite_take(self->model, MP_OBJ_NULL, &saved);
    memmove(self->info.data, info.buf, info.len);
    self->is_stale = false;
    microlite_release(self->model, &saved);
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_2(microlite_write_raw_obj, tensor_write_raw);
