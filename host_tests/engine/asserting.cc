// Kernels that fail an assertion of TFLM, instead of those of the engine: ABS when it runs, FLOOR
// when it is prepared. The check lets no model through that makes a real kernel do so.

#include "tensorflow/lite/micro/kernels/micro_ops.h"

static TfLiteStatus invoke_abs(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *input = &context->tensors[node->inputs->data[0]];
    TF_LITE_ASSERT(input->dims->size > 9);
    return kTfLiteOk;
}

static TfLiteStatus prepare_floor(TfLiteContext *context, TfLiteNode *node) {
    const TfLiteTensor *output = &context->tensors[node->outputs->data[0]];
    TF_LITE_ASSERT_EQ(output->type, kTfLiteString);
    return kTfLiteOk;
}

namespace tflite {
namespace ops {
namespace micro {

TfLiteRegistration *Register_ABS() {
    static TfLiteRegistration kernel = { nullptr, nullptr, nullptr, invoke_abs, nullptr, 0, nullptr, 0 };
    return &kernel;
}

TfLiteRegistration *Register_FLOOR() {
    static TfLiteRegistration kernel = { nullptr, nullptr, prepare_floor, nullptr, nullptr, 0, nullptr, 0 };
    return &kernel;
}

}
}
}
