// What the files of the C module _microlite share. The module knows MicroPython and engine.h,
// nothing of TFLM.

#ifndef MICROLITE_MICROLITE_H
#define MICROLITE_MICROLITE_H

#include "py/obj.h"
#include "engine.h"
#include "values.h"

// --- errors.c ---

extern const mp_obj_type_t microlite_type_ArenaError;
extern const mp_obj_type_t microlite_type_ModelError;
extern const mp_obj_type_t microlite_type_OpError;
extern const mp_obj_type_t microlite_type_InvokeError;

// Raise what a status of the engine stands for. name is a file name for the message, or None.
NORETURN void microlite_raise(engine_status_t status, const engine_t *engine, mp_obj_t name);

// problems is a list of str, at least one.
NORETURN void microlite_raise_model(mp_obj_t problems, const char *log, mp_obj_t name);

// ops is a list of the names of the missing operators; problems are what is wrong besides.
NORETURN void microlite_raise_ops(mp_obj_t ops, mp_obj_t problems, const char *log, mp_obj_t name);

// The arena at hand has given bytes, of which skip are lost to alignment.
NORETURN void microlite_raise_arena(const engine_error_t *error, size_t given, size_t skip, mp_obj_t name);

// The heap has no free block of so many bytes, which is what is needed or a lower bound of it. stage
// is what for, "arena" or "model"; copied whether the model's bytes take memory of the heap.
NORETURN void microlite_raise_no_block(size_t size, bool exact, const char *stage, bool copied, mp_obj_t name);

// A str of text that may hold any bytes: those outside ASCII become '?'.
mp_obj_t microlite_new_str(const char *text);

// --- memory.c ---

// Memory that an engine works on: a block of ours, or what a caller's buffer gave.
typedef struct _region_t {
    mp_obj_t owner;     // the caller's object; MP_OBJ_NULL when the block is ours
    void *head;         // head of the block on the heap, which keeps it alive
    byte *buf;          // the buffer as the owner gave it, len bytes
    size_t len;
    byte *data;         // where it is used from: buf, or the next aligned address
} region_t;

// An entry of the list of live models. It must not keep its model alive, so it holds the
// complement of the address; once the model is collected it is dropped.
typedef struct _live_t {
    mp_obj_base_t base;
    struct _live_t *next;
    uintptr_t hidden;
} live_t;

// Bytes from an address to the next that is aligned.
static inline size_t region_padding(const void *address) {
    return -(uintptr_t)address & (ENGINE_ALIGN - 1);
}

// The buffer of a caller's object; false when it has none of that kind.
bool region_from(region_t *self, mp_obj_t owner, mp_uint_t flags);

// An aligned block; false when the heap has none so large.
bool region_alloc(region_t *self, size_t size);
void region_free(region_t *self);

// False when a caller's buffer is no longer where it was, as a bytearray that grew.
bool region_is_there(const region_t *self);

bool region_overlaps(const region_t *self, const region_t *other);

// A new bytearray for the file of that size and name, or ArenaError with the figures of the heap.
mp_obj_t microlite_block(mp_obj_t size_in, mp_obj_t name);

struct _model_obj_t;
void live_init(void);
live_t *live_new(const struct _model_obj_t *model);
void live_add(struct _model_obj_t *model, live_t *live);
void live_remove(struct _model_obj_t *model);

// Whether arena or bytes of a live model other than self lie in that memory.
bool live_overlaps(const region_t *region, const struct _model_obj_t *self);

// --- model.c ---

typedef struct _model_obj_t {
    mp_obj_base_t base;
    mp_obj_t name;              // of the file, or None
    mp_obj_t inputs;            // tuples of Tensor
    mp_obj_t outputs;
    mp_obj_t state;             // tuple of Tensor: an output, the input that gets it, and so on
    mp_obj_t on_op;             // called between two operators, or None
    mp_obj_t slices;            // the run in slices that has not finished, or MP_OBJ_NULL
    region_t model;
    region_t arena;
    live_t *live;               // NULL before the model is loaded and after it is closed
    uint32_t last_us;           // of the last complete run; UINT32_MAX before that
    volatile bool taken;        // a call works with engine, arena or model at this moment
    bool has_run;               // a run was begun
    bool has_results;           // the outputs are those of a complete run
    uint64_t engine[];
} model_obj_t;

extern const mp_obj_type_t microlite_type_Model;

// Whether the model's bytes are used where they were.
bool microlite_is_in_place(const model_obj_t *self);

static inline engine_t *microlite_engine(model_obj_t *self) {
    return (engine_t *)self->engine;
}

// --- load.c ---

// The model's bytes where they are, or in an aligned block of ours.
void microlite_bytes(region_t *self, mp_obj_t model, bool copy, mp_obj_t name);

// The function behind the type Model.
mp_obj_t microlite_model_make_new(const mp_obj_type_t *type, size_t n_args, size_t n_kw, const mp_obj_t *args);

