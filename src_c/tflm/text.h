// Text into buffers of fixed size, without the C library's formatting.

#ifndef MICROLITE_TFLM_TEXT_H
#define MICROLITE_TFLM_TEXT_H

#include <stdarg.h>
#include <stddef.h>

// Appends to the NUL-terminated text in buf, cut at size. Knows %d %i %u %x %c %s %f (whole
// part only) and the sizes l, ll and z. Control characters and bytes above 126 become spaces,
// so that what stands in a model cannot disturb a terminal.
void text_append(char *buf, size_t size, const char *format, ...);
void text_vappend(char *buf, size_t size, const char *format, va_list args);

// The same as a line of its own: "; " goes before it, line ends at its end are dropped.
void text_vappend_line(char *buf, size_t size, const char *format, va_list args);

#endif
