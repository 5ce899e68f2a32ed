// Included before every test program: leaves the cases out that the environment names, and gives
// kernels that have nothing to prepare something to call.

#include "tensorflow/lite/micro/kernels/all_ops_resolver.h"
#include "tensorflow/lite/micro/testing/micro_test.h"

// Whether LEFT_OUT, names with spaces around, has the name.
bool case_left_out(const char *name);

#undef TF_LITE_MICRO_TEST
#define TF_LITE_MICRO_TEST(name) \
    micro_test::did_test_fail = false; \
    micro_test::is_test_complete = case_left_out(#name); \
    micro_test::reporter->Report("%s " #name, micro_test::is_test_complete ? "Left out" : "Testing"); \
    for (; !micro_test::is_test_complete; micro_test::is_test_complete = true, \
         ++(micro_test::did_test_fail ? micro_test::tests_failed : micro_test::tests_passed))

class CompleteResolver: public tflite::ops::micro::AllOpsResolver {
public:
    using AllOps = tflite::ops::micro::AllOpsResolver;
    using AllOps::FindOp;
    const TfLiteRegistration *FindOp(tflite::BuiltinOperator op, int version) const override;
    TF_LITE_REMOVE_VIRTUAL_DELETE
};

namespace tflite { namespace ops { namespace micro { using ::CompleteResolver;
                                   } } }

#define AllOpsResolver CompleteResolver
