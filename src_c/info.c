// What this firmware was built with.

#include "py/objtuple.h"
#include "py/runtime.h"
#include "microlite.h"

// The names of all operators, sorted as the build has them.
static mp_obj_t microlite_ops(void) {
    size_t n = 0;
    while (engine_builtin_op(n) != NULL) {
        ++n;
    }
    mp_obj_tuple_t *ops = MP_OBJ_TO_PTR(mp_obj_new_tuple(n, NULL));
    for (size_t i = 0; i < n; ++i) {
        ops->items[i] = microlite_new_str(engine_builtin_op(i));
    }
    return MP_OBJ_FROM_PTR(ops);
}
MP_DEFINE_CONST_FUN_OBJ_0(microlite_ops_obj, microlite_ops);

#if MICROLITE_VARIANTS
// The names of the kernels that operators may have besides the default.
static mp_obj_t microlite_variants(void) {
    mp_obj_t names = mp_obj_new_list(0, NULL);
    for (size_t i = 1; engine_variant(i) != NULL; ++i) {
        mp_obj_list_append(names, microlite_new_str(engine_variant(i)));
    }
    return names;
}
MP_DEFINE_CONST_FUN_OBJ_0(microlite_variants_obj, microlite_variants);

// Which of them the operators of a model have: for each a number, whose bit 0 is for the first.
mp_obj_t microlite_new_variants(const engine_t *engine) {
    mp_obj_tuple_t *ops = MP_OBJ_TO_PTR(mp_obj_new_tuple(engine_n_ops(engine), NULL));
    for (size_t i = 0; i < ops->len; ++i) {
        mp_int_t bits = 0;
        for (size_t j = 1; engine_variant(j) != NULL; ++j) {
            bits |= (mp_int_t)engine_has_variant(engine, i, j) << (j - 1);
        }
        ops->items[i] = MP_OBJ_NEW_SMALL_INT(bits);
    }
    return MP_OBJ_FROM_PTR(ops);
}
#endif

// The tuple (library, kernels, abi, alignment, bits of a float).
static mp_obj_t microlite_info(void) {
    mp_obj_t items[] = {
        microlite_new_str(engine_library()),
        microlite_new_str(engine_kernels()),
        mp_obj_new_int_from_uint(engine_abi()),
        MP_OBJ_NEW_SMALL_INT(ENGINE_ALIGN),
        MP_OBJ_NEW_SMALL_INT(8 * sizeof(mp_float_t)),
    };
    return mp_obj_new_tuple(MP_ARRAY_SIZE(items), items);
}
MP_DEFINE_CONST_FUN_OBJ_0(microlite_info_obj, microlite_info);
