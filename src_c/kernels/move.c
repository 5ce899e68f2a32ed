// Values moved from one place to another, see move.h.

#include "move.h"

#include <stdbool.h>
#include <string.h>

// Below so many bytes a loop is faster.
#define MEMCPY_LEAST (16)

// Leaves out dimensions of one element and joins those that follow each other in both places.
static void simplify(move_t *move) {
    int32_t n = 0;
    for (int32_t i = 0; i < move->rank; ++i) {
        const move_dim_t *dim = &move->dims[i];
        move_dim_t *last = n ? &move->dims[n - 1] : NULL;
        if (dim->size == 1) {
            continue;
        }
        if (last && last->from == dim->from * dim->size && last->to == dim->to * dim->size) {
            *last = (move_dim_t) { last->size * dim->size, dim->from, dim->to };
        } else {
            move->dims[n++] = *dim;
        }
    }
    move->rank = n;
}

// Whether there are rows of neighbours, and pairs of them could be moved as one.
static bool can_pair(const move_t *move, uintptr_t places, int32_t item) {
    const move_dim_t *row = move->rank > 1 ? &move->dims[move->rank - 1] : NULL;
    bool can = row && row->from == 1 && row->to == 1 && row->size % 2 == 0 && item < 8
        && places % (uintptr_t)(2 * item) == 0;
    for (int32_t i = 0; can && i < move->rank - 1; ++i) {
        can = move->dims[i].from % 2 == 0 && move->dims[i].to % 2 == 0;
    }
    return can;
}

static void pair(move_t *move) {
    for (int32_t i = 0; i < move->rank - 1; ++i) {
        move->dims[i].from /= 2;
        move->dims[i].to /= 2;
    }
    move->dims[move->rank - 1].size /= 2;
}

#define COPY_ROW(type) \
    for (int32_t i = 0, j = 0, n = row->size; n > 0; --n, i += row->from, j += row->to) { \
        ((type *)to)[j] = ((const type *)from)[i]; \
    } \
    break

static void copy_row(const move_dim_t *row, const uint8_t *from, uint8_t *to, int32_t item) {
    if (row->from == 1 && row->to == 1 && row->size * item >= MEMCPY_LEAST) {
        memcpy(to, from, (size_t)(row->size * item));
        return;
    }
    switch (item) {
        case 1:
            COPY_ROW(uint8_t);
        case 2:
            COPY_ROW(uint16_t);
        case 4:
            COPY_ROW(uint32_t);
        default:
            COPY_ROW(uint64_t);
    }
}

void move_run(move_t *move, const void *from, void *to, int32_t item) {
    static const move_dim_t one = { 1, 1, 1 };
    int32_t at[MOVE_RANK] = { 0 };
    int32_t from_offset = 0;
    int32_t to_offset = 0;
    simplify(move);
    for (; can_pair(move, (uintptr_t)from | (uintptr_t)to, item); item *= 2) {
        pair(move);
    }
    simplify(move);
    const int32_t outer = move->rank - 1;
    const move_dim_t *row = outer < 0 ? &one : &move->dims[outer];
    for (;;) {
        copy_row(row, (const uint8_t *)from + from_offset * item, (uint8_t *)to + to_offset * item, item);
        int32_t i = outer;
        for (;;) {
            if (--i < 0) {
                return;
            }
            const move_dim_t *dim = &move->dims[i];
            from_offset += dim->from;
            to_offset += dim->to;
            if (++at[i] < dim->size) {
                break;
            }
            from_offset -= dim->from * dim->size;
            to_offset -= dim->to * dim->size;
            at[i] = 0;
        }
    }
}

// To the nearest integer, halves away from zero.
static int32_t nearest(float value) {
    const int32_t whole = (int32_t)value;
    const float rest = value - (float)whole;
    return whole + (rest >= 0.5f) - (rest <= -0.5f);
}

void move_rescale_u8(const move_rescale_t *params, const uint8_t *in, uint8_t *out, int32_t size) {
    const float bias = (float)-params->in_offset * params->scale;
    for (int32_t i = 0; i < size; ++i) {
        const float value = (float)in[i] * params->scale + bias;
        // Beyond the range of the output whatever the offset is, and of no use to an integer.
        const float bounded = value < -512 ? -512 : value > 512 ? 512 : value;
        const int32_t number = nearest(bounded) + params->out_offset;
        out[i] = (uint8_t)(number < 0 ? 0 : number > UINT8_MAX ? UINT8_MAX : number);
    }
}
