// Which elements a strided slice takes, see slice.h.

#include "slice.h"

static int32_t clamp(int32_t value, int32_t least, int32_t most) {
    return value < least ? least : value > most ? most : value;
}

static int32_t from_end(int32_t value, int32_t dim) {
    return value < 0 ? value + dim : value;
}

static slice_axis_t range(const slice_t *slice, int32_t entry, int32_t dim) {
    const int32_t stride = slice->stride[entry];
    const bool forward = stride > 0;
    const int32_t least = forward ? 0 : -1;
    const int32_t most = forward ? dim : dim - 1;
    int32_t begin = clamp(from_end(slice->begin[entry], dim), least, most);
    int32_t end = clamp(from_end(slice->end[entry], dim), least, most);
    if (slice->begin_mask >> entry & 1) {
        begin = forward ? 0 : most;
    }
    if (slice->end_mask >> entry & 1) {
        end = forward ? most : least;
    }
    const int32_t length = forward ? end - begin : begin - end;
    const int32_t step = forward ? stride : -stride;
    const int32_t count = length > 0 ? (length - 1) / step + 1 : 0;
    return (slice_axis_t) { begin, count > 1 ? stride : 1, count };
}

static bool put(slice_taken_t *taken, int32_t dim) {
    if (taken->rank == SLICE_RANK) {
        return false;
    }
    taken->dims[taken->rank++] = dim;
    return true;
}

// The axis that an entry is about.
static bool take_entry(const slice_t *slice, int32_t entry, int32_t dim, slice_taken_t *taken,
    slice_axis_t *axis) {
    if (slice->shrink_mask >> entry & 1) {
        const bool from_first = slice->begin_mask >> entry & 1;
        *axis = (slice_axis_t) { from_first ? 0 : from_end(slice->begin[entry], dim), 1, 1 };
        return axis->begin >= 0 && axis->begin < dim && slice->stride[entry] > 0;
    }
    *axis = range(slice, entry, dim);
    return put(taken, axis->count);
}

bool slice_take(const slice_t *slice, const int32_t *dims, int32_t rank, slice_taken_t *taken) {
    const int32_t no_axis = slice->ellipsis_mask | slice->new_axis_mask;
    // Axes without an entry: where the ellipsis is, or at the end.
    int32_t whole = rank;
    for (int32_t i = 0; i < slice->size; ++i) {
        whole -= !(no_axis >> i & 1);
    }
    bool good = whole >= 0;
    int32_t n = 0;
    taken->rank = 0;
    for (int32_t i = 0; good && i <= slice->size; ++i) {
        if (i == slice->size || slice->ellipsis_mask >> i & 1) {
            for (; good && whole > 0; --whole, ++n) {
                taken->axes[n] = (slice_axis_t) { 0, 1, dims[n] };
                good = put(taken, dims[n]);
            }
        } else if (slice->new_axis_mask >> i & 1) {
            good = put(taken, 1);
        } else {
            good = take_entry(slice, i, dims[n], taken, &taken->axes[n]);
            ++n;
        }
    }
    return good;
}
