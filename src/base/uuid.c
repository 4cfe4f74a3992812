/* UUIDs from the system's random bytes (RFC 9562, "UUID Version 4"). A name made of one must never be given twice,
 * so without random bytes the process ends. */
#include "base/uuid.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>

#include "base/error.h"

void
weir_uuid(char text[WEIR_UUID_SIZE])
{
    static const char hex[] = "0123456789abcdef";
    unsigned char bytes[16];
    ssize_t got;
    unsigned i;

    do {
        got = getrandom(bytes, sizeof(bytes), 0);
    } while (got < 0 && errno == EINTR);
    WEIR_ASSERT(got == (ssize_t)sizeof(bytes)); /* 256 bytes and fewer are never cut */
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x40);
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80);
    for (i = 0; i < sizeof(bytes); i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *text++ = '-';
        *text++ = hex[bytes[i] >> 4];
        *text++ = hex[bytes[i] & 0xf];
    }
    *text = '\0';
}
