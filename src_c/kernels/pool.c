// Pooling, see pool.h.

#include <float.h>

#include "pool.h"

// The part of a window that lies in the image: rows of columns, from an offset in pixels on.
typedef struct {
    int32_t offset;
    int32_t rows;
    int32_t columns;
} window_t;

static window_t window_at(const pool_t *params, int32_t y, int32_t x) {
    const int32_t top = y * params->stride_height - params->pad_height;
    const int32_t left = x * params->stride_width - params->pad_width;
    const int32_t first_row = top < 0 ? 0 : top;
    const int32_t first_column = left < 0 ? 0 : left;
    const int32_t bottom = top + params->filter_height;
    const int32_t right = left + params->filter_width;
    return (window_t) {
        first_row * params->in_width + first_column,
        (bottom < params->in_height ? bottom : params->in_height) - first_row,
        (right < params->in_width ? right : params->in_width) - first_column,
    };
}

static int32_t rounded_average(int32_t sum, int32_t n) {
    return (sum > 0 ? sum + n / 2 : sum - n / 2) / n;
}

// One kernel: how a value joins those before it, and what becomes of the result for n values.
#define POOL(name, type, wide, limit_type, start, join, finish) \
    void name(const pool_t *params, limit_type least, limit_type most, const type *in, type *out) { \
        const int32_t channels = params->channels; \
        const int32_t line = params->in_width * channels; \
        for (int32_t batch = 0; batch < params->batches; ++batch, in += params->in_height * line) { \
            for (int32_t i = 0; i < params->out_height * params->out_width; ++i) { \
                const window_t window = window_at(params, i / params->out_width, i % params->out_width); \
                const type *corner = in + window.offset * channels; \
                for (int32_t channel = 0; channel < channels; ++channel, ++corner) { \
                    wide result = start; \
                    for (int32_t y = 0; y < window.rows; ++y) { \
                        const type *value = corner + y * line; \
                        for (int32_t x = 0; x < window.columns; ++x, value += channels) { \
                            result = join(result, *value); \
                        } \
                    } \
                    result = finish(result, window.rows * window.columns); \
                    *out++ = (type)(result < least ? least : result > most ? most : result); \
                } \
            } \
        } \
    }

#define ADD(a, b) ((a) + (b))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define AVERAGE(sum, n) ((sum) / (float)(n))
#define SAME(value, n) (value)

POOL(average_pool_s8, int8_t, int32_t, int32_t, 0, ADD, rounded_average)
POOL(average_pool_u8, uint8_t, int32_t, int32_t, 0, ADD, rounded_average)
POOL(average_pool_s16, int16_t, int32_t, int32_t, 0, ADD, rounded_average)
POOL(average_pool_f32, float, float, float, 0, ADD, AVERAGE)
POOL(max_pool_s8, int8_t, int32_t, int32_t, INT8_MIN, LARGER, SAME)
POOL(max_pool_u8, uint8_t, int32_t, int32_t, 0, LARGER, SAME)
POOL(max_pool_s16, int16_t, int32_t, int32_t, INT16_MIN, LARGER, SAME)
POOL(max_pool_f32, float, float, float, -FLT_MAX, LARGER, SAME)
