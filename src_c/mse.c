// mse(a, b): how far two rows of numbers are from each other, as an anomaly score of autoencoders.

#include "py/runtime.h"
#include "microlite.h"

// One of the two rows, and the tensor that it belongs to, if any.
typedef struct _side_t {
    tensor_obj_t *tensor;
    values_t values;
} side_t;

static side_t get_side(mp_obj_t in, const char *name) {
    side_t side = { NULL };
    mp_buffer_info_t info;
    if (mp_obj_is_type(in, &microlite_type_Tensor)) {
        side.tensor = MP_OBJ_TO_PTR(in);
        microlite_check_readable(side.tensor);
        side.values = microlite_values(side.tensor);
    } else if (mp_obj_is_str(in) || !mp_get_buffer(in, &info, MP_BUFFER_READ) || !values_from_buffer(&side.values, &info)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%s: tensor or array of numbers needed, not %s"), name, mp_obj_get_type_str(in));
    }
    return side;
}

static bool take(const side_t *side, interrupts_t *saved) {
    return side->tensor == NULL || microlite_try_take_to_read(side->tensor, saved);
}

static void release(const side_t *side, const interrupts_t *saved) {
    if (side->tensor != NULL) {
        microlite_release(side->tensor->model, saved);
    }
}

static mp_obj_t mse(mp_obj_t a_in, mp_obj_t b_in) {
    side_t a = get_side(a_in, "a");
    side_t b = get_side(b_in, "b");
    if (a.values.n != b.values.n || a.values.n == 0) {
        mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("a has " UINT_FMT " values, b has " UINT_FMT),
            (mp_uint_t)a.values.n, (mp_uint_t)b.values.n);
    }
    bool is_shared = a.tensor != NULL && b.tensor != NULL && a.tensor->model == b.tensor->model;
    side_t second = is_shared ? (side_t) { NULL } : b;
    interrupts_t saved[2];
    bool done = false;
    float result = 0.0f;
    if (take(&a, &saved[0])) {
        done = take(&second, &saved[1]);
        if (done) {
            result = values_mse(&a.values, &b.values);
            release(&second, &saved[1]);
        }
        release(&a, &saved[0]);
    }
    if (!done) {
        microlite_raise_busy();
    }
    return mp_obj_new_float_from_f(result);
}
MP_DEFINE_CONST_FUN_OBJ_2(microlite_mse_obj, mse);
