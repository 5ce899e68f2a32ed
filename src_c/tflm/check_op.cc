// The words of the model check, see check_op.h.

#include "check_op.h"

#include <string.h>

// Real scales lie far within. Beyond, products of scales leave the range of float32.
#define LEAST_SCALE (1e-18f)
#define MOST_SCALE  (1e9f)

// By TensorType: the letters of ops.def and the names.
static const char type_letters[] = "feiBqsthcb   r";
static const char type_names[][10] = {
    "float32", "float16", "int32", "uint8", "int64", "string", "bool", "int16", "complex64", "int8",
    "", "", "", "resource",
};

size_t n_in(const op_view_t *op) {
    return graph_inputs(op->raw)->size();
}

size_t n_out(const op_view_t *op) {
    return graph_outputs(op->raw)->size();
}

static void make_view(const op_view_t *op, int32_t index, view_t *view) {
    *view = {};
    if (index < 0) {
        return;
    }
    tensor_t tensor = op->check->engine->graph->tensors()->Get(index);
    view->raw = tensor;
    view->type = type_letters[tensor->type()];
    view->is_quantised_type = view->type == 'b' || view->type == 'B' || view->type == 'h';
    view->size = (int32_t)graph_tensor_bytes(tensor) / (int32_t)graph_type_size(tensor->type());
    if (tensor->shape()) {
        view->dims = tensor->shape()->data();
        view->rank = (int32_t)tensor->shape()->size();
    }
    if (const auto *quantization = graph_quantization(tensor)) {
        view->n_scales = (int32_t)quantization->scale()->size();
        view->scale = quantization->scale()->Get(0);
        view->zero_point = (int32_t)graph_zero_point(quantization, 0);
    }
}

void view_in(const op_view_t *op, size_t i, view_t *view) {
    make_view(op, i < n_in(op) ? graph_inputs(op->raw)->Get(i) : -1, view);
}

void view_out(const op_view_t *op, size_t i, view_t *view) {
    make_view(op, i < n_out(op) ? graph_outputs(op->raw)->Get(i) : -1, view);
}

void op_view(op_view_t *op) {
    for (size_t i = 0; i < MAX_VIEWS; ++i) {
        view_in(op, i, &op->in[i]);
    }
    view_out(op, 0, &op->out);
}

// --- problems ---

static size_t index_of(const check_t *check, tensor_t tensor) {
    size_t i = 0;
    while (check->engine->graph->tensors()->Get(i) != tensor) {
        ++i;
    }
    return i;
}

static bool vtell(check_t *check, const op_view_t *op, tensor_t tensor, const char *format, va_list args) {
    if (check->quiet) {
        return false;
    }
    char text[ENGINE_PROBLEM_SIZE] = "";
    if (op) {
        char buf[OP_NAME_SIZE];
        text_append(text, sizeof(text), "operator %zu (%s): ", op->index,
            op_name(graph_op_code(check->engine->model, op->raw), buf));
    }
    if (tensor) {
        text_append(text, sizeof(text), "tensor %zu: ", index_of(check, tensor));
    }
    text_vappend(text, sizeof(text), format, args);
    if (tensor && *graph_tensor_name(tensor)) {
        text_append(text, sizeof(text), " (%s)", graph_tensor_name(tensor));
    }
    if (check->good) {
        memcpy(check->engine->error.problem, text, sizeof(text));
        if (op) {
            fail_op(check->engine, ENGINE_ERR_OP, op->index);
        }
    }
    check->good = false;
    if (check->report) {
        check->report(check->context, text);
    }
    return false;
}

bool tell(check_t *check, tensor_t tensor, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vtell(check, nullptr, tensor, format, args);
    va_end(args);
    return false;
}

bool tell_op(const op_view_t *op, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vtell(op->check, op, nullptr, format, args);
    va_end(args);
    return false;
}

bool tell_op_tensor(const op_view_t *op, tensor_t tensor, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vtell(op->check, op, tensor, format, args);
    va_end(args);
    return false;
}

// --- types ---

// Whether the tensors have the types of the letters; the last letter stands for all further
// tensors, an absent input for any type.
static bool matches(const op_view_t *op, bool outputs, const char *letters) {
    const size_t n = outputs ? n_out(op) : n_in(op);
    for (size_t i = 0; i < n; ++i) {
        view_t view;
        (outputs ? view_out : view_in)(op, i, &view);
        if (view.raw && *letters != '.' && *letters != view.type) {
            return false;
        }
        letters += letters[1] > ' ' && letters[1] != '>';
    }
    return true;
}

bool need_types(const op_view_t *op, const char *types) {
    for (const char *next = types; *next; ++next) {
        if (next == types || next[-1] == ' ') {
            const char *outputs = next;
            while (*outputs++ != '>') {
            }
            if (matches(op, false, next) && matches(op, true, outputs)) {
                return true;
            }
        }
    }
    if (op->out.type == 'f' && op->in[1].is_quantised_type) {
        return NEED(false, "float activations with int8 weights: "
            "convert with full integer quantisation");
    }
    char text[64] = "";
    for (size_t i = 0; i < MAX_VIEWS && op->in[i].raw; ++i) {
        text_append(text, sizeof(text), "%s ", type_names[op->in[i].raw->type()]);
    }
    return NEED(false, "%sto %s is not supported", text,
        op->out.raw ? type_names[op->out.raw->type()] : "nothing");
}

// --- shapes ---

bool need_equal(const op_view_t *op, const view_t *view, const char *what, int32_t value, int32_t needed) {
    return NEED_OF(view, value == needed, "%s %d, %d is needed", what, (int)value, (int)needed);
}

