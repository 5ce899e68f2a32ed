// The front end that TensorFlow's keyword models are trained with: window, FFT, filter bank, noise
// reduction, gain control (PCAN) and logarithm in fixed point. TFLM's own code runs on a block of
// the caller; the tables in it are made here.

#ifndef MICROLITE_AUDIO_PCAN_H
#define MICROLITE_AUDIO_PCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int sample_rate;
    int window;                 // samples, 2 to 16384
    int stride;                 // samples, 1 to window
    int channels;               // 1 to 256
    float lower, upper;         // Hz, 0 <= lower < upper <= sample_rate / 2
    int smoothing_bits;
    float even_smoothing;       // 0 to 1, as the next two
    float odd_smoothing;
    float min_signal_remaining;
    bool pcan;
    float strength;             // 0 to 1
    float offset;               // positive
    int gain_bits;
    bool log;
    int log_shift;
} pcan_config_t;

typedef struct _pcan_t pcan_t;

// The least smoothing_bits and gain_bits for the window; the most of the latter is 30.
int pcan_least_smoothing_bits(const pcan_config_t *config);
int pcan_least_gain_bits(const pcan_config_t *config);

// Bytes of the block; 0 when the spectrum ends below the upper limit.
size_t pcan_size(const pcan_config_t *config);

// The block of pcan_size() bytes is aligned to 8 and stays where it is.
pcan_t *pcan_init(void *block, size_t size, const pcan_config_t *config);
void pcan_reset(pcan_t *self);

// Takes samples up to the end of a window. Returns its row of channels, valid until the next call, or
// NULL when all n were taken and more are needed.
const uint16_t *pcan_feed(pcan_t *self, const int16_t *samples, size_t n, size_t *taken);

#endif
