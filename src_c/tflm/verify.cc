// Whether the structure of a model lies within its bytes, see verify.h. Tables are described by
// one letter a field, in the order of the schema; later fields are not read.

#include "verify.h"

#include <stdint.h>

// ' ' not read, '1' and '4' a number of so many bytes, 'a' a fused activation, 'o' an offset alone,
// 's' a string, 'b' 'i' 'l' a vector of numbers of 1, 4 and 8 bytes, a letter that a row of
// table_fields starts with a table or, as a capital, a vector of such tables.
static const char model_fields[] = "4CG B";

static const char table_fields[][9] = {
    "c1s44",        // OperatorCode
    "gTiiP",        // SubGraph
    "ti14sq1o",     // Tensor
    "q  il  4",     // QuantizationParameters
    "p4ii1o",       // Operator
    "bb",           // Buffer
};

static const char *fields_of(char letter) {
    size_t i = 0;
    while (table_fields[i][0] != (letter | ' ')) {
        ++i;
    }
    return table_fields[i] + 1;
}

static const struct {
    uint8_t type;
    char fields[8];
} options_fields[] = {
    { tflite::BuiltinOptions_CallOnceOptions, "4" },
    { tflite::BuiltinOptions_VarHandleOptions, "ss" },
    { tflite::BuiltinOptions_Conv2DOptions, "144a44" },
    { tflite::BuiltinOptions_DepthwiseConv2DOptions, "1444a44" },
    { tflite::BuiltinOptions_Pool2DOptions, "14444a" },
    { tflite::BuiltinOptions_SVDFOptions, "4a1" },
    { tflite::BuiltinOptions_UnidirectionalSequenceLSTMOptions, "a4411" },
    { tflite::BuiltinOptions_FullyConnectedOptions, "a111" },
    { tflite::BuiltinOptions_SoftmaxOptions, "4" },
    { tflite::BuiltinOptions_ConcatenationOptions, "4a" },
    { tflite::BuiltinOptions_AddOptions, "a" },
    { tflite::BuiltinOptions_L2NormOptions, "a" },
    { tflite::BuiltinOptions_ReshapeOptions, "i" },
    { tflite::BuiltinOptions_MulOptions, "a" },
    { tflite::BuiltinOptions_ReducerOptions, "1" },
    { tflite::BuiltinOptions_SubOptions, "a" },
    { tflite::BuiltinOptions_DivOptions, "a" },
    { tflite::BuiltinOptions_StridedSliceOptions, "444441" },
    { tflite::BuiltinOptions_SplitOptions, "4" },
    { tflite::BuiltinOptions_ArgMaxOptions, "1" },
    { tflite::BuiltinOptions_ArgMinOptions, "1" },
    { tflite::BuiltinOptions_PackOptions, "44" },
    { tflite::BuiltinOptions_UnpackOptions, "44" },
    { tflite::BuiltinOptions_ResizeNearestNeighborOptions, "11" },
    { tflite::BuiltinOptions_CastOptions, "11" },
    { tflite::BuiltinOptions_LeakyReluOptions, "4" },
    { tflite::BuiltinOptions_ResizeBilinearOptions, "  11" },
    { tflite::BuiltinOptions_SplitVOptions, "4" },
    { tflite::BuiltinOptions_SqueezeOptions, "i" },
    { tflite::BuiltinOptions_ShapeOptions, "1" },
    { tflite::BuiltinOptions_GatherOptions, "44" },
    { tflite::BuiltinOptions_MirrorPadOptions, "1" },
    { tflite::BuiltinOptions_SpaceToDepthOptions, "4" },
    { tflite::BuiltinOptions_DepthToSpaceOptions, "4" },
    { tflite::BuiltinOptions_TransposeConvOptions, "1441" },
    { tflite::BuiltinOptions_BatchMatMulOptions, "11" },
};

typedef struct {
    const uint8_t *data;
    uint32_t size;
    uint32_t tables_left;   // a model has no more tables than offsets to them
} bytes_t;

static bool verify_table(bytes_t *bytes, uint32_t at, const char *fields);

