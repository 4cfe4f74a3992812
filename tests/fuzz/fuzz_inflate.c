/* Foreign bytes as compressed streams: the first byte chooses the format and the sizes of the pieces. */
#include "codec/compress.h"

#include "base/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const weir_compression kinds[] = {WEIR_GZIP, WEIR_ZSTD_STREAM, WEIR_BZIP2, WEIR_RAW};
    enum { STEPS_MAX = 10000 };
    struct weir_error err = {0};
    struct weir_inflate *z;
    char out[4096];
    size_t room, step, fed = 0, have = 0, got;
    const char *in = NULL;
    weir_rc rc = WEIR_OK;

    if (size < 1 || weir_inflate_new(kinds[data[0] & 3], NULL, &z, &err) != WEIR_OK)
        return 0;
    room = (data[0] & 4) != 0 ? 1 : sizeof(out);
    step = (data[0] & 8) != 0 ? 1 : 1000;
    data++;
    size--;
    for (int i = 0; i < STEPS_MAX && rc == WEIR_OK; i++) {
        if (have == 0 && fed < size) {
            in = (const char *)data + fed;
            have = size - fed < step ? size - fed : step;
            fed += have;
        }
        rc = weir_inflate_step(z, &in, &have, fed == size, out, room, &got, &err);
        WEIR_ASSERT(got <= room);
    }
    weir_inflate_free(z);
    return 0;
}
