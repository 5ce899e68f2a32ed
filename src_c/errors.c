// The exceptions. Each keeps its details in args behind the message, and its attributes name
// them. An exception belongs to the heap as any other; when that cannot hold it, allocating it
// raises a plain MemoryError.

#include <string.h>

#include "py/gc.h"
#include "py/objexcept.h"
#include "py/objlist.h"
#include "py/objstr.h"
#include "py/objtuple.h"
#include "py/runtime.h"
#include "microlite.h"

static const uint16_t arena_fields[] = {
    MP_QSTR_needed, MP_QSTR_given, MP_QSTR_missing, MP_QSTR_stage,
    MP_QSTR_largest_free, MP_QSTR_heap_free, MP_QSTR_log, MP_QSTRnull,
};
static const uint16_t model_fields[] = {
    MP_QSTR_problems, MP_QSTR_log, MP_QSTRnull,
};
static const uint16_t op_fields[] = {
    MP_QSTR_problems, MP_QSTR_log, MP_QSTR_missing_ops, MP_QSTRnull,
};
static const uint16_t invoke_fields[] = {
    MP_QSTR_op_index, MP_QSTR_op, MP_QSTR_log, MP_QSTRnull,
};

static void load_field(mp_obj_t self_in, qstr attr, mp_obj_t *dest, const uint16_t *fields) {
    mp_obj_exception_t *self = MP_OBJ_TO_PTR(self_in);
    for (size_t i = 0; dest[0] == MP_OBJ_NULL && fields[i] != MP_QSTRnull; ++i) {
        if (fields[i] == attr) {
            dest[0] = i + 1 < self->args->len ? self->args->items[i + 1] : mp_const_none;
            return;
        }
    }
    mp_obj_exception_attr(self_in, attr, dest);
}

static void arena_error_attr(mp_obj_t self_in, qstr attr, mp_obj_t *dest) {
    load_field(self_in, attr, dest, arena_fields);
}

static void model_error_attr(mp_obj_t self_in, qstr attr, mp_obj_t *dest) {
    load_field(self_in, attr, dest, model_fields);
}

static void op_error_attr(mp_obj_t self_in, qstr attr, mp_obj_t *dest) {
    load_field(self_in, attr, dest, op_fields);
}

static void invoke_error_attr(mp_obj_t self_in, qstr attr, mp_obj_t *dest) {
    load_field(self_in, attr, dest, invoke_fields);
}

// As an exception whose only argument is the message.
static void error_print(const mp_print_t *print, mp_obj_t self_in, mp_print_kind_t kind) {
    mp_obj_exception_t self = *(mp_obj_exception_t *)MP_OBJ_TO_PTR(self_in);
    struct {
        mp_obj_base_t base;
        size_t len;
        mp_obj_t items[1];
    } message = { { &mp_type_tuple }, 1, { mp_const_none } };
    if (self.args->len > 1) {
        message.items[0] = self.args->items[0];
        self.args = (mp_obj_tuple_t *)&message;
    }
    mp_obj_exception_print(print, MP_OBJ_FROM_PTR(&self), kind);
}

#define DEFINE_ERROR(name, base, attr_fun) \
    MP_DEFINE_CONST_OBJ_TYPE( \
    microlite_type_##name, MP_QSTR_##name, MP_TYPE_FLAG_NONE, \
    make_new, mp_obj_exception_make_new, \
    print, error_print, \
    attr, attr_fun, \
    parent, &base \
    )

DEFINE_ERROR(ArenaError, mp_type_MemoryError, arena_error_attr);
DEFINE_ERROR(ModelError, mp_type_ValueError, model_error_attr);
DEFINE_ERROR(OpError, microlite_type_ModelError, op_error_attr);
DEFINE_ERROR(InvokeError, mp_type_RuntimeError, invoke_error_attr);