// --- names.c ---

// The input or output that is meant by an index or a name. Raises KeyError with the names there are,
// TypeError for keys of another type. The model is open.
mp_obj_t microlite_find(const model_obj_t *self, bool outputs, mp_obj_t key);

// The tensor's name, or its index when it has none.
void microlite_print_name(const mp_print_t *print, mp_obj_t tensor);

MP_DECLARE_CONST_FUN_OBJ_VAR_BETWEEN(microlite_input_obj);
MP_DECLARE_CONST_FUN_OBJ_VAR_BETWEEN(microlite_output_obj);

// --- state.c ---

// Takes the state of an open model from None or a dict of outputs and inputs.
void microlite_set_state(model_obj_t *self, mp_obj_t state);

// A carried output of a loaded model that is one of its inputs as it is, or NULL. The order in which
// outputs are carried would count then.
const struct _tensor_obj_t *microlite_find_loop(const model_obj_t *self);

// Whether that tensor is carried, or carried into.
bool microlite_is_state(const model_obj_t *self, mp_obj_t tensor);

// With the model taken: set the state to real zeros; carry outputs into inputs. Returns NULL, or the
// output whose numbers are not finite, so that nothing was carried.
void microlite_clear_state(const model_obj_t *self);
struct _tensor_obj_t *microlite_carry_state(const model_obj_t *self);

// --- predict.c ---

MP_DECLARE_CONST_FUN_OBJ_KW(microlite_predict_obj);
MP_DECLARE_CONST_FUN_OBJ_KW(microlite_predict_all_obj);

// --- check.c ---

// Opens an engine on a model, or raises all that is wrong with it. With interrupts held.
void microlite_open(engine_t *engine, const region_t *model, mp_obj_t name);

// A tuple with the names of the operators of an open model.
mp_obj_t microlite_new_ops(const engine_t *engine);

MP_DECLARE_CONST_FUN_OBJ_2(microlite_check_obj);

// --- info.c ---

MP_DECLARE_CONST_FUN_OBJ_0(microlite_info_obj);
#if MICROLITE_VARIANTS
MP_DECLARE_CONST_FUN_OBJ_0(microlite_variants_obj);
mp_obj_t microlite_new_variants(const engine_t *engine);
#endif
MP_DECLARE_CONST_FUN_OBJ_0(microlite_ops_obj);

// --- mse.c ---

MP_DECLARE_CONST_FUN_OBJ_2(microlite_mse_obj);

// --- timing.c ---

// Cycles of the finest clock that advances, counted from anywhere. Never less than before, also after
// a soft reset.
uint64_t microlite_cycles(void);

// Looks for that clock and measures it, in 5 ms. Returns cycles in a microsecond; 0 when no
// clock advances.
float microlite_calibrate(void);

MP_DECLARE_CONST_FUN_OBJ_0(microlite_cycles_obj);
MP_DECLARE_CONST_FUN_OBJ_0(microlite_calibrate_obj);

// --- guard.c ---

// The unix port raises KeyboardInterrupt out of a signal handler, wherever that strikes. While
// the signal is held it waits.
#if MICROPY_ASYNC_KBD_INTR && !defined(_WIN32)
#include <signal.h>
typedef sigset_t interrupts_t;
#else
typedef char interrupts_t;
#endif

void interrupts_hold(interrupts_t *saved);
void interrupts_release(const interrupts_t *saved);
bool interrupts_pending(void);

// Calls a function that may raise with interrupts held.
mp_obj_t interrupts_held_call(mp_obj_t (*function)(const mp_obj_t *args), const mp_obj_t *args);

// Take the model for one call, or for one slice of the run that is given. Raises RuntimeError when
// it is closed, taken, in another run, or its buffers have moved. Until it is released, in the
// same function, interrupts are held and nothing may raise.
void microlite_take(model_obj_t *self, mp_obj_t slices, interrupts_t *saved);
void microlite_release(model_obj_t *self, const interrupts_t *saved);

// Take a model of which only the state is looked at; false when it is taken already.
bool microlite_try_take(model_obj_t *self, interrupts_t *saved);
NORETURN void microlite_raise_busy(void);

// Whether the model is closed, or its memory no longer where it was.
bool microlite_is_lost(const struct _model_obj_t *self);

// Raises RuntimeError when the model is closed or its buffers have moved. What does not change
// while it runs may then be read.
void microlite_check(const model_obj_t *self);

// --- run.c ---

// What invoke() does.
void microlite_run(model_obj_t *self);

MP_DECLARE_CONST_FUN_OBJ_1(microlite_invoke_obj);
MP_DECLARE_CONST_FUN_OBJ_2(microlite_slices_obj);
MP_DECLARE_CONST_FUN_OBJ_2(microlite_profile_obj);

// --- tensor.c ---

