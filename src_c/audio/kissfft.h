// Included before kissfft's sources: their tables come from our maths functions, which bare-metal
// ports without a C library in double have too.

#include <math.h>

#include "maths.h"

#define cos audio_cos
#define sin audio_sin
#define floor audio_floor
#define sqrt audio_sqrt