// mp_obj_new_exception_args() would make do without args when the heap is full.
static NORETURN void raise_args(const mp_obj_type_t *type, size_t n_args, const mp_obj_t *args) {
    mp_obj_t tuple = mp_obj_new_tuple(n_args, args);
    mp_obj_exception_t *exc = mp_obj_malloc(mp_obj_exception_t, type);
    exc->traceback_data = NULL;
    exc->args = MP_OBJ_TO_PTR(tuple);
    nlr_raise(MP_OBJ_FROM_PTR(exc));
}

static void message_init(vstr_t *message, mp_print_t *print, mp_obj_t name) {
    vstr_init_print(message, 80, print);
    if (name != mp_const_none) {
        mp_obj_print_helper(print, name, PRINT_STR);
        mp_print_str(print, ": ");
    }
}

mp_obj_t microlite_new_str(const char *text) {
    vstr_t vstr;
    vstr_init(&vstr, strlen(text) + 1);
    for (; *text != '\0'; ++text) {
        vstr_add_char(&vstr, *text & 0x80 ? '?' : *text);
    }
    return mp_obj_new_str_from_vstr(&vstr);
}

typedef struct _heap_t {
    size_t total;
    size_t free;
    size_t largest;
} heap_t;

static heap_t heap_figures(void) {
    gc_info_t info;
    gc_info(&info);
    heap_t heap = {info.total, info.free, info.max_free * MICROPY_BYTES_PER_GC_BLOCK};
    #if MICROPY_GC_SPLIT_HEAP_AUTO
    heap.total += info.max_new_split;
    heap.free += info.max_new_split;
    heap.largest = MAX(heap.largest, info.max_new_split);
    #endif
    return heap;
}

static NORETURN void raise_arena_error(vstr_t *message, size_t needed, size_t given, const char *stage, const heap_t *heap, const char *log) {
    mp_obj_t args[] = {
        mp_obj_new_str_from_vstr(message),
        mp_obj_new_int_from_uint(needed),
        mp_obj_new_int_from_uint(given),
        mp_obj_new_int_from_uint(needed > given ? needed - given : 0),
        stage == NULL ? mp_const_none : mp_obj_new_str_from_cstr(stage),
        mp_obj_new_int_from_uint(heap->largest),
        mp_obj_new_int_from_uint(heap->free),
        mp_obj_new_str_from_cstr(log),
    };
    raise_args(&microlite_type_ArenaError, MP_ARRAY_SIZE(args), args);
}

NORETURN void microlite_raise_arena(const engine_error_t *error, size_t given, size_t skip, mp_obj_t name) {
    heap_t heap = heap_figures();
    size_t needed = error->needed + skip;
    const char *bound = error->exact ? "" : "at least ";
    vstr_t message;
    mp_print_t print;
    message_init(&message, &print, name);
    mp_printf(&print, "arena: %s" UINT_FMT " bytes needed, " UINT_FMT " given (%s" UINT_FMT " short)",
        bound, (mp_uint_t)needed, (mp_uint_t)given, bound, (mp_uint_t)(needed - given));
    raise_arena_error(&message, needed, given, error->stage, &heap, error->log);
}

NORETURN void microlite_raise_no_block(size_t size, bool exact, const char *stage, bool copied, mp_obj_t name) {
    heap_t heap = heap_figures();
    vstr_t message;
    mp_print_t print;
    message_init(&message, &print, name);
    mp_printf(&print, "no block of %s" UINT_FMT " bytes for the %s: largest free is " UINT_FMT ", " UINT_FMT " free in all; ",
        exact ? "" : "at least ", (mp_uint_t)size, stage, (mp_uint_t)heap.largest, (mp_uint_t)heap.free);
    if (size <= heap.free) {
        mp_print_str(&print, "load the model earlier");
    } else if (size < heap.total) {
        mp_print_str(&print, "free memory first");
    } else {
        mp_printf(&print, "the whole heap has " UINT_FMT, (mp_uint_t)heap.total);
    }
    bool helps = size < heap.total || strcmp(stage, "model") == 0;
    if (size > heap.free && copied && helps) {
        mp_print_str(&print, "; in a ROMFS the model needs no memory");
    }
    raise_arena_error(&message, size, heap.largest, stage, &heap, "");
}

