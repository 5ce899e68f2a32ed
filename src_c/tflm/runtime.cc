// What C++ objects with virtual functions name and nothing calls. Weak: a C++ library in the
// same link wins.

#include <stddef.h>

__attribute__((weak)) void operator delete(void *) noexcept {
}

__attribute__((weak)) void operator delete(void *, size_t) noexcept {
}

extern "C" __attribute__((weak)) void __cxa_pure_virtual(void) {
    for (;;) {
    }
}
