/* Streams of compressed bytes: whole, in pieces of any size, several members, cut off, damaged. */
#include "codec/compress.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <bzlib.h>
#include <zlib.h>
#include <zstd.h>

enum { PLAIN = 300000 };

static char plain[PLAIN];

static size_t
pack(weir_compression how, const char *p, size_t n, char *to, size_t room)
{
    unsigned bz = (unsigned)room;
    z_stream z = {0};

    switch (how) {
    case WEIR_GZIP:
        deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
        z.next_in = (Bytef *)(uintptr_t)p;
        z.avail_in = (uInt)n;
        z.next_out = (Bytef *)to;
        z.avail_out = (uInt)room;
        assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
        deflateEnd(&z);
        return z.total_out;
    case WEIR_BZIP2:
        assert_int_equal(BZ2_bzBuffToBuffCompress(to, &bz, (char *)(uintptr_t)p, (unsigned)n, 9, 0, 0), BZ_OK);
        return bz;
    default:
        return ZSTD_compress(to, room, p, n, 3);
    }
}

/* Feeds `step` bytes at a time into room for `room`; returns the code at the end. */
static weir_rc
unpack(weir_compression how, const char *p, size_t n, size_t step, size_t room, char *to, size_t *len)
{
    struct weir_error err = {0};
    struct weir_inflate *z;
    size_t fed = 0, have = 0, got;
    const char *in = p;
    weir_rc rc;

    *len = 0;
    assert_int_equal(weir_inflate_new(how, NULL, &z, &err), WEIR_OK);
    do {
        if (have == 0 && fed < n) {
            in = p + fed;
            have = n - fed < step ? n - fed : step;
            fed += have;
        }
        rc = weir_inflate_step(z, &in, &have, fed == n, to + *len, room, &got, &err);
        *len += got;
    } while (rc == WEIR_OK);
    weir_inflate_free(z);
    return rc;
}

static const weir_compression kinds[] = {WEIR_GZIP, WEIR_ZSTD_STREAM, WEIR_BZIP2};

static void
streams_come_back_whole_in_pieces_of_any_size(void **state)
{
    static const size_t steps[] = {1, 7, 4096, PLAIN * 2};
    static char packed[PLAIN * 2], out[PLAIN * 3];

    (void)state;
    for (int k = 0; k < 3; k++) {
        size_t n = pack(kinds[k], plain, PLAIN, packed, sizeof(packed));
        size_t two = n + pack(kinds[k], plain, 1000, packed + n, sizeof(packed) - n);

        for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
            size_t len;

            assert_int_equal(unpack(kinds[k], packed, n, steps[s], 10000, out, &len), WEIR_END);
            assert_int_equal(len, PLAIN);
            assert_memory_equal(out, plain, PLAIN);
            /* members that follow each other are one stream */
            assert_int_equal(unpack(kinds[k], packed, two, steps[s], 65536, out, &len), WEIR_END);
            assert_int_equal(len, PLAIN + 1000);
        }
    }
}

static void
a_stream_that_is_cut_off_anywhere_is_corrupt(void **state)
{
    static char packed[PLAIN * 2], out[PLAIN * 2];

    (void)state;
    for (int k = 0; k < 3; k++) {
        size_t n = pack(kinds[k], plain, 20000, packed, sizeof(packed));

        for (size_t cut = 1; cut < n; cut += n / 37 + 1) {
            size_t len;

            assert_int_equal(unpack(kinds[k], packed, cut, 4096, 65536, out, &len), WEIR_CORRUPT);
        }
    }
}

static void
damage_is_corrupt_or_seen_by_the_checksum(void **state)
{
    static char packed[PLAIN * 2], out[PLAIN * 2];

    (void)state;
    for (int k = 0; k < 3; k++) {
        size_t n = pack(kinds[k], plain, 20000, packed, sizeof(packed)), len;

        if (kinds[k] == WEIR_ZSTD_STREAM)
            continue; /* a frame carries a checksum only when its writer asked for one */
        packed[n / 2] ^= 0x10;
        assert_int_equal(unpack(kinds[k], packed, n, 4096, 65536, out, &len), WEIR_CORRUPT);
    }
    for (int k = 0; k < 3; k++) {
        size_t len;

        assert_int_equal(unpack(kinds[k], "{\"a\":1}\n{\"a\":2}\n", 16, 4096, 65536, out, &len), WEIR_CORRUPT);
    }
}

static void
an_empty_object_is_an_empty_stream(void **state)
{
    char out[16];
    size_t len;

    (void)state;
    for (int k = 0; k < 3; k++)
        assert_int_equal(unpack(kinds[k], "", 0, 1, sizeof(out), out, &len), WEIR_END);
}

/* The frame asks for a window of 128 MiB to say three bytes. */
static void
the_window_that_a_file_asks_for_is_counted(void **state)
{
    static const char frame[] = "\x28\xb5\x2f\xfd\x00\x88\x19\x00\x00{}\n";
    static const struct {
        uint64_t limit;
        weir_rc rc;
    } cases[] = {{UINT64_MAX, WEIR_OK}, {64 << 20, WEIR_NOMEM}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct weir_error err = {0};
        struct weir_quota quota;
        struct weir_inflate *z;
        const char *in = frame;
        size_t n = sizeof(frame) - 1, got;
        char out[16];

        weir_quota_init(&quota, NULL, "test", cases[i].limit);
        assert_int_equal(weir_inflate_new(WEIR_ZSTD_STREAM, &quota, &z, &err), WEIR_OK);
        assert_int_equal(weir_inflate_step(z, &in, &n, true, out, sizeof(out), &got, &err), cases[i].rc);
        assert_true(cases[i].rc != WEIR_OK || got == 3);
        weir_inflate_free(z);
        assert_int_equal(quota.used, 0);
    }
}

static void
names_say_how_bytes_are_compressed(void **state)
{
    struct weir_error err = {0};

    (void)state;
    assert_int_equal(weir_compression_of("a/b.json.gz"), WEIR_GZIP);
    assert_int_equal(weir_compression_of("b.json.zst"), WEIR_ZSTD_STREAM);
    assert_int_equal(weir_compression_of("b.json.bz2"), WEIR_BZIP2);
    assert_int_equal(weir_compression_of("gz"), WEIR_RAW);
    assert_int_equal(weir_compression_of("A.JSON.GZ"), WEIR_GZIP);
    assert_int_equal(weir_compression_of("a.json.Zst"), WEIR_ZSTD_STREAM);
    assert_int_equal(weir_compression_check("A.JSON.GZ", &err), WEIR_OK);
    assert_int_equal(weir_compression_check("a.xz.json", &err), WEIR_OK);
    assert_int_equal(weir_compression_check("xz", &err), WEIR_OK);
    assert_int_equal(weir_compression_check("a.json.XZ", &err), WEIR_UNSUPPORTED);
    assert_int_equal(weir_compression_check("a.json.lz4", &err), WEIR_UNSUPPORTED);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_come_back_whole_in_pieces_of_any_size),
        cmocka_unit_test(a_stream_that_is_cut_off_anywhere_is_corrupt),
        cmocka_unit_test(damage_is_corrupt_or_seen_by_the_checksum),
        cmocka_unit_test(an_empty_object_is_an_empty_stream),
        cmocka_unit_test(the_window_that_a_file_asks_for_is_counted),
        cmocka_unit_test(names_say_how_bytes_are_compressed),
    };

    for (int i = 0; i < PLAIN; i++)
        plain[i] = (char)("abcdefgh{}\":,0123456789\n"[(i * 2654435761u >> 16) % 24]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
