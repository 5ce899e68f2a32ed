// What the engine needs of TFLM, and the only place that knows which version it is: the
// library of June 2020, as the crate tfmicro 0.1.0 carries it.

#ifndef MICROLITE_TFLM_COMPAT_H
#define MICROLITE_TFLM_COMPAT_H

#include "tensorflow/lite/c/builtin_op_data.h"
#include "tensorflow/lite/c/common.h"
#include "tensorflow/lite/core/api/error_reporter.h"
#include "tensorflow/lite/core/api/flatbuffer_conversions.h"
#include "tensorflow/lite/core/api/tensor_utils.h"
#include "tensorflow/lite/micro/kernels/micro_ops.h"
#include "tensorflow/lite/schema/schema_generated.h"

#define COMPAT_LIBRARY "TensorFlow Lite Micro of June 2020, tfmicro 0.1.0"

// Models say which version of the schema they follow.
#define COMPAT_SCHEMA_VERSION (3)

// Operator codes above 126 stand in a field of OperatorCode that this schema does not have.
#define COMPAT_OPCODE_FIELD (10)

// What this schema does not know of: operators for variables, their options and fields, their type.
namespace tflite {
enum {
    BuiltinOperator_CALL_ONCE = 129,
    BuiltinOperator_VAR_HANDLE = 142,
    BuiltinOperator_READ_VARIABLE = 143,
    BuiltinOperator_ASSIGN_VARIABLE = 144,
    BuiltinOptions_CallOnceOptions = 103,
    BuiltinOptions_VarHandleOptions = 111,
    TensorType_RESOURCE = 13,
};
}
#define COMPAT_CALL_ONCE_SUBGRAPH   (4)
#define COMPAT_VAR_HANDLE_CONTAINER (4)
#define COMPAT_VAR_HANDLE_NAME      (6)

// The largest parameter struct of builtin_op_data.h is far below this.
#define COMPAT_MAX_PARAMS   (128)

#endif
