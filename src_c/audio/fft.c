// A real FFT of a power of two, as a complex one of half that length.

#include "fft.h"
#include "maths.h"

// Halves the angle between neighbours until they are 2 pi / n apart, by
// cos(a) + cos(b) = 2 cos((a - b) / 2) cos((a + b) / 2).
void fft_make_quarter(float *quarter, size_t n) {
    quarter[0] = 1.0f;
    quarter[n / 4] = 0.0f;
    for (size_t half = n / 8; half > 0; half /= 2) {
        float factor = 0.5 / audio_cos(2 * AUDIO_PI * half / n);
        for (size_t k = half; k < n / 4; k += 2 * half) {
            quarter[k] = (quarter[k - half] + quarter[k + half]) * factor;
        }
    }
}

float fft_cos(const float *quarter, size_t n, size_t k) {
    if (k > n / 2) {
        k = n - k;
    }
    return k <= n / 4 ? quarter[k] : -quarter[n / 2 - k];
}

static float fft_sin(const float *quarter, size_t n, size_t k) {
    return fft_cos(quarter, n, k < n / 4 ? k + n - n / 4 : k - n / 4);
}

static void swap_bits(float *x, size_t n_pairs) {
    for (size_t i = 1, j = 0; i < n_pairs; ++i) {
        size_t bit = n_pairs / 2;
        for (; j & bit; bit /= 2) {
            j ^= bit;
        }
        j ^= bit;
        if (i < j) {
            for (size_t part = 0; part < 2; ++part) {
                float t = x[2 * i + part];
                x[2 * i + part] = x[2 * j + part];
                x[2 * j + part] = t;
            }
        }
    }
}

static void fft_complex(float *x, size_t n, const float *quarter) {
    size_t n_pairs = n / 2;
    swap_bits(x, n_pairs);
    for (size_t half = 1; half < n_pairs; half *= 2) {
        for (size_t k = 0; k < half; ++k) {
            float c = fft_cos(quarter, n, k * (n_pairs / half));
            float s = fft_sin(quarter, n, k * (n_pairs / half));
            for (size_t i = k; i < n_pairs; i += 2 * half) {
                float *a = x + 2 * i;
                float *b = a + 2 * half;
                float re = b[0] * c + b[1] * s;
                float im = b[1] * c - b[0] * s;
                b[0] = a[0] - re;
                b[1] = a[1] - im;
                a[0] += re;
                a[1] += im;
            }
        }
    }
}

void fft_real(float *x, size_t n, const float *quarter) {
    fft_complex(x, n, quarter);
    float first = x[0] + x[1];
    x[1] = x[0] - x[1];
    x[0] = first;
    for (size_t k = 1; k <= n / 4; ++k) {
        float *a = x + 2 * k;
        float *b = x + n - 2 * k;
        // The spectra of the even and of the odd numbers.
        float even_re = 0.5f * (a[0] + b[0]), even_im = 0.5f * (a[1] - b[1]);
        float odd_re = 0.5f * (a[1] + b[1]), odd_im = 0.5f * (b[0] - a[0]);
        float c = fft_cos(quarter, n, k), s = fft_sin(quarter, n, k);
        float re = odd_re * c + odd_im * s;
        float im = odd_im * c - odd_re * s;
        a[0] = even_re + re;
        a[1] = even_im + im;
        b[0] = even_re - re;
        b[1] = im - even_im;
    }
}

void fft_power(const float *x, size_t n, float *power) {
    float last = x[1] * x[1];
    power[0] = x[0] * x[0];
    for (size_t k = 1; k < n / 2; ++k) {
        power[k] = x[2 * k] * x[2 * k] + x[2 * k + 1] * x[2 * k + 1];
    }
    power[n / 2] = last;
}
