// Text into buffers of fixed size, see text.h.

#include "text.h"

#include <stdint.h>
#include <string.h>

typedef struct {
    char *at;
    char *end;      // where the NUL goes at the latest
} writer_t;

static void put_char(writer_t *writer, char c) {
    if (writer->at < writer->end) {
        *writer->at++ = c >= ' ' && c <= '~' ? c : ' ';
    }
}

static void put_string(writer_t *writer, const char *text) {
    for (text = text ? text : "(null)"; *text; ++text) {
        put_char(writer, *text);
    }
}

static void put_number(writer_t *writer, uint64_t value, unsigned base) {
    char digits[20];
    size_t n = 0;
    do {
        digits[n++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    while (n) {
        put_char(writer, digits[--n]);
    }
}

static void put_signed(writer_t *writer, int64_t value) {
    if (value < 0) {
        put_char(writer, '-');
    }
    put_number(writer, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10);
}

static int64_t next_integer(va_list *args, char length, bool is_signed) {
    switch (length) {
        case 'l':
            return is_signed ? va_arg(*args, long) : (int64_t)va_arg(*args, unsigned long);
        case 'L':
            return va_arg(*args, long long);
        case 'z':
            return is_signed ? va_arg(*args, ptrdiff_t) : (int64_t)va_arg(*args, size_t);
        default:
            return is_signed ? va_arg(*args, int) : (int64_t)va_arg(*args, unsigned);
    }
}

static const char *put_argument(writer_t *writer, const char *format, va_list *args) {
    char length = 0;
    for (; *format == 'l' || *format == 'z'; ++format) {
        length = length == 'l' ? 'L' : *format;
    }
    switch (*format) {
        case 'd':
        case 'i':
            put_signed(writer, next_integer(args, length, true));
            break;
        case 'u':
            put_number(writer, (uint64_t)next_integer(args, length, false), 10);
            break;
        case 'x':
            put_number(writer, (uint64_t)next_integer(args, length, false), 16);
            break;
        case 'f':
            put_signed(writer, (int64_t)va_arg(*args, double));
            break;
        case 'c':
            put_char(writer, (char)va_arg(*args, int));
            break;
        case 's':
            put_string(writer, va_arg(*args, const char *));
            break;
        case '\0':
            return format;
        default:
            put_char(writer, *format);
    }
    return format + 1;
}

static void put_format(writer_t *writer, const char *format, va_list args) {
    va_list rest;
    va_copy(rest, args);
    while (*format) {
        if (*format != '%') {
            put_char(writer, *format++);
        } else {
            format = put_argument(writer, format + 1, &rest);
        }
    }
    va_end(rest);
    *writer->at = '\0';
}

static writer_t open_writer(char *buf, size_t size) {
    writer_t writer = { buf + strlen(buf), buf + size - 1 };
    return writer;
}

void text_vappend(char *buf, size_t size, const char *format, va_list args) {
    writer_t writer = open_writer(buf, size);
    put_format(&writer, format, args);
}

void text_append(char *buf, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    text_vappend(buf, size, format, args);
    va_end(args);
}

void text_vappend_line(char *buf, size_t size, const char *format, va_list args) {
    writer_t writer = open_writer(buf, size);
    if (writer.at != buf) {
        put_string(&writer, "; ");
    }
    put_format(&writer, format, args);
    while (writer.at > buf && writer.at[-1] == ' ') {
        *--writer.at = '\0';
    }
}
