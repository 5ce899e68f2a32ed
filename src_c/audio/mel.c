// MFE and MFCC of one window after the other.

#include <math.h>
#include <string.h>

#include "fft.h"
#include "maths.h"
#include "mel.h"

#define FULL_SCALE      (32768.0f)
#define NO_ENERGY       (1e-10f)    // stands for zero in logarithms
#define HEADROOM        (12.0f)     // dB above 0 that MFE has room for
#define STEPS           (256.0f)    // MFE comes in so many

struct _mel_t {
    mel_config_t config;
    size_t n;               // samples in input, the one before the window first
    int16_t *input;
    float *work;            // fft_size
    float *row;             // channels
    float *quarter;         // for the FFT
    float *dct;             // cos(pi k / (2 channels)) for k = 0 to channels
    int16_t *edges;         // channels + 2 bins: from where each channel rises, and the end of the last
    uint64_t memory[];
};

static double mel(double hz) {
    return 1127 * audio_log(1 + hz / 700);
}

static int edge(const mel_config_t *config, int index) {
    double low = mel(config->lower), high = mel(config->upper);
    double at = low + (high - low) * index / (config->channels + 1);
    double hz = 700 * (audio_exp(at / 1127) - 1);
    if (index == config->channels + 1) {
        hz -= 0.001;        // not the bin after the last
    }
    return (int)audio_floor((config->fft_size + 1) * hz / config->sample_rate);
}

static size_t place(mel_t *self, const mel_config_t *config, uint8_t *start) {
    size_t n_quarter = FFT_QUARTER_SIZE(config->fft_size), n_dct = config->cepstra ? config->channels + 1 : 0;
    float *floats = (float *)start;
    int16_t *shorts = (int16_t *)(floats + config->fft_size + config->channels + n_quarter + n_dct);
    self->work = floats;
    self->row = self->work + config->fft_size;
    self->quarter = self->row + config->channels;
    self->dct = self->quarter + n_quarter;
    self->edges = shorts;
    self->input = self->edges + config->channels + 2;
    return (uint8_t *)(self->input + config->window + 1) - start;
}

size_t mel_size(const mel_config_t *config) {
    for (int i = 0; i < config->channels; ++i) {
        if (edge(config, i) == edge(config, i + 2)) {
            return 0;
        }
    }
    mel_t self;
    uint64_t anywhere;
    return sizeof(mel_t) + place(&self, config, (uint8_t *)&anywhere);
}

mel_t *mel_init(void *block, size_t size, const mel_config_t *config) {
    mel_t *self = block;
    memset(self, 0, size);
    self->config = *config;
    place(self, config, (uint8_t *)self->memory);
    fft_make_quarter(self->quarter, config->fft_size);
    for (int i = 0; i < config->channels + 2; ++i) {
        self->edges[i] = edge(config, i);
    }
    for (int i = 0; config->cepstra && i <= config->channels; ++i) {
        self->dct[i] = audio_cos(AUDIO_PI / 2 * i / config->channels);
    }
    mel_reset(self);
    return self;
}

void mel_reset(mel_t *self) {
    self->n = 1;
    self->input[0] = 0;
}

// --- One window ---

// What is longer than the FFT is cut, what is shorter is filled up with zeros.
static void load(mel_t *self) {
    const mel_config_t *config = &self->config;
    float scale = config->cepstra ? 1.0f : 1.0f / FULL_SCALE;
    for (int i = 0; i < config->fft_size; ++i) {
        const int16_t *x = self->input + i;
        self->work[i] = i >= config->window ? 0.0f : (x[1] - config->preemphasis * x[0]) * scale;
    }
}

// Up from 0 at the left edge to 1 at the middle one, and down to 0 at the right one.
static float channel_energy(const mel_t *self, const float *power, int channel) {
    int left = self->edges[channel], middle = self->edges[channel + 1], right = self->edges[channel + 2];
    float sum = 0.0f;
    for (int bin = left + 1; bin < middle; ++bin) {
        sum += power[bin] * (float)(bin - left) / (float)(middle - left);
    }
    if (middle == right) {
        return sum + power[middle];
    }
    for (int bin = middle; bin < right; ++bin) {
        sum += power[bin] * (float)(right - bin) / (float)(right - middle);
    }
    return sum;
}

static float not_zero(float energy) {
    return energy == 0.0f ? NO_ENERGY : energy;
}

static float normalised(float decibels, float noise_floor) {
    float x = (decibels - noise_floor) / (HEADROOM - noise_floor);
    x = (float)(int)((x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x) * STEPS + 0.5f);
    return (x < STEPS ? x : STEPS - 1.0f) / STEPS;
}

// The discrete cosine transform (type 2, orthonormal) of the logarithms in row; the logarithm of the
// window's energy takes the place of the first coefficient.
static void make_cepstra(const mel_t *self, float energy) {
    int n = self->config.channels;
    float scale = sqrtf(2.0f / n);
    float *out = self->work;
    out[0] = logf(energy);
    for (int k = 1; k < self->config.cepstra; ++k) {
        float sum = 0.0f;
        for (int i = 0; i < n; ++i) {
            sum += self->row[i] * fft_cos(self->dct, 4 * n, k * (2 * i + 1) % (4 * n));
        }
        out[k] = sum * scale;
    }
}

static const float *make_row(mel_t *self) {
    const mel_config_t *config = &self->config;
    int n_bins = config->fft_size / 2 + 1;
    float *power = self->work;
    load(self);
    fft_real(self->work, config->fft_size, self->quarter);
    fft_power(self->work, config->fft_size, power);
    float total = 0.0f;
    for (int i = 0; i < n_bins; ++i) {
        power[i] /= config->fft_size;
        total += power[i];
    }
    for (int i = 0; i < config->channels; ++i) {
        float energy = logf(not_zero(channel_energy(self, power, i)));
        if (config->cepstra == 0) {
            energy *= 4.3429448f;       // dB: 10 / log(10)
            if (config->noise_floor != 0.0f) {
                energy = normalised(energy, config->noise_floor);
            }
        }
        self->row[i] = energy;
    }
    if (config->cepstra == 0) {
        return self->row;
    }
    make_cepstra(self, not_zero(total));
    return self->work;
}

const float *mel_feed(mel_t *self, const int16_t *samples, size_t n, size_t *taken) {
    size_t size = self->config.window + 1, stride = self->config.stride;
    *taken = n < size - self->n ? n : size - self->n;
    memcpy(self->input + self->n, samples, *taken * sizeof(*samples));
    self->n += *taken;
    if (self->n < size) {
        return NULL;
    }
    const float *row = make_row(self);
    memmove(self->input, self->input + stride, (size - stride) * sizeof(*samples));
    self->n -= stride;
    return row;
}
