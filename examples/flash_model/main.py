# A model that is larger than the memory of many boards: it stays in flash, where it is used in
# place, and takes memory for its arena only. For comparison, a copy of it in memory.

import gc

import microlite
import partition


def heap():
    gc.collect()
    return gc.mem_alloc()


for copy in (False, True):
    before = heap()
    try:
        model = microlite.Model(partition.MODEL, copy=copy)
    except MemoryError as e:
        print("copied: %s" % e)
        continue
    loaded = heap()
    model.invoke()
    print("%s: heap from %d to %d bytes, which are %d; model %d, arena %d, a run takes %d us" % (
        "in place" if model.in_place else "copied",
        before, loaded, loaded - before, model.size, model.arena_size, model.last_us or 0,
    ))  # fmt: skip
    model.close()
    del model