static void print_log(const mp_print_t *print, const char *log) {
    if (log[0] != '\0') {
        mp_printf(print, ": %s", log);
    }
}

static mp_obj_t new_tuple(mp_obj_t list_in) {
    mp_obj_list_t *list = MP_OBJ_TO_PTR(list_in);
    return mp_obj_new_tuple(list->len, list->items);
}

NORETURN void microlite_raise_model(mp_obj_t problems_in, const char *log, mp_obj_t name) {
    mp_obj_list_t *problems = MP_OBJ_TO_PTR(problems_in);
    vstr_t message;
    mp_print_t print;
    message_init(&message, &print, name);
    mp_obj_print_helper(&print, problems->items[0], PRINT_STR);
    print_log(&print, log);
    if (problems->len > 1) {
        mp_printf(&print, " (and " UINT_FMT " more)", (mp_uint_t)problems->len - 1);
    }
    mp_obj_t args[] = {
        mp_obj_new_str_from_vstr(&message),
        new_tuple(problems_in),
        mp_obj_new_str_from_cstr(log),
    };
    raise_args(&microlite_type_ModelError, MP_ARRAY_SIZE(args), args);
}

NORETURN void microlite_raise_ops(mp_obj_t ops_in, mp_obj_t problems_in, const char *log, mp_obj_t name) {
    mp_obj_list_t *ops = MP_OBJ_TO_PTR(ops_in);
    vstr_t message;
    mp_print_t print;
    message_init(&message, &print, name);
    size_t start = message.len;
    bool is_flex = false;
    mp_print_str(&print, "operators missing in this firmware: ");
    for (size_t i = 0; i < ops->len; ++i) {
        mp_print_str(&print, i == 0 ? "" : ", ");
        mp_obj_print_helper(&print, ops->items[i], PRINT_STR);
        is_flex |= strncmp(mp_obj_str_get_str(ops->items[i]), "Flex", 4) == 0;
    }
    if (is_flex) {
        mp_print_str(&print, "; Flex operators are TensorFlow's: convert without SELECT_TF_OPS");
    }
    mp_obj_list_append(problems_in, mp_obj_new_str(message.buf + start, message.len - start));
    mp_obj_t args[] = {
        mp_obj_new_str_from_vstr(&message),
        new_tuple(problems_in),
        mp_obj_new_str_from_cstr(log),
        new_tuple(ops_in),
    };
    raise_args(&microlite_type_OpError, MP_ARRAY_SIZE(args), args);
}

static NORETURN void raise_invoke_error(const engine_error_t *error, mp_obj_t name) {
    vstr_t message;
    mp_print_t print;
    message_init(&message, &print, name);
    mp_printf(&print, "operator %d (%s) failed", (int)error->op_index, error->op == NULL ? "?" : error->op);
    print_log(&print, error->log);
    mp_obj_t args[] = {
        mp_obj_new_str_from_vstr(&message),
        mp_obj_new_int(error->op_index),
        error->op == NULL ? mp_const_none : mp_obj_new_str_from_cstr(error->op),
        mp_obj_new_str_from_cstr(error->log),
    };
    raise_args(&microlite_type_InvokeError, MP_ARRAY_SIZE(args), args);
}

NORETURN void microlite_raise(engine_status_t status, const engine_t *engine, mp_obj_t name) {
    const engine_error_t *error = engine_error(engine);
    switch (status) {
        case ENGINE_ERR_ARENA:
            microlite_raise_arena(error, error->given, 0, name);
        case ENGINE_ERR_MODEL: {
            mp_obj_t problem = microlite_new_str(error->problem);
            microlite_raise_model(mp_obj_new_list(1, &problem), error->log, name);
        }
        case ENGINE_ERR_INVOKE:
            raise_invoke_error(error, name);
        default:
            mp_raise_msg(&mp_type_RuntimeError, MP_ERROR_TEXT("model is not in a state for this call"));
    }
}
