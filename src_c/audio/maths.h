// Maths functions in double for tables that are made once: equal on every port, whatever its C
// library has. kissfft is compiled to use those that it needs.

#ifndef MICROLITE_AUDIO_MATHS_H
#define MICROLITE_AUDIO_MATHS_H

#include <stddef.h>

#define AUDIO_PI (3.14159265358979323846)

double audio_floor(double x);

// |x| up to a few turns.
double audio_sin(double x);
double audio_cos(double x);

// x positive and normal.
double audio_log(double x);
double audio_sqrt(double x);

// |x| < 700
double audio_exp(double x);

// A power of two that brings the largest of n finite numbers near 1, or as near as float32 can. Of its
// inverse float32 holds all the same.
float audio_factor(const float *x, size_t n);

#endif
