// Predicting: real values into the inputs, a run, real values out of the outputs.

#include "py/objtuple.h"
#include "py/runtime.h"
#include "microlite.h"

static bool is_wanted(const model_obj_t *self, mp_obj_t input_in) {
    const tensor_obj_t *input = MP_OBJ_TO_PTR(input_in);
    return !input->info.constant && !microlite_is_state(self, input_in);
}

static NORETURN void raise_text(vstr_t *message) {
    mp_obj_t text = mp_obj_new_str_from_vstr(message);
    nlr_raise(mp_obj_new_exception_args(&mp_type_ValueError, 1, &text));
}

// Prints the names of the inputs that are wanted, or of those that are carried, and have no value yet.
static void print_inputs(const mp_print_t *print, const model_obj_t *self, const char *head, bool carried, const mp_obj_t *values) {
    const mp_obj_tuple_t *inputs = MP_OBJ_TO_PTR(self->inputs);
    for (size_t i = 0; i < inputs->len; ++i) {
        mp_obj_t input = inputs->items[i];
        if ((carried ? microlite_is_state(self, input) : is_wanted(self, input)) && (values == NULL || values[i] == MP_OBJ_NULL)) {
            mp_print_str(print, head);
            microlite_print_name(print, input);
            head = ", ";
        }
    }
}

static NORETURN void raise_missing(const model_obj_t *self, const mp_obj_t *values) {
    vstr_t message;
    mp_print_t print;
    vstr_init_print(&message, 80, &print);
    print_inputs(&print, self, "inputs missing: ", false, values);
    raise_text(&message);
}

static NORETURN void raise_too_many(const model_obj_t *self, size_t given, size_t needed) {
    vstr_t message;
    mp_print_t print;
    vstr_init_print(&message, 80, &print);
    mp_printf(&print, "%u input%s given, %u needed", (uint)given, given == 1 ? "" : "s", (uint)needed);
    print_inputs(&print, self, ": ", false, NULL);
    print_inputs(&print, self, "; carried by state: ", true, NULL);
    raise_text(&message);
}

// Sorts arguments by the index of the input that each is for.
static void sort_arguments(const model_obj_t *self, size_t n_args, const mp_obj_t *args, const mp_map_t *named, mp_obj_t *values) {
    const mp_obj_tuple_t *inputs = MP_OBJ_TO_PTR(self->inputs);
    size_t n = 0;
    for (size_t i = 0; i < inputs->len && n < n_args; ++i) {
        if (is_wanted(self, inputs->items[i])) {
            values[i] = args[n++];
        }
    }
    if (n < n_args) {
        raise_too_many(self, n_args, n);
    }
    for (size_t i = 0; i < named->alloc; ++i) {
        if (mp_map_slot_is_filled(named, i)) {
            const tensor_obj_t *input = MP_OBJ_TO_PTR(microlite_find(self, false, named->table[i].key));
            if (values[input->index] != MP_OBJ_NULL) {
                microlite_raise_tensor(&mp_type_ValueError, input, "given twice");
            }
            values[input->index] = named->table[i].value;
        }
    }
    for (size_t i = 0; i < inputs->len; ++i) {
        if (values[i] == MP_OBJ_NULL && is_wanted(self, inputs->items[i])) {
            raise_missing(self, values);
        }
    }
}

static mp_obj_t call_tensor(mp_obj_t tensor, qstr method, mp_obj_t value) {
    mp_obj_t call[3];
    mp_load_method(tensor, method, call);
    call[2] = value;
    return mp_call_method_n_kw(value == MP_OBJ_NULL ? 0 : 1, 0, call);
}

// args are the model and what is given by position.
static model_obj_t *run(size_t n_args, const mp_obj_t *args, const mp_map_t *named) {
    model_obj_t *self = MP_OBJ_TO_PTR(args[0]);
    const mp_obj_tuple_t *inputs = MP_OBJ_TO_PTR(self->inputs);
    mp_obj_t *values = m_new0(mp_obj_t, inputs->len);
    sort_arguments(self, n_args - 1, args + 1, named, values);
    for (size_t i = 0; i < inputs->len; ++i) {
        if (values[i] != MP_OBJ_NULL) {
            call_tensor(inputs->items[i], MP_QSTR_write, values[i]);
        }
    }
    m_del(mp_obj_t, values, inputs->len);
    microlite_run(self);
    return self;
}

static mp_obj_t find_output(const model_obj_t *self) {
    const mp_obj_tuple_t *outputs = MP_OBJ_TO_PTR(self->outputs);
    mp_obj_t found = MP_OBJ_NULL;
    size_t n = 0;
    for (size_t i = 0; i < outputs->len; ++i) {
        if (outputs->len == 1 || !microlite_is_state(self, outputs->items[i])) {
            found = outputs->items[i];
            ++n;
        }
    }
    if (n != 1) {
        mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("predict() is for one output, this model has %u; use predict_all()"), (uint)n);
    }
    return found;
}

static mp_obj_t model_predict(size_t n_args, const mp_obj_t *args, mp_map_t *named) {
    const model_obj_t *self = MP_OBJ_TO_PTR(args[0]);
    microlite_check(self);
    mp_obj_t output = find_output(self);
    run(n_args, args, named);
    return call_tensor(output, MP_QSTR_read, MP_OBJ_NULL);
}
MP_DEFINE_CONST_FUN_OBJ_KW(microlite_predict_obj, 1, model_predict);

static mp_obj_t model_predict_all(size_t n_args, const mp_obj_t *args, mp_map_t *named) {
    microlite_check(MP_OBJ_TO_PTR(args[0]));
    const model_obj_t *self = run(n_args, args, named);
    const mp_obj_tuple_t *outputs = MP_OBJ_TO_PTR(self->outputs);
    mp_obj_tuple_t *results = MP_OBJ_TO_PTR(mp_obj_new_tuple(outputs->len, NULL));
    for (size_t i = 0; i < results->len; ++i) {
        results->items[i] = call_tensor(outputs->items[i], MP_QSTR_read, MP_OBJ_NULL);
    }
    return MP_OBJ_FROM_PTR(results);
}
MP_DEFINE_CONST_FUN_OBJ_KW(microlite_predict_all_obj, 1, model_predict_all);
