// Tables and state of TFLM's micro frontend in one block, as its own set-up would make them with
// malloc() and the C library's maths.

#include <stdint.h>
#include <string.h>

#include "tensorflow/lite/experimental/microfrontend/lib/bits.h"
#include "tensorflow/lite/experimental/microfrontend/lib/frontend.h"
#include "kiss_fft.h"
#include "tools/kiss_fftr.h"

#include "maths.h"
#include "pcan.h"

#define WIDE_BITS   (32)
#define LUT_SIZE    (4 * WIDE_BITS - 3)
#define BLOCK       (4)     // weights of a channel are a multiple of these,
#define ALIGNMENT   (2)     // from a bin that is a multiple of these

struct _pcan_t {
    struct FrontendState state;
    uint64_t memory[];
};

// Memory that is handed out in pieces; without a start the pieces are only counted.
typedef struct {
    uint8_t *start;
    size_t used;
} pieces_t;

static void *take(pieces_t *self, size_t n, size_t size) {
    void *piece = self->start == NULL ? NULL : self->start + self->used;
    self->used += (n * size + 7) & ~(size_t)7;
    return piece;
}

static int fft_size(const pcan_config_t *config) {
    int size = 1;
    while (size < config->window) {
        size <<= 1;
    }
    return size;
}

// Bits by which the FFT leaves numbers too small.
static int correction_bits(const pcan_config_t *config) {
    return MostSignificantBit32(fft_size(config)) - 1 - kFilterbankBits / 2;
}

int pcan_least_smoothing_bits(const pcan_config_t *config) {
    int bits = correction_bits(config);
    return bits < 0 ? 0 : bits;
}

int pcan_least_gain_bits(const pcan_config_t *config) {
    return correction_bits(config) + kPcanSnrBits;
}

// --- Window ---

static void make_window(struct WindowState *state, const pcan_config_t *config, pieces_t *pieces) {
    state->size = config->window;
    state->step = config->stride;
    state->coefficients = take(pieces, state->size, sizeof(*state->coefficients));
    state->input = take(pieces, state->size, sizeof(*state->input));
    state->output = take(pieces, state->size, sizeof(*state->output));
    if (pieces->start == NULL) {
        return;
    }
    const float arg = AUDIO_PI * 2.0 / (float)config->window;
    for (int i = 0; i < config->window; ++i) {
        float value = 0.5 - 0.5 * audio_cos(arg * (i + 0.5));
        state->coefficients[i] = audio_floor(value * (1 << kFrontendWindowBits) + 0.5);
    }
}

// --- FFT ---

static void make_fft(struct FftState *state, const pcan_config_t *config, pieces_t *pieces) {
    state->input_size = config->window;
    state->fft_size = fft_size(config);
    state->input = take(pieces, state->fft_size, sizeof(*state->input));
    // Energies take its place, twice as large.
    state->output = take(pieces, (state->fft_size / 2 + 1) * 2, sizeof(*state->output));
    state->scratch_size = 0;
    kiss_fftr_alloc(state->fft_size, 0, NULL, &state->scratch_size);
    state->scratch = take(pieces, 1, state->scratch_size);
    if (pieces->start != NULL) {
        kiss_fftr_alloc(state->fft_size, 0, state->scratch, &state->scratch_size);
    }
}

// --- Filter bank ---

// The bins between the centres of two channels: they count for both, by weights that add up to 1.
typedef struct {
    float hz_per_bin;
    float mel_low, mel_spacing;
    int channel;
    int start, end;             // bins
} band_t;

static float mel(float hz) {
    return 1127.0 * audio_log(1.0 + hz / 700.0);
}

static float centre(const band_t *self, int channel) {
    return channel < 0 ? self->mel_low : self->mel_low + self->mel_spacing * (channel + 1);
}

static void next_band(band_t *self) {
    ++self->channel;
    self->start = self->end;
    while (mel(self->end * self->hz_per_bin) <= centre(self, self->channel)) {
        ++self->end;
    }
}

// The state before the first band. The constant component is in none.
static band_t first_band(const pcan_config_t *config) {
    band_t self = { .channel = -1 };
    self.hz_per_bin = 0.5 * config->sample_rate / ((float)(fft_size(config) / 2 + 1) - 1);
    self.mel_low = mel(config->lower);
    float span = mel(config->upper) - self.mel_low;
    self.mel_spacing = span / (float)(config->channels + 1);
    self.end = 1.5 + config->lower / self.hz_per_bin;
    return self;
}

static int n_padded(const band_t *self) {
    int first = self->start / ALIGNMENT * ALIGNMENT;
    return (self->end - first + BLOCK - 1) / BLOCK * BLOCK;
}

// Number of weights. Bands without a bin share a block of zeros at the start. end is that of the last band.
static size_t count_weights(const pcan_config_t *config, size_t *zeros, int *end) {
    size_t n = 0;
    band_t band = first_band(config);
    *zeros = 0;
    for (int i = 0; i <= config->channels; ++i) {
        next_band(&band);
        if (band.start == band.end) {
            *zeros = BLOCK;
        } else {
            n += n_padded(&band);
        }
    }
    *end = band.end;
    return n + *zeros;
}

