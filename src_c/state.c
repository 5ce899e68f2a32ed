// The state of recurrent models: outputs that become inputs of the next run.
//
// Inputs of the state have memory of their own. They change when a run has gone to its end, all of
// them or none, so that a run that did not leaves the state as it was.

#include "py/objtuple.h"
#include "py/runtime.h"
#include "microlite.h"

static tensor_obj_t *get(const model_obj_t *self, size_t index) {
    const mp_obj_tuple_t *state = MP_OBJ_TO_PTR(self->state);
    return index < state->len ? MP_OBJ_TO_PTR(state->items[index]) : NULL;
}

bool microlite_is_state(const model_obj_t *self, mp_obj_t tensor) {
    const mp_obj_tuple_t *state = MP_OBJ_TO_PTR(self->state);
    for (size_t i = 0; i < state->len; ++i) {
        if (state->items[i] == tensor) {
            return true;
        }
    }
    return false;
}

// --- What may be carried ---

static void print_shape(const mp_print_t *print, const tensor_obj_t *self) {
    mp_obj_print_helper(print, microlite_tensor_attribute(self, MP_QSTR_shape), PRINT_REPR);
}

static void check_pair(const model_obj_t *self, const tensor_obj_t *output, const tensor_obj_t *input) {
    microlite_values(output);       // raise when they have no real values
    microlite_values(input);
    if (input->info.constant) {
        microlite_raise_tensor(&mp_type_ValueError, input, "a constant cannot be state");
    } else if (microlite_is_state(self, MP_OBJ_FROM_PTR(input))) {
        microlite_raise_tensor(&mp_type_ValueError, input, "only one output can be carried into it");
    } else if (output->info.size != input->info.size) {
        vstr_t shapes;
        mp_print_t print;
        vstr_init_print(&shapes, 40, &print);
        print_shape(&print, output);
        mp_print_str(&print, " does not fit ");
        print_shape(&print, input);
        microlite_raise_tensor(&mp_type_ValueError, output, "shape %s of input %u", vstr_null_terminated_str(&shapes), input->index);
    }
}

void microlite_set_state(model_obj_t *self, mp_obj_t state) {
    if (state == mp_const_none) {
        return;
    } else if (!mp_obj_is_dict_or_ordereddict(state)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("state: dict of outputs and inputs needed, not %s"), mp_obj_get_type_str(state));
    }
    mp_map_t *map = mp_obj_dict_get_map(state);
    for (size_t i = 0; i < map->alloc; ++i) {
        if (mp_map_slot_is_filled(map, i)) {
            mp_obj_t pair[] = { microlite_find(self, true, map->table[i].key), microlite_find(self, false, map->table[i].value) };
            check_pair(self, MP_OBJ_TO_PTR(pair[0]), MP_OBJ_TO_PTR(pair[1]));
            self->state = mp_binary_op(MP_BINARY_OP_ADD, self->state, mp_obj_new_tuple(2, pair));
        }
    }
    if (self->state != mp_const_empty_tuple) {
        engine_keep_inputs(microlite_engine(self));
    }
}

const tensor_obj_t *microlite_find_loop(const model_obj_t *self) {
    const mp_obj_tuple_t *inputs = MP_OBJ_TO_PTR(self->inputs);
    const tensor_obj_t *output;
    for (size_t i = 0; (output = get(self, i)) != NULL; i += 2) {
        for (size_t k = 0; k < inputs->len; ++k) {
            if (((tensor_obj_t *)MP_OBJ_TO_PTR(inputs->items[k]))->info.data == output->info.data) {
                return output;
            }
        }
    }
    return NULL;
}

// --- Carrying ---

void microlite_clear_state(const model_obj_t *self) {
    const tensor_obj_t *input;
    for (size_t i = 1; (input = get(self, i)) != NULL; i += 2) {
        values_t values = microlite_values(input);
        values_clear(&values);
    }
}

tensor_obj_t *microlite_carry_state(const model_obj_t *self) {
    tensor_obj_t *output;
    for (size_t i = 0; (output = get(self, i)) != NULL; i += 2) {
        values_t src = microlite_values(output), dst = microlite_values(get(self, i + 1));
        if (!values_are_alike(&src, &dst) && values_find_infinite(&src, NULL) != src.n) {
            return output;
        }
    }
    for (size_t i = 0; (output = get(self, i)) != NULL; i += 2) {
        values_t src = microlite_values(output), dst = microlite_values(get(self, i + 1));
        values_convert(&dst, &src, NULL);
    }
    return NULL;
}