static bool fits(const bytes_t *bytes, uint32_t at, uint32_t n, uint32_t alignment) {
    return at % alignment == 0 && n <= bytes->size && at <= bytes->size - n;
}

static uint16_t u16(const bytes_t *bytes, uint32_t at) {
    return *(const uint16_t *)(bytes->data + at);
}

static uint32_t u32(const bytes_t *bytes, uint32_t at) {
    return *(const uint32_t *)(bytes->data + at);
}

// Follows the offset at a place, to another place within the bytes.
static bool follow(const bytes_t *bytes, uint32_t *at) {
    if (!fits(bytes, *at, 4, 4) || u32(bytes, *at) >= bytes->size - *at) {
        return false;
    }
    *at += u32(bytes, *at);
    return true;
}

static bool verify_vector(const bytes_t *bytes, uint32_t at, uint32_t width) {
    return fits(bytes, at, 4, 4) && u32(bytes, at) <= (bytes->size - at - 4) / width;
}

static bool verify_string(const bytes_t *bytes, uint32_t at) {
    return verify_vector(bytes, at, 1) && fits(bytes, at + 4 + u32(bytes, at), 1, 1)
           && bytes->data[at + 4 + u32(bytes, at)] == '\0';
}

static bool verify_tables(bytes_t *bytes, uint32_t at, const char *fields) {
    if (!verify_vector(bytes, at, 4)) {
        return false;
    }
    for (uint32_t n = u32(bytes, at), i = 0; i < n; ++i) {
        uint32_t table = at + 4 + 4 * i;
        if (!follow(bytes, &table) || !verify_table(bytes, table, fields)) {
            return false;
        }
    }
    return true;
}

static bool verify_field(bytes_t *bytes, uint32_t at, char kind) {
    if (kind == ' ') {
        return true;
    }
    if (kind <= '9') {
        return fits(bytes, at, kind - '0', kind - '0');
    }
    if (kind == 'a') {
        return fits(bytes, at, 1, 1) && bytes->data[at] <= tflite::ActivationFunctionType_MAX;
    }
    if (!follow(bytes, &at)) {
        return false;
    }
    switch (kind) {
        case 'o':
            return true;
        case 's':
            return verify_string(bytes, at);
        case 'b':
            return verify_vector(bytes, at, 1);
        case 'i':
            return verify_vector(bytes, at, 4);
        case 'l':
            return verify_vector(bytes, at, 8);
        case 'q':
            return verify_table(bytes, at, fields_of(kind));
        default:
            return verify_tables(bytes, at, fields_of(kind));
    }
}

static bool verify_table(bytes_t *bytes, uint32_t at, const char *fields) {
    if (bytes->tables_left-- == 0 || !fits(bytes, at, 4, 4)) {
        return false;
    }
    const uint32_t vtable = at - u32(bytes, at);
    if (!fits(bytes, vtable, 4, 2) || u16(bytes, vtable) % 2
        || !fits(bytes, vtable, u16(bytes, vtable), 2)) {
        return false;
    }
    const uint32_t n = u16(bytes, vtable) / 2;
    for (uint32_t i = 2; i < n && *fields; ++i, ++fields) {
        const uint32_t offset = u16(bytes, vtable + 2 * i);
        if (offset && (offset > bytes->size - at || !verify_field(bytes, at + offset, *fields))) {
            return false;
        }
    }
    return true;
}

bool verify_model(const void *data, size_t size) {
    bytes_t bytes = { (const uint8_t *)data, (uint32_t)size, (uint32_t)size / 4 };
    uint32_t root = 0;
    return follow(&bytes, &root) && verify_table(&bytes, root, model_fields);
}

bool verify_options(const void *data, size_t size, const tflite::Operator *op) {
    bytes_t bytes = { (const uint8_t *)data, (uint32_t)size, 1 };
    for (const auto &options : options_fields) {
        if (op->builtin_options() && options.type == op->builtin_options_type()) {
            return verify_table(&bytes, (uint32_t)((const uint8_t *)op->builtin_options() - bytes.data),
                options.fields);
        }
    }
    return true;
}
