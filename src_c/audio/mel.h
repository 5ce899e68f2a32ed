// Mel filter bank energies (MFE) and cepstral coefficients (MFCC) in float32, by the formulas of
// the Python package speechpy as Edge Impulse uses it.

#ifndef MICROLITE_AUDIO_MEL_H
#define MICROLITE_AUDIO_MEL_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int sample_rate;
    int window;             // samples
    int stride;             // samples, 1 to window
    int fft_size;           // a power of two, 4 to 16384
    int channels;           // 2 to 256
    float lower, upper;     // Hz, 0 <= lower < upper <= sample_rate / 2
    float preemphasis;
    float noise_floor;      // dB, negative; 0 leaves decibels as they are
    int cepstra;            // 1 to channels; 0 for MFE
} mel_config_t;

typedef struct _mel_t mel_t;

// Bytes of the block; 0 when there is a channel without a bin.
size_t mel_size(const mel_config_t *config);

// The block of mel_size() bytes is aligned to 8 and stays where it is.
mel_t *mel_init(void *block, size_t size, const mel_config_t *config);
void mel_reset(mel_t *self);

// Takes samples up to the end of a window. Returns its row of channels or cepstra, valid until the next
// call, or NULL when all n were taken and more are needed.
const float *mel_feed(mel_t *self, const int16_t *samples, size_t n, size_t *taken);

#endif