bool need_rank_4(const op_view_t *op, const view_t *view) {
    return NEED_OF(view, view->rank <= 4, "rank %d, at most 4 is supported", (int)view->rank);
}

bool need_shape(const op_view_t *op, const view_t *view, const int32_t *dims, int32_t rank) {
    bool good = need_equal(op, view, "rank", view->rank, rank);
    for (int32_t i = 0; good && i < rank; ++i) {
        good = NEED_OF(view, view->dims[i] == dims[i], "dimension %d is %d, %d is needed", (int)i,
            (int)view->dims[i], (int)dims[i]);
    }
    return good;
}

bool need_same_shape(const op_view_t *op) {
    return need_shape(op, &op->out, op->in[0].dims, op->in[0].rank);
}

bool need_broadcast(const op_view_t *op, int max_rank) {
    const view_t *large = &op->in[op->in[1].rank > op->in[0].rank];
    const view_t *small = &op->in[large == op->in];
    const int extra = large->rank - small->rank;
    int32_t dims[ENGINE_MAX_RANK];
    bool fits = true;
    bool same = extra == 0;
    for (int i = 0; i < large->rank; ++i) {
        const int32_t a = large->dims[i];
        const int32_t b = i < extra ? 1 : small->dims[i - extra];
        fits = fits && (a == b || a == 1 || b == 1);
        same = same && a == b;
        dims[i] = a == 1 ? b : a;
    }
    return NEED(fits && (same || large->rank <= max_rank), "shapes do not broadcast in %d dimensions",
        max_rank)
           && need_shape(op, &op->out, dims, large->rank);
}

// Compares one shape with its letters; sizes of new letters are kept.
static bool need_letters(const op_view_t *op, const view_t *view, const char *letters, sizes_t *sizes) {
    int32_t dims[ENGINE_MAX_RANK];
    int32_t rank = 0;
    for (; *letters > ' ' && *letters != '>'; ++letters, ++rank) {
        int32_t *size = &sizes->dims[*letters & 63];
        if (!*size && rank < view->rank) {
            *size = *letters <= '9' ? *letters - '0' : view->dims[rank];
        }
        dims[rank] = *size;
    }
    return need_shape(op, view, dims, rank);
}

bool need_shapes(const op_view_t *op, const char *shapes, sizes_t *sizes) {
    *sizes = {};
    const view_t *view = op->in;
    for (const char *letters = shapes; *letters; ++letters) {
        if (view->raw && *letters != '*' && !need_letters(op, view, letters, sizes)) {
            return false;
        }
        while (*letters > ' ' && *letters != '>') {
            ++letters;
        }
        if (!*letters) {
            break;
        }
        view = *letters == '>' ? &op->out : view + 1;
    }
    return true;
}

const int32_t *need_ints(const op_view_t *op, const view_t *view, int32_t n) {
    const auto *data = graph_tensor_data(op->check->engine->model, view->raw);
    bool good = NEED_OF(view, data, "a constant is needed") && need_equal(op, view, "size", view->size, n);
    return good ? (const int32_t *)data->data() : nullptr;
}

bool need_axis(const op_view_t *op, int axis, int rank, int *place) {
    *place = axis < 0 ? axis + rank : axis;
    return NEED(axis >= -rank && axis < rank, "axis %d of %d", axis, rank);
}

bool need_padding(const op_view_t *op, int32_t padding) {
    return NEED((uint32_t)padding < 1 << 28, "padding of %d", (int)padding);
}

// --- quantisation ---

bool need_quantised(const op_view_t *op, const view_t *view) {
    return !view->is_quantised_type || (need_equal(op, view, "number of scales", view->n_scales, 1)
        && NEED_OF(view, view->scale >= LEAST_SCALE && view->scale <= MOST_SCALE, "scale out of range"));
}

bool need_all_quantised(const op_view_t *op) {
    bool good = need_quantised(op, &op->out);
    for (size_t i = 0; good && i < MAX_VIEWS; ++i) {
        good = need_quantised(op, &op->in[i]);
    }
    return good;
}

bool need_centred(const op_view_t *op, const view_t *view) {
    return view->type != 'h' || need_equal(op, view, "zero point", view->zero_point, 0);
}

bool need_same_scales(const op_view_t *op) {
    view_t first = {};
    for (size_t i = 0; i < n_in(op) + n_out(op); ++i) {
        view_t view;
        if (i < n_in(op)) {
            view_in(op, i, &view);
        } else {
            view_out(op, i - n_in(op), &view);
        }
        if (!view.is_quantised_type || !view.n_scales) {
            continue;
        }
        first = first.raw ? first : view;
        if (!need_quantised(op, &view) || !NEED_OF(&view, view.scale == first.scale
            && view.zero_point == first.zero_point, "inputs and outputs of different scales")) {
            return false;
        }
    }
    return true;
}

bool need_multiplier(const op_view_t *op, float multiplier, float limit) {
    return NEED(multiplier <= 1 || multiplier * limit < 2147483648.0f, "output scale too small");
}

bool need_activation(const op_view_t *op, int activation) {
    // The limits of RELU6, 6 / scale above the zero point, are 32-bit numbers.
    return NEED(activation <= kTfLiteActRelu6, "fused activation %d not supported", activation)
        && NEED(activation <= kTfLiteActRelu || !op->out.is_quantised_type
        || op->out.scale > 3e-9f, "output scale too small");
}

bool need_no_activation(const op_view_t *op, int activation) {
    return NEED(activation == kTfLiteActNone, "fused activation %d not supported", activation);
}
