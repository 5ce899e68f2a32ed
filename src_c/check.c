// What is wrong with a model, all of it at once: for ModelError and OpError, and for check(),
// which also tells what the model is.

#include "py/objlist.h"
#include "py/objtuple.h"
#include "py/runtime.h"
#include "microlite.h"

typedef struct _findings_t {
    mp_obj_t problems;      // list of str
    mp_obj_t ops;           // list of the names of missing operators
    mp_obj_t raised;        // by adding to the lists
} findings_t;

// The engine must not be left by a raise.
static void add_problem(void *context, const char *problem) {
    findings_t *self = context;
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) {
        mp_obj_list_append(self->problems, microlite_new_str(problem));
        nlr_pop();
    } else {
        self->raised = MP_OBJ_FROM_PTR(nlr.ret_val);
    }
}

// Checks the model and leaves the engine as engine_open() does.
static void find(findings_t *self, engine_t *engine, const region_t *model) {
    self->problems = mp_obj_new_list(0, NULL);
    self->ops = mp_obj_new_list(0, NULL);
    self->raised = MP_OBJ_NULL;
    engine_check(engine, model->data, model->len, add_problem, self);
    if (self->raised != MP_OBJ_NULL) {
        nlr_raise(self->raised);
    }
    const char *op;
    for (size_t i = 0; (op = engine_missing_op(engine, i)) != NULL; ++i) {
        mp_obj_list_append(self->ops, microlite_new_str(op));
    }
}

void microlite_open(engine_t *engine, const region_t *model, mp_obj_t name) {
    engine_status_t status = engine_open(engine, model->data, model->len);
    if (status == ENGINE_OK) {
        return;
    }
    findings_t found;
    find(&found, engine, model);
    const char *log = engine_error(engine)->log;
    if (status == ENGINE_ERR_OP) {
        microlite_raise_ops(found.ops, found.problems, log, name);
    }
    microlite_raise_model(found.problems, log, name);
}

// --- check() ---

static mp_obj_t new_info(const engine_t *engine, bool is_output, size_t index) {
    static const qstr fields[] = {
        MP_QSTR_name, MP_QSTR_shape, MP_QSTR_dtype, MP_QSTR_scale, MP_QSTR_zero_point,
    };
    tensor_obj_t tensor = { .index = index, .is_output = is_output };
    (is_output ? engine_output : engine_input)(engine, index, &tensor.info);
    mp_obj_t items[MP_ARRAY_SIZE(fields)];
    for (size_t i = 0; i < MP_ARRAY_SIZE(fields); ++i) {
        items[i] = microlite_tensor_attribute(&tensor, fields[i]);
    }
    return mp_obj_new_attrtuple(fields, MP_ARRAY_SIZE(fields), items);
}

static mp_obj_t new_infos(const engine_t *engine, bool outputs) {
    mp_obj_tuple_t *infos = MP_OBJ_TO_PTR(mp_obj_new_tuple(outputs ? engine_n_outputs(engine) : engine_n_inputs(engine), NULL));
    for (size_t i = 0; i < infos->len; ++i) {
        infos->items[i] = new_info(engine, outputs, i);
    }
    return MP_OBJ_FROM_PTR(infos);
}

mp_obj_t microlite_new_ops(const engine_t *engine) {
    mp_obj_tuple_t *ops = MP_OBJ_TO_PTR(mp_obj_new_tuple(engine_n_ops(engine), NULL));
    for (size_t i = 0; i < ops->len; ++i) {
        ops->items[i] = microlite_new_str(engine_op(engine, i));
    }
    return MP_OBJ_FROM_PTR(ops);
}

// The tuple (problems, missing_ops, ops, inputs, outputs). A model with problems cannot be
// described: the last three are empty.
static mp_obj_t check(const mp_obj_t *args) {
    region_t bytes;
    microlite_bytes(&bytes, args[0], false, args[1]);
    uint64_t *block = m_new(uint64_t, (engine_size() + 7) / 8);
    engine_t *engine = (engine_t *)block;
    findings_t found;
    find(&found, engine, &bytes);
    mp_obj_t parts[] = { found.problems, found.ops, mp_const_empty_tuple, mp_const_empty_tuple, mp_const_empty_tuple };
    for (size_t i = 0; i < 2; ++i) {
        mp_obj_list_t *list = MP_OBJ_TO_PTR(parts[i]);
        parts[i] = mp_obj_new_tuple(list->len, list->items);
    }
    if (parts[0] == mp_const_empty_tuple) {
        parts[2] = microlite_new_ops(engine);
        parts[3] = new_infos(engine, false);
        parts[4] = new_infos(engine, true);
    }
    m_del(uint64_t, block, (engine_size() + 7) / 8);
    return mp_obj_new_tuple(MP_ARRAY_SIZE(parts), parts);
}

static mp_obj_t mod_check(mp_obj_t model, mp_obj_t name) {
    mp_obj_t args[] = { model, name };
    return interrupts_held_call(check, args);
}
MP_DEFINE_CONST_FUN_OBJ_2(microlite_check_obj, mod_check);
