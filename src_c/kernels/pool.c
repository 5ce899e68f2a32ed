// Pooling, see pool.h.
//
// Int8 takes 10 instructions a value in windows of 2 x 2 and 4 to 6 in large ones where channels come in
// fours, else about 20, on a Cortex-M4 and M3.

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

// One kernel: how a value joins those before it, and what becomes of the result for n values. Before that
// some of the channels may be done otherwise.
#define POOL(name, type, wide, limit_type, start, join, finish, otherwise) \
    void name(const pool_t *params, limit_type least, limit_type most, const type *in, type *out) { \
        const int32_t channels = params->channels; \
        const int32_t line = params->in_width * channels; \
        for (int32_t batch = 0; batch < params->batches; ++batch, in += params->in_height * line) { \
            for (int32_t i = 0; i < params->out_height * params->out_width; ++i) { \
                const window_t window = window_at(params, i / params->out_width, i % params->out_width); \
                const int32_t n = window.rows * window.columns; \
                const type *corner = in + window.offset * channels; \
                int32_t channel = 0; \
                (void)n; \
                otherwise \
                for (; channel < channels; ++channel, ++corner) { \
                    wide result = start; \
                    for (int32_t y = 0; y < window.rows; ++y) { \
                        const type *value = corner + y * line; \
                        for (int32_t x = 0; x < window.columns; ++x, value += channels) { \
                            result = join(result, *value); \
                        } \
                    } \
                    result = finish(result, n); \
                    *out++ = (type)(result < least ? least : result > most ? most : result); \
                } \
            } \
        } \
    }

// Int8, four channels at a time.
#define FOUR(name, start, join) \
    static __attribute__((noinline)) void name(const window_t *window, const int8_t *corner, int32_t channels, \
    int32_t line, int32_t results[4]) { \
        int32_t r0 = start, r1 = start, r2 = start, r3 = start; \
        for (int32_t y = window->rows; y > 0; --y, corner += line) { \
            const int8_t *value = corner; \
            for (int32_t x = window->columns; x > 0; --x, value += channels) { \
                r0 = join(r0, value[0]); \
                r1 = join(r1, value[1]); \
                r2 = join(r2, value[2]); \
                r3 = join(r3, value[3]); \
            } \
        } \
        results[0] = r0, results[1] = r1, results[2] = r2, results[3] = r3; \
    }

#define FOUR_EACH(four, finish) \
    for (; channel + 4 <= channels; channel += 4, corner += 4) { \
        int32_t results[4]; \
        four(&window, corner, channels, line, results); \
        for (int32_t k = 0; k < 4; ++k) { \
            *out++ = (int8_t)fixed_clamp(finish(results[k], n), least, most); \
        } \
    }

#define ADD(a, b) ((a) + (b))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define AVERAGE(sum, n) ((sum) / (float)(n))
#define SAME(value, n) (value)

FOUR(four_sums, 0, ADD)
FOUR(four_largest, INT8_MIN, LARGER)

POOL(average_pool_s8, int8_t, int32_t, int32_t, 0, ADD, rounded_average, FOUR_EACH(four_sums, rounded_average))
POOL(average_pool_u8, uint8_t, int32_t, int32_t, 0, ADD, rounded_average, )
POOL(average_pool_s16, int16_t, int32_t, int32_t, 0, ADD, rounded_average, )
POOL(average_pool_f32, float, float, float, 0, ADD, AVERAGE, )
POOL(max_pool_s8, int8_t, int32_t, int32_t, INT8_MIN, LARGER, SAME, FOUR_EACH(four_largest, SAME))
POOL(max_pool_u8, uint8_t, int32_t, int32_t, 0, LARGER, SAME, )
POOL(max_pool_s16, int16_t, int32_t, int32_t, INT16_MIN, LARGER, SAME, )
POOL(max_pool_f32, float, float, float, -FLT_MAX, LARGER, SAME, )
