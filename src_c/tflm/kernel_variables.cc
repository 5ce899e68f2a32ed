// VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE and CALL_ONCE. The memory of a handle is the variable's,
// and initial values are assigned when a model is loaded or reset: two of them do nothing.

#include "kernel.h"

#include <string.h>

static TfLiteStatus invoke_read(TfLiteContext *context, TfLiteNode *node) {
    TfLiteTensor *value = kernel_out(context, node, 0);
    memcpy(value->data.data, kernel_in(context, node, 0)->data.data, value->bytes);
    return kTfLiteOk;
}

static TfLiteStatus invoke_assign(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *value = kernel_in(context, node, 1);
    memcpy(kernel_in(context, node, 0)->data.data, value->data.data, value->bytes);
    return kTfLiteOk;
}

KERNEL(READ_VARIABLE, nullptr, invoke_read)
KERNEL(ASSIGN_VARIABLE, nullptr, invoke_assign)
KERNEL(VAR_HANDLE, nullptr, nullptr)
KERNEL(CALL_ONCE, nullptr, nullptr)
