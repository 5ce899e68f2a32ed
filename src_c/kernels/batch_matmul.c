// Products of matrices in batches, see batch_matmul.h. Inputs are read where they are: no transposed
// copies, no scratch.

#include "batch_matmul.h"

// The product of two matrices, which begin at places of arrays as their result does at index. Products
// are made of x and y, the result of their sum.
#define MULTIPLY(name, type, sum_type, product, result) \
    static void name(const batch_matmul_t *params, const batch_matmul_scale_t *scale, const void *a_in, \
    int32_t a_place, const void *b_in, int32_t b_place, void *out_in, int32_t index) { \
        const int32_t a_step = params->a.depth, b_step = params->b.depth, n = params->depth; \
        const int32_t a_offset = scale ? scale->a_offset : 0, b_offset = scale ? scale->b_offset : 0; \
        type *out = (type *)out_in + index; \
        for (int32_t i = 0; i < params->rows; ++i) { \
            const type *b_line = (const type *)b_in + b_place; \
            for (int32_t j = 0; j < params->columns; ++j, b_line += params->b.line) { \
                const type *a = (const type *)a_in + a_place + i * params->a.line; \
                const type *b = b_line; \
                sum_type sum = 0; \
                for (int32_t k = 0; k < n; ++k, a += a_step, b += b_step) { \
                    const type x = *a; \
                    const type y = *b; \
                    sum += product; \
                } \
                *out++ = (type)(result); \
            } \
        } \
        (void)a_offset; \
        (void)b_offset; \
    }

static int32_t scaled_s8(const batch_matmul_scale_t *scale, int32_t sum) {
    const int32_t value = fixed_multiply(sum, scale->factor.multiplier, scale->factor.shift);
    return fixed_clamp((int32_t)((uint32_t)value + (uint32_t)scale->out_offset), INT8_MIN, INT8_MAX);
}

static int32_t scaled_s16(const batch_matmul_scale_t *scale, int64_t sum) {
    const int32_t value = fixed_multiply_wide(sum, scale->factor.multiplier, scale->factor.shift);
    return fixed_clamp(value, INT16_MIN, INT16_MAX);
}

MULTIPLY(multiply_f32, float, float, x * y, sum)
MULTIPLY(multiply_s8, int8_t, int32_t, (x + a_offset) * (y + b_offset), scaled_s8(scale, sum))
MULTIPLY(multiply_s16, int16_t, int64_t, x * y, scaled_s16(scale, sum))

void batch_matmul(const batch_matmul_t *params, batch_matmul_kind_t kind, const batch_matmul_scale_t *scale,
    const void *a, const void *b, void *out) {
    const int32_t *batches = params->batches;
    const int32_t n = batches[0] * batches[1] * batches[2];
    for (int32_t index = 0; index < n; ++index) {
        const int32_t j = index / batches[2];
        const int32_t at[] = { j / batches[1], j % batches[1], index % batches[2] };
        int32_t a_place = 0;
        int32_t b_place = 0;
        for (int i = 0; i < BATCH_MATMUL_MAX_BATCHES; ++i) {
            a_place += at[i] * params->a.batches[i];
            b_place += at[i] * params->b.batches[i];
        }
        const int32_t out_place = index * params->rows * params->columns;
        if (kind == BATCH_MATMUL_F32) {
            multiply_f32(params, scale, a, a_place, b, b_place, out, out_place);
        } else if (kind == BATCH_MATMUL_S8) {
            multiply_s8(params, scale, a, a_place, b, b_place, out, out_place);
        } else {
            multiply_s16(params, scale, a, a_place, b, b_place, out, out_place);
        }
    }
}
