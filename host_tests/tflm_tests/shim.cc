// What TFLM's test programs need and its sources lack: the functions of testing/test_utils.h, a
// context that gives kernels memory, an end for assertions, and what cases.h declares.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/lite/micro/debug_log.h"
#include "tensorflow/lite/micro/testing/test_utils.h"

#define ARENA_SIZE (1 << 18)
#define ARENA_ALIGN (16)

extern "C" void microlite_abort(void) {
    DebugLog("assertion failed\n");
    abort();
}

bool case_left_out(const char *name) {
    const char *names = getenv("LEFT_OUT");
    char word[128];
    snprintf(word, sizeof(word), " %s ", name);
    return names && strstr(names, word);
}

static TfLiteStatus nothing(TfLiteContext *, TfLiteNode *) {
    return kTfLiteOk;
}

// Programs look one operator up at a time.
const TfLiteRegistration *CompleteResolver::FindOp(tflite::BuiltinOperator op, int version) const {
    static TfLiteRegistration complete;
    const TfLiteRegistration *found = AllOps::FindOp(op, version);
    if (!found) {
        return nullptr;
    }
    complete = *found;
    complete.prepare = found->prepare ? found->prepare : nothing;
    return &complete;
}

namespace tflite {
namespace testing {

// --- memory of the context, which the next context takes over ---

alignas(ARENA_ALIGN) static uint8_t arena[ARENA_SIZE];
static size_t arena_used;

static void *take(size_t bytes) {
    const size_t aligned = (bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    if (aligned > sizeof(arena) - arena_used) {
        return nullptr;
    }
    arena_used += aligned;
    return arena + arena_used - aligned;
}

static TfLiteStatus keep(TfLiteContext *, size_t bytes, void **memory) {
    *memory = take(bytes);
    return *memory ? kTfLiteOk : kTfLiteError;
}

static TfLiteStatus request_scratch(TfLiteContext *, size_t bytes, int *index) {
    void *memory = take(bytes);
    *index = memory ? (int)((uint8_t *)memory - arena) : -1;
    return memory ? kTfLiteOk : kTfLiteError;
}

static void *get_scratch(TfLiteContext *, int index) {
    return arena + index;
}

void PopulateContext(TfLiteTensor *tensors, int n, ErrorReporter *reporter, TfLiteContext *context) {
    memset(arena, 0, arena_used);
    arena_used = 0;
    memset(context, 0, sizeof(*context));
    context->tensors = tensors;
    context->tensors_size = n;
    context->impl_ = reporter;
    context->ReportError = ReportOpError;
    context->recommended_num_threads = 1;
    context->AllocatePersistentBuffer = keep;
    context->RequestScratchBufferInArena = request_scratch;
    context->GetScratchBuffer = get_scratch;
    for (int i = 0; i < n; ++i) {
        if (tensors[i].is_variable) {
            ResetVariableTensor(&tensors[i]);
        }
    }
}

// --- numbers ---

template <typename T>
static T quantize(float value, float scale, int zero_point) {
    const float number = roundf(value / scale) + (float)zero_point;
    const float least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    return (T)fminf(fmaxf(number, least), most);
}

uint8_t F2Q(float value, float min, float max) {
    return quantize<uint8_t>(value, ScaleFromMinMax<uint8_t>(min, max), ZeroPointFromMinMax<uint8_t>(min, max));
}

int8_t F2QS(float value, float min, float max) {
    return quantize<int8_t>(value, ScaleFromMinMax<int8_t>(min, max), ZeroPointFromMinMax<int8_t>(min, max));
}

int32_t F2Q32(float value, float scale) {
    return (int32_t)llround((double)value / scale);
}

// --- tensors ---

TfLiteTensor CreateFloatTensor(std::initializer_list<float> data, TfLiteIntArray *dims, const char *name,
    bool is_variable) {
    return CreateFloatTensor(data.begin(), dims, name, is_variable);
}

TfLiteTensor CreateBoolTensor(std::initializer_list<bool> data, TfLiteIntArray *dims, const char *name,
    bool is_variable) {
    return CreateBoolTensor(data.begin(), dims, name, is_variable);
}

template <typename T>
static TfLiteTensor between(const T *data, TfLiteIntArray *dims, const char *name, float min, float max,
    bool is_variable) {
    return CreateQuantizedTensor(data, dims, ScaleFromMinMax<T>(min, max), ZeroPointFromMinMax<T>(min, max),
        name, is_variable);
}

TfLiteTensor CreateQuantizedTensor(const uint8_t *data, TfLiteIntArray *dims, const char *name, float min,
    float max, bool is_variable) {
    return between(data, dims, name, min, max, is_variable);
}

TfLiteTensor CreateQuantizedTensor(std::initializer_list<uint8_t> data, TfLiteIntArray *dims, const char *name,
    float min, float max, bool is_variable) {
    return between(data.begin(), dims, name, min, max, is_variable);
}

TfLiteTensor CreateQuantizedTensor(const int8_t *data, TfLiteIntArray *dims, const char *name, float min,
    float max, bool is_variable) {
    return between(data, dims, name, min, max, is_variable);
}

TfLiteTensor CreateQuantizedTensor(std::initializer_list<int8_t> data, TfLiteIntArray *dims, const char *name,
    float min, float max, bool is_variable) {
    return between(data.begin(), dims, name, min, max, is_variable);
}

TfLiteTensor CreateQuantized32Tensor(const int32_t *data, TfLiteIntArray *dims, const char *name, float scale,
    bool is_variable) {
    TfLiteTensor tensor = CreateInt32Tensor(data, dims, name, is_variable);
    tensor.params = { scale, 0 };
    return tensor;
}

TfLiteTensor CreateQuantized32Tensor(std::initializer_list<int32_t> data, TfLiteIntArray *dims, const char *name,
    float scale, bool is_variable) {
    return CreateQuantized32Tensor(data.begin(), dims, name, scale, is_variable);
}

}  // namespace testing
}  // namespace tflite