typedef struct _tensor_obj_t {
    mp_obj_base_t base;
    model_obj_t *model;
    uint16_t index;
    bool is_output;
    bool is_stale;              // an input that the last run used for something else
    bool is_viewed;             // an input whose view was taken: who writes it is not seen
    size_t slice;               // numbers in sequence that share a scale; 0 when scales make no sense
    engine_tensor_t info;
} tensor_obj_t;

extern const mp_obj_type_t microlite_type_Tensor;

// A tuple with all inputs or all outputs of an open model.
mp_obj_t microlite_new_tensors(model_obj_t *model, bool outputs);

// Take over what the engine says of the tensors once the model is loaded.
void microlite_load_tensors(mp_obj_t tensors);

// name, shape and other attributes that do not need the tensor's model; MP_OBJ_NULL for others.
mp_obj_t microlite_tensor_attribute(const tensor_obj_t *self, qstr attr);

typedef struct _dtype_t {
    char code;          // of the numbers, 0 when they have no use here
    char view;          // typecode of views
    qstr_short_t name;
} dtype_t;

const dtype_t *microlite_dtype(const tensor_obj_t *self);

// Raises unless the tensor may be read now: an output needs a run that went to its end, an
// input numbers that are still there.
void microlite_check_readable(tensor_obj_t *self);

// Takes the tensor's model when it may be read; else raises, or returns false.
void microlite_take_to_read(tensor_obj_t *self, interrupts_t *saved);
bool microlite_try_take_to_read(tensor_obj_t *self, interrupts_t *saved);

// Raises unless the tensor may be written. Who then takes the model and writes all of it clears
// is_stale.
void microlite_check_writable(tensor_obj_t *self);

// The message starts with "input 0 (name): " or "output 0 (name): ".
NORETURN void microlite_raise_tensor(const mp_obj_type_t *type, const tensor_obj_t *self, const char *format, ...);

// --- quantize.c ---

bool microlite_is_quantised(const tensor_obj_t *self);

// What tensor_obj_t holds as slice.
size_t microlite_slice(const tensor_obj_t *self);

// The numbers of the tensor; raises TypeError when they have no use here.
values_t microlite_values(const tensor_obj_t *self);

mp_obj_t microlite_quantisation_attribute(const tensor_obj_t *self, qstr attr);
void microlite_print_quantisation(const mp_print_t *print, const tensor_obj_t *self);

MP_DECLARE_CONST_FUN_OBJ_2(microlite_quantize_obj);
MP_DECLARE_CONST_FUN_OBJ_2(microlite_dequantize_obj);

// --- read.c ---

MP_DECLARE_CONST_FUN_OBJ_1(microlite_read_obj);
MP_DECLARE_CONST_FUN_OBJ_2(microlite_read_into_obj);
MP_DECLARE_CONST_FUN_OBJ_1(microlite_argmax_obj);
mp_obj_t microlite_tensor_subscr(mp_obj_t self, mp_obj_t index, mp_obj_t value);
mp_obj_t microlite_tensor_iter(mp_obj_t self, mp_obj_iter_buf_t *iter_buf);

// --- collect.c ---

// Raises ValueError when the number of values is wrong. what is "" or names an argument, "mul: ".
void microlite_check_length(const tensor_obj_t *self, const char *what, size_t needed, size_t given);

bool microlite_is_number(mp_obj_t object);

// Not all objects can be compared with a str.
bool microlite_is_word(mp_obj_t object, qstr word);

NORETURN void microlite_raise_no_numbers(const tensor_obj_t *self, const char *what, mp_obj_t object);

// A number as float; raises TypeError for other objects, with the place that they have.
float microlite_real(const tensor_obj_t *self, const char *what, size_t index, mp_obj_t number);

// The n numbers of an iterable in a new block: floats, or int64 when exact is set and all are ints.
// Counts those that are beyond int64.
values_t microlite_collect(const tensor_obj_t *self, const char *what, size_t n, bool exact, mp_obj_t iterable, size_t *saturated);

// The same for a single number, in memory of the caller.
values_t microlite_number(const tensor_obj_t *self, bool exact, mp_obj_t number, uint64_t *memory, size_t *saturated);

// --- write.c ---

MP_DECLARE_CONST_FUN_OBJ_KW(microlite_write_obj);
MP_DECLARE_CONST_FUN_OBJ_2(microlite_write_raw_obj);

// --- image.c ---

MP_DECLARE_CONST_FUN_OBJ_KW(microlite_write_image_obj);

// --- slide.c ---

MP_DECLARE_CONST_FUN_OBJ_3(microlite_slide_obj);

// --- front_end.c, audio_functions.c: only where MICROLITE_AUDIO is set ---

extern const mp_obj_type_t microlite_type_FrontEnd;

MP_DECLARE_CONST_FUN_OBJ_KW(microlite_spectrum_obj);
MP_DECLARE_CONST_FUN_OBJ_KW(microlite_cmvn_obj);

#endif