static void make_weights(const band_t *self, int16_t *weights, int16_t *unweights) {
    float to = centre(self, self->channel), from = centre(self, self->channel - 1);
    for (int bin = self->start; bin < self->end; ++bin) {
        const float weight = (to - mel(bin * self->hz_per_bin)) / (to - from);
        *weights++ = audio_floor(weight * (1 << kFilterbankBits) + 0.5);
        *unweights++ = audio_floor((1.0 - weight) * (1 << kFilterbankBits) + 0.5);
    }
}

static void make_filterbank(struct FilterbankState *state, const pcan_config_t *config, pieces_t *pieces) {
    size_t next, n_bands = config->channels + 1;
    size_t n = count_weights(config, &next, &state->end_index);
    state->num_channels = config->channels;
    state->channel_frequency_starts = take(pieces, n_bands, sizeof(int16_t));
    state->channel_weight_starts = take(pieces, n_bands, sizeof(int16_t));
    state->channel_widths = take(pieces, n_bands, sizeof(int16_t));
    state->weights = take(pieces, n, sizeof(int16_t));
    state->unweights = take(pieces, n, sizeof(int16_t));
    state->work = take(pieces, n_bands, sizeof(uint64_t));
    if (pieces->start == NULL) {
        return;
    }
    band_t band = first_band(config);
    state->start_index = band.end;
    for (size_t i = 0; i < n_bands; ++i) {
        next_band(&band);
        if (band.start == band.end) {
            state->channel_widths[i] = BLOCK;
            continue;
        }
        int first = band.start / ALIGNMENT * ALIGNMENT;
        size_t at = next + band.start - first;
        state->channel_frequency_starts[i] = first;
        state->channel_weight_starts[i] = next;
        state->channel_widths[i] = n_padded(&band);
        make_weights(&band, state->weights + at, state->unweights + at);
        next += n_padded(&band);
    }
}

// --- Noise reduction, gain control, logarithm ---

static void make_noise_reduction(struct NoiseReductionState *state, const pcan_config_t *config, pieces_t *pieces) {
    state->smoothing_bits = config->smoothing_bits;
    state->odd_smoothing = config->odd_smoothing * (1 << kNoiseReductionBits);
    state->even_smoothing = config->even_smoothing * (1 << kNoiseReductionBits);
    state->min_signal_remaining = config->min_signal_remaining * (1 << kNoiseReductionBits);
    state->num_channels = config->channels;
    state->estimate = take(pieces, config->channels, sizeof(*state->estimate));
}

static int16_t gain(const pcan_config_t *config, uint32_t noise) {
    int bits = config->smoothing_bits - correction_bits(config);
    const float base = (float)noise / ((uint32_t)1 << bits) + config->offset;
    const float power = audio_exp(-(double)config->strength * audio_log(base));
    const float result = ((uint32_t)1 << config->gain_bits) * power;
    return result > INT16_MAX ? INT16_MAX : (int16_t)(result + 0.5f);
}

// For each power of two the coefficients of a parabola.
static void make_gain_control(struct PcanGainControlState *state, const pcan_config_t *config,
    uint32_t *noise, pieces_t *pieces) {
    state->enable_pcan = config->pcan;
    if (!config->pcan) {
        return;
    }
    state->noise_estimate = noise;
    state->num_channels = config->channels;
    state->snr_shift = config->gain_bits - correction_bits(config) - kPcanSnrBits;
    int16_t *lut = state->gain_lut = take(pieces, LUT_SIZE, sizeof(int16_t));
    if (pieces->start == NULL) {
        return;
    }
    *lut++ = gain(config, 0);
    *lut++ = gain(config, 1);
    for (int bits = 2; bits <= WIDE_BITS; ++bits) {
        const uint32_t x0 = (uint32_t)1 << (bits - 1);
        const uint32_t x2 = bits == WIDE_BITS ? UINT32_MAX : 2 * x0;
        const int32_t y0 = gain(config, x0);
        const int32_t diff1 = gain(config, x0 + x0 / 2) - y0;
        const int32_t diff2 = gain(config, x2) - y0;
        const int32_t a1 = 4 * diff1 - diff2;
        lut[0] = y0;
        lut[1] = a1;
        lut[2] = diff2 - a1;
        lut += 4;
    }
}

static size_t make(pcan_t *self, const pcan_config_t *config, uint8_t *start) {
    struct FrontendState *state = &self->state;
    pieces_t pieces = { start, 0 };
    make_window(&state->window, config, &pieces);
    make_fft(&state->fft, config, &pieces);
    make_filterbank(&state->filterbank, config, &pieces);
    make_noise_reduction(&state->noise_reduction, config, &pieces);
    make_gain_control(&state->pcan_gain_control, config, state->noise_reduction.estimate, &pieces);
    state->log_scale.enable_log = config->log;
    state->log_scale.scale_shift = config->log_shift;
    return pieces.used;
}

// --- What callers use ---

size_t pcan_size(const pcan_config_t *config) {
    pcan_t self;
    size_t size = sizeof(self) + make(&self, config, NULL);
    return self.state.filterbank.end_index > fft_size(config) / 2 ? 0 : size;
}

pcan_t *pcan_init(void *block, size_t size, const pcan_config_t *config) {
    pcan_t *self = block;
    memset(self, 0, size);
    make(self, config, (uint8_t *)self->memory);
    return self;
}

void pcan_reset(pcan_t *self) {
    FrontendReset(&self->state);
}

const uint16_t *pcan_feed(pcan_t *self, const int16_t *samples, size_t n, size_t *taken) {
    return FrontendProcessSamples(&self->state, samples, n, taken).values;
}
