// Included before every TFLM source: TFLM's own assertions report to the engine instead of
// halting the machine. microlite_abort() jumps back into the engine call that is running.

#include "tensorflow/lite/kernels/op_macros.h"

#ifdef __cplusplus
extern "C" void microlite_abort(void) __attribute__((noreturn));
#endif

#undef TFLITE_ABORT
#define TFLITE_ABORT microlite_abort()
