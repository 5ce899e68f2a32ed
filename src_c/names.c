// Inputs and outputs by index or by name.

#include <string.h>

#include "py/objtuple.h"
#include "py/runtime.h"
#include "microlite.h"

// What converters wrap around a name: "serving_default_x:0" is "x".
#define PREFIX ("serving_default_")
#define SUFFIX (":0")

static bool is_same(const char *name, size_t name_len, const char *key, size_t key_len) {
    bool same = name_len == key_len;
    for (size_t i = 0; same && i < key_len; ++i) {
        same = key[i] == (name[i] & 0x80 ? '?' : name[i]);      // as Tensor.name has it
    }
    return same;
}

static bool is_short_name(const char *name, const char *key, size_t key_len) {
    size_t len = strlen(name);
    if (strncmp(name, PREFIX, strlen(PREFIX)) == 0) {
        name += strlen(PREFIX);
        len -= strlen(PREFIX);
    }
    if (len >= strlen(SUFFIX) && strcmp(name + len - strlen(SUFFIX), SUFFIX) == 0) {
        len -= strlen(SUFFIX);
    }
    return is_same(name, len, key, key_len);
}

// The only tensor of that name; MP_OBJ_NULL when there is none or more than one, as n tells.
static mp_obj_t find_name(const mp_obj_tuple_t *tensors, const char *key, size_t key_len, bool in_short, size_t *n) {
    mp_obj_t found = MP_OBJ_NULL;
    *n = 0;
    for (size_t i = 0; i < tensors->len; ++i) {
        const char *name = ((tensor_obj_t *)MP_OBJ_TO_PTR(tensors->items[i]))->info.name;
        if (in_short ? is_short_name(name, key, key_len) : is_same(name, strlen(name), key, key_len)) {
            found = tensors->items[i];
            ++*n;
        }
    }
    return *n == 1 ? found : MP_OBJ_NULL;
}

static mp_obj_t find_str(const mp_obj_tuple_t *tensors, mp_obj_t key, size_t *n) {
    size_t len;
    const char *name = mp_obj_str_get_data(key, &len);
    mp_obj_t found = find_name(tensors, name, len, false, n);
    return *n == 0 ? find_name(tensors, name, len, true, n) : found;
}

void microlite_print_name(const mp_print_t *print, mp_obj_t tensor_in) {
    tensor_obj_t *tensor = MP_OBJ_TO_PTR(tensor_in);
    if (tensor->info.name[0] == '\0') {
        mp_printf(print, "%u", tensor->index);
    } else {
        mp_obj_print_helper(print, microlite_new_str(tensor->info.name), PRINT_STR);
    }
}

// others are the inputs when tensors are the outputs, and the other way round.
static NORETURN void raise_key(const mp_obj_tuple_t *tensors, const mp_obj_tuple_t *others, bool outputs, mp_obj_t key, bool ambiguous) {
    vstr_t message;
    mp_print_t print;
    vstr_init_print(&message, 80, &print);
    mp_printf(&print, "%s ", outputs ? "output" : "input");
    mp_obj_print_helper(&print, key, PRINT_REPR);
    mp_print_str(&print, ambiguous ? " is the name of several of " : " is not one of ");
    for (size_t i = 0; i < tensors->len; ++i) {
        mp_print_str(&print, i == 0 ? "" : ", ");
        microlite_print_name(&print, tensors->items[i]);
    }
    size_t n;
    if (mp_obj_is_str(key) && find_str(others, key, &n) != MP_OBJ_NULL) {
        mp_printf(&print, "; it is an %s", outputs ? "input" : "output");
    }
    mp_obj_t text = mp_obj_new_str_from_vstr(&message);
    nlr_raise(mp_obj_new_exception_args(&mp_type_KeyError, 1, &text));
}

mp_obj_t microlite_find(const model_obj_t *self, bool outputs, mp_obj_t key) {
    const mp_obj_tuple_t *tensors = MP_OBJ_TO_PTR(outputs ? self->outputs : self->inputs);
    size_t n = 0;
    if (mp_obj_is_int(key)) {
        mp_int_t index = mp_obj_is_small_int(key) ? MP_OBJ_SMALL_INT_VALUE(key) : -1 - (mp_int_t)tensors->len;
        index += index < 0 ? (mp_int_t)tensors->len : 0;
        if (index >= 0 && index < (mp_int_t)tensors->len) {
            return tensors->items[index];
        }
    } else if (mp_obj_is_str(key)) {
        mp_obj_t found = find_str(tensors, key, &n);
        if (found != MP_OBJ_NULL) {
            return found;
        }
    } else {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%s: index or name needed, not %s"),
            outputs ? "output" : "input", mp_obj_get_type_str(key));
    }
    raise_key(tensors, MP_OBJ_TO_PTR(outputs ? self->inputs : self->outputs), outputs, key, n > 1);
}

static mp_obj_t find(size_t n_args, const mp_obj_t *args, bool outputs) {
    const model_obj_t *self = MP_OBJ_TO_PTR(args[0]);
    microlite_check(self);
    return microlite_find(self, outputs, n_args == 1 ? MP_OBJ_NEW_SMALL_INT(0) : args[1]);
}

static mp_obj_t model_input(size_t n_args, const mp_obj_t *args) {
    return find(n_args, args, false);
}
MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(microlite_input_obj, 1, 2, model_input);

static mp_obj_t model_output(size_t n_args, const mp_obj_t *args) {
    return find(n_args, args, true);
}
MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(microlite_output_obj, 1, 2, model_output);
