// The memory that engines work on, blocks of the heap or callers' buffers, and the list of live
// models that says which of it is taken.

#include "py/gc.h"
#include "py/mphal.h"
#include "py/objarray.h"
#include "py/runtime.h"
#include "microlite.h"

#define BLOCK_PADDING (MICROPY_BYTES_PER_GC_BLOCK % ENGINE_ALIGN ? ENGINE_ALIGN - 1 : 0)

bool region_from(region_t *self, mp_obj_t owner, mp_uint_t flags) {
    mp_buffer_info_t info;
    if (mp_obj_is_str(owner) || !mp_get_buffer(owner, &info, flags)) {
        return false;
    }
    self->owner = owner;
    self->head = info.buf;
    if (mp_obj_is_type(owner, &mp_type_memoryview)) {
        self->head = ((mp_obj_array_t *)MP_OBJ_TO_PTR(owner))->items;
    }
    self->buf = self->data = info.buf;
    self->len = info.len;
    return true;
}

bool region_alloc(region_t *self, size_t size) {
    self->head = m_new_maybe(byte, size + BLOCK_PADDING + (size == 0));
    self->owner = MP_OBJ_NULL;
    self->buf = self->data = (byte *)self->head + region_padding(self->head);
    self->len = size;
    return self->head != NULL;
}

void region_free(region_t *self) {
    m_del(byte, self->head, self->len + BLOCK_PADDING + (self->len == 0));
    self->head = NULL;
}

bool region_is_there(const region_t *self) {
    mp_buffer_info_t info;
    return self->owner == MP_OBJ_NULL
           || (mp_get_buffer(self->owner, &info, MP_BUFFER_READ) && info.buf == self->buf && info.len == self->len);
}

bool region_overlaps(const region_t *self, const region_t *other) {
    return self->buf < other->buf + other->len && other->buf < self->buf + self->len;
}

mp_obj_t microlite_block(mp_obj_t size_in, mp_obj_t name) {
    size_t size = mp_obj_get_int(size_in);
    region_t block;
    if (!region_alloc(&block, size)) {
        microlite_raise_no_block(size, true, "model", true, name);
    }
    return mp_obj_new_bytearray_by_ref(size, block.head);
}

// --- The list of live models, so that no arena is given to two ---
//
// Threads may walk along it while others change it: an entry that has been taken out still leads
// on. Atomic sections hold no call into the collector, which has a lock of its own.

static MP_DEFINE_CONST_OBJ_TYPE(live_type, MP_QSTR_, MP_TYPE_FLAG_NONE);

MP_REGISTER_ROOT_POINTER(struct _live_t *microlite_live);

static model_obj_t *live_model(const live_t *live) {
    model_obj_t *model = (model_obj_t *)~live->hidden;
    bool alive = gc_nbytes(model) >= sizeof(model_obj_t) && model->base.type == &microlite_type_Model && model->live == live;
    return alive ? model : NULL;
}

// A soft reset leaves a pointer behind that means nothing in the new heap.
void live_init(void) {
    MP_STATE_VM(microlite_live) = NULL;
}

bool live_overlaps(const region_t *region, const model_obj_t *self) {
    for (const live_t *live = MP_STATE_VM(microlite_live); live != NULL; live = live->next) {
        const model_obj_t *model = live_model(live);
        if (model != NULL && model != self
            && (region_overlaps(region, &model->arena) || region_overlaps(region, &model->model))) {
            return true;
        }
    }
    return false;
}

static void take_out(const live_t *live) {
    mp_uint_t atomic_state = MICROPY_BEGIN_ATOMIC_SECTION();
    for (live_t **link = &MP_STATE_VM(microlite_live); *link != NULL; link = &(*link)->next) {
        if (*link == live) {
            *link = live->next;
            break;
        }
    }
    MICROPY_END_ATOMIC_SECTION(atomic_state);
}

live_t *live_new(const model_obj_t *model) {
    live_t *live = mp_obj_malloc(live_t, &live_type);
    live->hidden = ~(uintptr_t)model;
    return live;
}

void live_add(model_obj_t *self, live_t *live) {
    for (const live_t *old = MP_STATE_VM(microlite_live); old != NULL; old = old->next) {
        if (live_model(old) == NULL) {
            take_out(old);
        }
    }
    self->live = live;
    mp_uint_t atomic_state = MICROPY_BEGIN_ATOMIC_SECTION();
    live->next = MP_STATE_VM(microlite_live);
    MP_STATE_VM(microlite_live) = live;
    MICROPY_END_ATOMIC_SECTION(atomic_state);
}

void live_remove(model_obj_t *self) {
    take_out(self->live);
    self->live = NULL;
}
