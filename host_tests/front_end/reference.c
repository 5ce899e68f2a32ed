// TFLM's micro frontend with its own set-up. Reads 16-bit samples, writes the rows of 16-bit
// features. The arguments are the parameters in the order below, then the size of chunks.

#include <stdio.h>
#include <stdlib.h>

#include "tensorflow/lite/experimental/microfrontend/lib/frontend.h"
#include "tensorflow/lite/experimental/microfrontend/lib/frontend_util.h"

static int16_t samples[1 << 20];

int main(int argc, char **argv) {
    if (argc != 18) {
        return 2;
    }
    struct FrontendConfig config;
    struct FrontendState state;
    char **arg = argv + 1;
    int sample_rate = atoi(*arg++);
    config.window.size_ms = atoi(*arg++);
    config.window.step_size_ms = atoi(*arg++);
    config.filterbank.num_channels = atoi(*arg++);
    config.filterbank.lower_band_limit = atof(*arg++);
    config.filterbank.upper_band_limit = atof(*arg++);
    config.noise_reduction.smoothing_bits = atoi(*arg++);
    config.noise_reduction.even_smoothing = atof(*arg++);
    config.noise_reduction.odd_smoothing = atof(*arg++);
    config.noise_reduction.min_signal_remaining = atof(*arg++);
    config.pcan_gain_control.enable_pcan = atoi(*arg++);
    config.pcan_gain_control.strength = atof(*arg++);
    config.pcan_gain_control.offset = atof(*arg++);
    config.pcan_gain_control.gain_bits = atoi(*arg++);
    config.log_scale.enable_log = atoi(*arg++);
    config.log_scale.scale_shift = atoi(*arg++);
    size_t chunk = atoi(*arg++);
    if (!FrontendPopulateState(&config, &state, sample_rate)) {
        return 1;
    }
    size_t n = fread(samples, sizeof(samples[0]), sizeof(samples) / sizeof(samples[0]), stdin);
    const int16_t *next = samples;
    while (n > 0) {
        size_t taken;
        struct FrontendOutput row = FrontendProcessSamples(&state, next, n < chunk ? n : chunk, &taken);
        fwrite(row.values, sizeof(*row.values), row.size, stdout);
        next += taken;
        n -= taken;
    }
    return 0;
}
