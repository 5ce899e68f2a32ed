// The operators of this build, see resolver.h. MICROLITE_OPS_FILE holds the selected rows of
// ops.def.

#include "check_rows.h"
#include "resolver.h"
#include "text.h"

#include <string.h>

#define MANY OP_MANY
#define NONE OP_NONE
#define ANY OP_ANY

// A row's kernel and rule may stand outside of these sources.
#define OP(name, code, min_inputs, max_inputs, max_outputs, optional_input, options, types, check) \
    bool check_##check(const op_view_t *op); \
    namespace tflite { namespace ops { namespace micro { TfLiteRegistration *Register_##name(); } } }
#include MICROLITE_OPS_FILE
#undef OP

// Most operators have no variants.
#ifdef MICROLITE_VARIANTS
#define DECLARE(variant, name) __attribute__((weak)) TfLiteRegistration *variant##_Register_##name();
#define OP(name, code, min_inputs, max_inputs, max_outputs, optional_input, options, types, check) \
    namespace tflite { namespace ops { namespace micro { OP_VARIANTS(DECLARE, name) } } }
#include MICROLITE_OPS_FILE
#undef OP
#define ADDRESS(variant, name) tflite::ops::micro::variant##_Register_##name,
#define VARIANTS(name) { OP_VARIANTS(ADDRESS, name) },
#else
#define VARIANTS(name)
#endif

static const op_row_t op_table[] = {
    #define OP(name, code, min_inputs, max_inputs, max_outputs, optional_input, options, types, check) \
    { tflite::ops::micro::Register_##name, VARIANTS(name) check_##check, types, code, min_inputs, max_inputs, max_outputs, \
      optional_input, tflite::BuiltinOptions_##options },
    #include MICROLITE_OPS_FILE
    #undef OP
};

static const size_t op_table_size = sizeof(op_table) / sizeof(op_table[0]);

int32_t op_code(const tflite::OperatorCode *code) {
    int32_t old_code = code->builtin_code();
    int32_t new_code = ((const flatbuffers::Table *)code)->GetField<int32_t>(COMPAT_OPCODE_FIELD, 0);
    return new_code > old_code ? new_code : old_code;
}

const op_row_t *op_find(const tflite::OperatorCode *code) {
    int32_t wanted = op_code(code);
    for (size_t i = 0; i < op_table_size; ++i) {
        if (op_table[i].code == wanted) {
            return &op_table[i];
        }
    }
    return nullptr;
}

// The names of operators that this schema does not know, from code 128 on.
static const char newer_names[] =
    "CUMSUM\0CALL_ONCE\0BROADCAST_TO\0RFFT2D\0CONV_3D\0IMAG\0REAL\0COMPLEX_ABS\0HASHTABLE\0HASHTABLE_FIND\0"
    "HASHTABLE_IMPORT\0HASHTABLE_SIZE\0REDUCE_ALL\0CONV_3D_TRANSPOSE\0VAR_HANDLE\0READ_VARIABLE\0"
    "ASSIGN_VARIABLE\0BROADCAST_ARGS\0RANDOM_STANDARD_NORMAL\0BUCKETIZE\0RANDOM_UNIFORM\0MULTINOMIAL\0GELU\0"
    "DYNAMIC_UPDATE_SLICE\0RELU_0_TO_1\0UNSORTED_SEGMENT_PROD\0UNSORTED_SEGMENT_MAX\0"
    "UNSORTED_SEGMENT_SUM\0ATAN2\0UNSORTED_SEGMENT_MIN\0SIGN\0BITCAST\0BITWISE_XOR\0RIGHT_SHIFT\0";

// The name of a builtin operator, empty when it is not known.
static const char *builtin_name(int32_t number) {
    if (number >= tflite::BuiltinOperator_MIN && number <= tflite::BuiltinOperator_MAX) {
        return tflite::EnumNameBuiltinOperator((tflite::BuiltinOperator)number);
    }
    const char *name = newer_names;
    for (int32_t i = 128; i < number && *name; ++i) {
        name += strlen(name) + 1;
    }
    return number < 128 ? "" : name;
}

const char *op_name(const tflite::OperatorCode *code, char buf[OP_NAME_SIZE]) {
    int32_t number = op_code(code);
    if (number == tflite::BuiltinOperator_CUSTOM) {
        return code->custom_code() ? code->custom_code()->c_str() : "CUSTOM";
    }
    const char *name = builtin_name(number);
    if (*name) {
        return name;
    }
    buf[0] = '\0';
    text_append(buf, OP_NAME_SIZE, "BUILTIN_%d", (int)number);
    return buf;
}

#ifdef MICROLITE_VARIANTS
const char *op_variant_name(size_t index) {
    #define NAME(variant, unused) #variant,
    static const char *const names[] = { OP_VARIANTS(NAME, ) };
    return index < sizeof(names) / sizeof(names[0]) ? names[index] : nullptr;
}
#endif

const char *op_row_name(size_t index) {
    if (index >= op_table_size) {
        return nullptr;
    }
    return builtin_name(op_table[index].code);
}
