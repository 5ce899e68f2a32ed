// Places of extremes, see arg_max.h.

#include "arg_max.h"

#define ARG_MAX(name, type) \
    int32_t name(const void *in, int32_t step, int32_t n, bool least) { \
        const type *values = in; \
        type best = *values; \
        int32_t place = 0; \
        for (int32_t i = 1; i < n; ++i) { \
            values += step; \
            if (least ? *values < best : *values > best) { \
                best = *values; \
                place = i; \
            } \
        } \
        return place; \
    }

ARG_MAX(arg_max_f32, float)
ARG_MAX(arg_max_s8, int8_t)
ARG_MAX(arg_max_u8, uint8_t)
ARG_MAX(arg_max_s16, int16_t)
ARG_MAX(arg_max_s32, int32_t)
