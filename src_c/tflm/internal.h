// What the files of the engine share: its state and the steps of loading a model. engine.h is
// for everyone else.

#ifndef MICROLITE_TFLM_INTERNAL_H
#define MICROLITE_TFLM_INTERNAL_H

#include "../engine.h"
#include "arena.h"
#include "compat.h"
#include "graph.h"
#include "resolver.h"
#include "text.h"

// What is kept of an operator between runs.
typedef struct {
    const TfLiteRegistration *kernel;
    void *user_data;
    void *params;
} node_t;

// A scratch buffer that a kernel asked for. They stand at the end of the arena until the plan
// is made, the last one at the lowest address.
typedef struct {
    uint32_t bytes;
    uint32_t op;
} scratch_t;

// A kernel may ask for this many scratch buffers.
#define MAX_SCRATCH_PER_OP (8)

struct _engine_t {
    TfLiteContext context;
    const tflite::Model *model;
    const tflite::SubGraph *graph;
    arena_t arena;
    node_t *nodes;
    uint32_t *scratch_offsets;      // in the arena, one per scratch buffer
    size_t floor;
    size_t needed;
    void *resume[5];                // __builtin_setjmp: where microlite_abort() goes on
    uint32_t next_op;
    uint16_t n_scratch;
    uint16_t n_wanted;              // scratch buffers that the operator being prepared asked for
    uint32_t wanted[MAX_SCRATCH_PER_OP];
    uint8_t state;                  // engine_state_t
    bool keeps_inputs;
    #ifdef MICROLITE_VARIANTS
    const uint8_t *variants;
    size_t n_variants;
    #endif
    char name[OP_NAME_SIZE];
    engine_error_t error;
};

// TFLM's reports go to the log.
class LogReporter : public tflite::ErrorReporter {
public:
    explicit LogReporter(engine_error_t *error) : error_(error) {
    }
    int Report(const char *format, va_list args) override {
        text_vappend_line(error_->log, ENGINE_LOG_SIZE, format, args);
        return 0;
    }
    void operator delete(void *) {
    }

private:
    engine_error_t *error_;
};

// model_check.cc: whether the file is a model that runs safely. It sets engine->model and
// engine->graph as far as they can be read. The first problem is left in the error, with the
// operator when one is to blame; all of them go to report, unless that is nullptr.
bool model_check(engine_t *engine, const void *data, size_t size, engine_report_t report, void *context);

// The parameters of one operator as its kernel gets them, on the stack; zero where the model
// says nothing.
class ParamsOnStack : public tflite::BuiltinDataAllocator {
public:
    void *Allocate(size_t bytes, size_t) override {
        size = bytes;
        return memory;
    }
    void Deallocate(void *) override {
    }
    void operator delete(void *) {
    }

    size_t size = 0;
    alignas(8) uint8_t memory[COMPAT_MAX_PARAMS] = {};
};

// tables.cc: what stands in the arena before any kernel runs (tensors, operators and their
// parameters, variables). tables_floor() derives engine->floor from the model alone.
// parse_params() fails on options that TFLM cannot take.
bool parse_params(engine_t *engine, size_t index, ParamsOnStack *params);
void tables_floor(engine_t *engine);
bool tables_make(engine_t *engine);

// Temporary quantisation arrays of one operator's tensors. False when the arena is full.
bool quantization_attach(engine_t *engine, const tflite::Operator *op);
void quantization_detach(engine_t *engine, const tflite::Operator *op);

// prepare.cc
engine_status_t prepare_ops(engine_t *engine);

// activations.cc
engine_status_t place_activations(engine_t *engine);

// engine.cc
TfLiteNode node_view(const engine_t *engine, size_t index);
engine_status_t fail_arena(engine_t *engine, const char *stage, bool exact);
engine_status_t fail_op(engine_t *engine, engine_status_t status, size_t index);

#endif
