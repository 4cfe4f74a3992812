/* sources/S/N: what is read, what is refused, what is written and cleaned; and the table of known files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/time.h"
#include "source/file_log.h"
#include "source/found.h"
#include "source/seen.h"
#include "store/fault.h"
#include "store/mem.h"

static struct weir_error err;

struct fixture {
    struct weir_mem *mem;
    struct weir_store *st;
    struct weir_file_log log;
};

static void
setup(struct fixture *f)
{
    memset(f, 0, sizeof(*f));
    memset(&err, 0, sizeof(err));
    f->mem = weir_mem_new(NULL, NULL, "test");
    assert_int_equal(weir_store_open("mem:file-log/ckpt", f->mem, &f->st, &err), WEIR_OK);
}

static void
teardown(struct fixture *f)
{
    weir_store_close(f->st);
    weir_mem_free(f->mem);
    weir_mem_store_drop("file-log");
}

static void
put(struct fixture *f, const char *name, const char *text)
{
    char key[64];

    snprintf(key, sizeof(key), "sources/0/%s", name);
    assert_int_equal(weir_store_put(f->st, key, text, strlen(text), WEIR_PUT_REPLACE, &err), WEIR_OK);
}

static weir_rc
open_log(struct fixture *f, int64_t interval)
{
    memset(&err, 0, sizeof(err));
    return weir_file_log_open(&f->log, f->st, 0, interval, 0, NULL, &err);
}

static weir_rc
show(void *arg, const struct weir_file_entry *entry, struct weir_error *e)
{
    weir_buf_printf(arg, "%.*s@%" PRId64 "#%" PRId64 " ", (int)entry->path_len, entry->path, entry->mtime_ms, entry->id);
    return weir_buf_check(arg, e);
}

static void
all_is(struct fixture *f, const char *want)
{
    struct weir_buf buf = WEIR_BUF(1 << 20);
    weir_rc rc = weir_file_log_each(&f->log, show, &buf, &err);

    if (rc != WEIR_OK)
        print_message("%s: %s\n", err.where, err.what);
    assert_int_equal(rc, WEIR_OK);
    assert_string_equal(buf.data != NULL ? buf.data : "", want);
    weir_buf_fini(&buf);
}

struct source { /* n entries under one id */
    int64_t id;
    unsigned n, at;
    char path[64];
};

static weir_rc
give(void *arg, struct weir_file_entry *out, struct weir_error *e)
{
    struct source *s = arg;

    (void)e;
    if (s->at == s->n)
        return WEIR_END;
    snprintf(s->path, sizeof(s->path), "file:///in/%" PRId64 "-%u", s->id, s->at++);
    *out = (struct weir_file_entry){s->path, strlen(s->path), s->id * 10, s->id};
    return WEIR_OK;
}

static weir_rc
append(struct fixture *f, unsigned n)
{
    struct source s = {.id = f->log.newest + 1, .n = n};

    memset(&err, 0, sizeof(err));
    return weir_file_log_append(&f->log, give, &s, &err);
}

#define ENTRY(path, id) "\n{\"path\":\"" path "\",\"timestamp\":1,\"batchId\":" #id "}"

static void
entries_are_read_however_they_are_spelled(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f);
    put(&f, "0", "v1" ENTRY("file:///a", 0));
    put(&f, "1", "v1\r\n{ \"batchId\" : 1, \"more\": [1], \"timestamp\": 7, \"path\": \"file:\\/\\/\\/\\u00fc\" }\n\n");
    put(&f, "2", "v1\n{\"path\":\"file:///b\"}"); /* no time, no id */
    put(&f, "3", "v1");
    put(&f, ".4.tmp", "junk");
    put(&f, "07", "junk");
    put(&f, "x.compact", "junk");
    assert_int_equal(open_log(&f, 10), WEIR_OK);
    assert_int_equal(f.log.newest, 3);
    all_is(&f, "file:///a@1#0 file:///ü@7#1 file:///b@0#-1 ");
    teardown(&f);
}

struct refusal {
    const char *what, *text;
    weir_rc rc;
};

static const struct refusal refusals[] = {
    {"empty", "", WEIR_CORRUPT},
    {"no version", "{\"path\":\"file:///a\",\"timestamp\":1,\"batchId\":0}", WEIR_CORRUPT},
    {"newer version", "v2" ENTRY("file:///a", 0), WEIR_USAGE},
    {"odd version", "v1x" ENTRY("file:///a", 0), WEIR_CORRUPT},
    {"cut", "v1\n{\"path\":\"file:///a\",\"timest", WEIR_CORRUPT},
    {"no object", "v1\n[1]", WEIR_CORRUPT},
    {"no path", "v1\n{\"timestamp\":1,\"batchId\":0}", WEIR_CORRUPT},
    {"empty path", "v1\n{\"path\":\"\",\"timestamp\":1,\"batchId\":0}", WEIR_CORRUPT},
    {"path of another type", "v1\n{\"path\":1,\"timestamp\":1,\"batchId\":0}", WEIR_CORRUPT},
    {"time of another type", "v1\n{\"path\":\"file:///a\",\"timestamp\":\"1\",\"batchId\":0}", WEIR_CORRUPT},
    {"id of the future", "v1" ENTRY("file:///a", 1), WEIR_CORRUPT},
    {"two on a line", "v1" ENTRY("file:///a", 0) "{}", WEIR_CORRUPT},
    {"not UTF-8", "v1" ENTRY("file:///\xff", 0), WEIR_CORRUPT},
    {"a control byte", "v1" ENTRY("file:///\x01", 0), WEIR_CORRUPT},
};

static void
what_is_no_log_is_refused_by_name_and_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
        struct weir_buf buf = WEIR_BUF(1 << 20);
        struct fixture f;

        setup(&f);
        put(&f, "0", refusals[i].text);
        assert_int_equal(open_log(&f, 10), WEIR_OK);
        if (weir_file_log_each(&f.log, show, &buf, &err) != refusals[i].rc || strstr(err.where, "sources/0/0") == NULL)
            fail_msg("%s: %s %s", refusals[i].what, weir_rc_name(err.rc), err.where);
        weir_buf_fini(&buf);
        teardown(&f);
    }
}

static void
zero_bytes_are_no_blank_line(void **state)
{
    static const char text[] = "v1" ENTRY("file:///a", 0) "\n\0\0\0\0";
    struct weir_buf buf = WEIR_BUF(1 << 20);
    struct fixture f;

    (void)state;
    setup(&f);
    assert_int_equal(weir_store_put(f.st, "sources/0/0", text, sizeof(text) - 1, WEIR_PUT_REPLACE, &err), WEIR_OK);
    assert_int_equal(open_log(&f, 10), WEIR_OK);
    assert_int_equal(weir_file_log_each(&f.log, show, &buf, &err), WEIR_CORRUPT);
    weir_buf_fini(&buf);
    teardown(&f);
}

static void
a_missing_file_in_the_middle_is_an_error(void **state)
{
    struct weir_buf buf = WEIR_BUF(1 << 20);
    struct fixture f;

    (void)state;
    setup(&f);
    put(&f, "0", "v1" ENTRY("file:///a", 0));
    put(&f, "2", "v1" ENTRY("file:///c", 2));
    assert_int_equal(open_log(&f, 10), WEIR_OK);
    assert_int_equal(weir_file_log_each(&f.log, show, &buf, &err), WEIR_CORRUPT);
    assert_non_null(strstr(err.what, "sources/0/1 is missing"));
    put(&f, "1.compact", "v1" ENTRY("file:///a", 0) ENTRY("file:///b", 1));
    assert_int_equal(open_log(&f, 10), WEIR_OK);
    all_is(&f, "file:///a@1#0 file:///b@1#1 file:///c@1#2 ");
    weir_store_remove(f.st, "sources/0/0", &err); /* behind the compaction nothing is needed */
    all_is(&f, "file:///a@1#0 file:///b@1#1 file:///c@1#2 ");
    weir_buf_fini(&buf);
    teardown(&f);
}

static void
two_files_of_one_id_are_refused(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f);
    put(&f, "9", "v1" ENTRY("file:///a", 9));
    put(&f, "9.compact", "v1" ENTRY("file:///b", 9));
    assert_int_equal(open_log(&f, 10), WEIR_CORRUPT);
    assert_non_null(strstr(err.what, "9.compact"));
    teardown(&f);
}

static void
the_interval_on_disk_wins_as_in_spark(void **state)
{
    /* setting, newest compact, second newest (-1: none) -> interval */
    static const int64_t cases[][4] = {
        {10, -1, -1, 10}, {3, 8, 5, 3},   {10, 8, 5, 3},   {5, 11, -1, 6},  {10, 8, -1, 9},   {3, 9, -1, 5},
        {2, 9, -1, 2},    {10, 9, -1, 10}, {10, 19, -1, 20}, {20, 9, -1, 10}, {10, 29, -1, 10}, {7, 29, -1, 10},
        {1, 4, -1, 1},    {2, 12, -1, 13},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct fixture f;
        char name[32];

        setup(&f);
        for (int j = 1; j < 3; j++) {
            snprintf(name, sizeof(name), "%" PRId64 ".compact", cases[i][j]);
            if (cases[i][j] >= 0)
                put(&f, name, "v1");
        }
        assert_int_equal(open_log(&f, cases[i][0]), WEIR_OK);
        if (f.log.interval != cases[i][3])
            fail_msg("case %zu: %" PRId64, i, f.log.interval);
        teardown(&f);
    }
}

static void
ranges_survive_compaction_and_cleaning(void **state)
{
    struct weir_buf buf = WEIR_BUF(1 << 20);
    struct fixture f;

    (void)state;
    setup(&f);
    assert_int_equal(open_log(&f, 3), WEIR_OK);
    for (int i = 0; i < 7; i++)
        assert_int_equal(append(&f, 2), WEIR_OK);
    assert_int_equal(f.log.compact, 5);
    assert_int_equal(weir_file_log_range(&f.log, 1, 3, show, &buf, &err), WEIR_OK);
    assert_string_equal(buf.data, "file:///in/2-0@20#2 file:///in/2-1@20#2 file:///in/3-0@30#3 file:///in/3-1@30#3 ");
    weir_store_remove(f.st, "sources/0/3", &err); /* cleaned: the newest .compact knows it */
    weir_buf_reset(&buf);
    assert_int_equal(weir_file_log_range(&f.log, 2, 3, show, &buf, &err), WEIR_OK);
    assert_string_equal(buf.data, "file:///in/3-0@30#3 file:///in/3-1@30#3 ");
    weir_store_remove(f.st, "sources/0/6", &err);
    assert_int_equal(weir_file_log_range(&f.log, 5, 6, show, &buf, &err), WEIR_CORRUPT);
    memset(&err, 0, sizeof(err));
    assert_int_equal(weir_file_log_range(&f.log, 5, 7, show, &buf, &err), WEIR_CORRUPT);
    assert_non_null(strstr(err.what, "logOffset 7"));
    weir_buf_fini(&buf);
    teardown(&f);
}

static void
who_comes_second_is_fenced(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f);
    assert_int_equal(open_log(&f, 3), WEIR_OK);
    put(&f, "0", "v1" ENTRY("file:///theirs", 0));
    assert_int_equal(append(&f, 1), WEIR_FENCED);
    assert_int_equal(open_log(&f, 3), WEIR_OK);
    assert_int_equal(append(&f, 1), WEIR_OK);
    put(&f, "2.compact", "v1" ENTRY("file:///theirs", 2));
    assert_int_equal(append(&f, 1), WEIR_FENCED);
    teardown(&f);
}

static void
a_lost_answer_is_settled(void **state)
{
    struct weir_store *faulty;
    struct fixture f;

    (void)state;
    setup(&f);
    assert_int_equal(weir_store_fault(f.st, f.mem, &faulty, &err), WEIR_OK);
    f.st = faulty;
    assert_int_equal(open_log(&f, 10), WEIR_OK);
    weir_fault_plan(faulty, WEIR_FAULT_PUT, "sources/0/0", 1, 1, WEIR_FAULT_LOST);
    assert_int_equal(append(&f, 1), WEIR_OK);
    weir_fault_plan(faulty, WEIR_FAULT_PUT, "sources/0/1", 1, 1, WEIR_FAULT_LATE);
    assert_int_equal(append(&f, 1), WEIR_OK);
    weir_fault_plan(faulty, WEIR_FAULT_PUT, "sources/0/2", 1, 1, WEIR_FAULT_GONE);
    assert_int_equal(append(&f, 1), WEIR_OK);
    weir_fault_plan(faulty, WEIR_FAULT_PUT, "sources/0/3", 1, 1, WEIR_FAULT_FAIL);
    assert_int_equal(append(&f, 1), WEIR_IO);
    assert_int_equal(open_log(&f, 10), WEIR_OK);
    all_is(&f, "file:///in/0-0@0#0 file:///in/1-0@10#1 file:///in/2-0@20#2 ");
    teardown(&f);
}

static void
old_files_are_cleaned_as_spark_does(void **state)
{
    struct fixture f;
    struct weir_object obj;
    char key[64];

    (void)state;
    setup(&f);
    weir_now_set(1000000000000);
    assert_int_equal(weir_file_log_open(&f.log, f.st, 0, 3, 4, NULL, &err), WEIR_OK);
    for (int i = 0; i < 12; i++) {
        if (i == 11) /* 11 minutes later all that is older may go: Spark's cleanupDelay is 10 */
            weir_now_set(1000000000000 + 11 * 60000);
        assert_int_equal(append(&f, 1), WEIR_OK);
    }
    /* newest 11, 4 are kept: 8 = 11 + 1 - 4, so the compaction in front of it is 5 */
    for (int i = 0; i < 12; i++) {
        snprintf(key, sizeof(key), "sources/0/%d%s", i, (i + 1) % 3 == 0 ? ".compact" : "");
        assert_int_equal(weir_store_head(f.st, key, &obj, &err), i < 5 ? WEIR_NOTFOUND : WEIR_OK);
    }
    weir_now_set(-1);
    teardown(&f);
}

static void
compaction_needs_no_memory_for_the_whole(void **state)
{
    char dir[] = "/tmp/weir-log-XXXXXX", cmd[64];
    struct weir_quota q;
    struct fixture f;

    (void)state;
    setup(&f);
    assert_non_null(mkdtemp(dir));
    weir_store_close(f.st);
    assert_int_equal(weir_store_open(dir, f.mem, &f.st, &err), WEIR_OK);
    weir_quota_init(&q, NULL, "log", UINT64_MAX);
    assert_int_equal(weir_file_log_open(&f.log, f.st, 0, 3, 0, &q, &err), WEIR_OK);
    assert_int_equal(append(&f, 20000), WEIR_OK);
    assert_int_equal(append(&f, 20000), WEIR_OK);
    q.peak = 0;
    assert_int_equal(append(&f, 20000), WEIR_OK); /* 60,000 entries of 60 bytes */
    assert_in_range(q.peak, 1, 1024 * 1024);
    assert_int_equal(f.log.compact, 2);
    snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
    assert_int_equal(system(cmd), 0);
    teardown(&f);
}

/* --- the table of known files --- */

static void
hashes_are_siphash(void **state)
{
    /* The reference vectors of SipHash-2-4-128: input 00 01 02 … of length 0, 1, 15, 16. */
    static const struct {
        size_t n;
        unsigned char want[16];
    } cases[] = {
        {0, {0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02, 0x93}},
        {1, {0xda, 0x87, 0xc1, 0xd8, 0x6b, 0x99, 0xaf, 0x44, 0x34, 0x76, 0x59, 0x11, 0x9b, 0x22, 0xfc, 0x45}},
        {15, {0x54, 0x93, 0xe9, 0x99, 0x33, 0xb0, 0xa8, 0x11, 0x7e, 0x08, 0xec, 0x0f, 0x97, 0xcf, 0xc3, 0xd9}},
    };
    char in[64];

    (void)state;
    for (int i = 0; i < 64; i++)
        in[i] = (char)i;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct weir_file_id id = weir_file_id(in, cases[i].n);

        for (int b = 0; b < 8; b++) {
            assert_int_equal((id.a >> (8 * b)) & 0xff, cases[i].want[b]);
            assert_int_equal((id.b >> (8 * b)) & 0xff, cases[i].want[8 + b]);
        }
    }
}

static void
a_million_files_are_remembered_in_60_mb(void **state)
{
    struct weir_quota q;
    struct weir_seen seen;
    char name[64];

    (void)state;
    weir_quota_init(&q, NULL, "seen", UINT64_MAX);
    weir_seen_init(&seen, &q, INT64_MAX);
    for (int i = 0; i < 1000000; i++) {
        int n = snprintf(name, sizeof(name), "file:///in/part-%07d.json", i);

        assert_int_equal(weir_seen_add(&seen, weir_file_id(name, (size_t)n), i, &err), WEIR_OK);
    }
    assert_int_equal(seen.n, 1000000);
    for (int i = 0; i < 1000000; i += 997) {
        int n = snprintf(name, sizeof(name), "file:///in/part-%07d.json", i);

        assert_int_equal(weir_seen_ask(&seen, weir_file_id(name, (size_t)n), i), WEIR_SEEN_KNOWN);
        assert_int_equal(weir_seen_ask(&seen, weir_file_id(name, (size_t)n), i + 1), WEIR_SEEN_CHANGED);
        assert_int_equal(weir_seen_ask(&seen, weir_file_id(name, (size_t)n - 1), i), WEIR_SEEN_NEW);
    }
    assert_in_range(q.used, 1, 60 * WEIR_MIB);
    weir_seen_fini(&seen);
    assert_int_equal(q.used, 0);
}

static void
a_table_over_its_quota_says_so(void **state)
{
    struct weir_quota q;
    struct weir_seen seen;
    weir_rc rc = WEIR_OK;

    (void)state;
    weir_quota_init(&q, NULL, "seen", 100000);
    weir_seen_init(&seen, &q, INT64_MAX);
    for (int i = 0; i < 10000 && rc == WEIR_OK; i++)
        rc = weir_seen_add(&seen, weir_file_id((char *)&i, sizeof(i)), i, &err);
    assert_int_equal(rc, WEIR_NOMEM);
    weir_seen_fini(&seen);
}

static void
only_the_first_files_of_a_listing_are_kept(void **state)
{
    struct weir_found found;
    struct weir_quota q;
    char name[32];

    (void)state;
    for (int latest = 0; latest < 2; latest++) {
        weir_quota_init(&q, NULL, "found", UINT64_MAX);
        weir_found_init(&found, &q, latest);
        assert_int_equal(weir_found_begin(&found, 100, &err), WEIR_OK);
        for (int i = 0; i < 100000; i++) { /* in an order that looks like none */
            int t = (int)((uint64_t)i * 7919 % 100000);

            snprintf(name, sizeof(name), "%05d", t);
            assert_int_equal(weir_found_add(&found, name, 2, t / 10, &err), WEIR_OK);
        }
        weir_found_end(&found);
        assert_int_equal(found.n, 100);
        assert_int_equal(found.dropped, 99900);
        assert_int_equal(found.dropped_bytes, 199800);
        for (int i = 0; i < 100; i++) {
            snprintf(name, sizeof(name), "%05d", latest ? 99990 - i / 10 * 10 + i % 10 : i);
            assert_string_equal(found.at[i].key, name);
        }
        assert_in_range(q.peak, 1, 4 * WEIR_MIB);
        weir_found_fini(&found);
        assert_int_equal(q.used, 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_read_however_they_are_spelled),
        cmocka_unit_test(what_is_no_log_is_refused_by_name_and_line),
        cmocka_unit_test(zero_bytes_are_no_blank_line),
        cmocka_unit_test(a_missing_file_in_the_middle_is_an_error),
        cmocka_unit_test(two_files_of_one_id_are_refused),
        cmocka_unit_test(the_interval_on_disk_wins_as_in_spark),
        cmocka_unit_test(ranges_survive_compaction_and_cleaning),
        cmocka_unit_test(who_comes_second_is_fenced),
        cmocka_unit_test(a_lost_answer_is_settled),
        cmocka_unit_test(old_files_are_cleaned_as_spark_does),
        cmocka_unit_test(compaction_needs_no_memory_for_the_whole),
        cmocka_unit_test(hashes_are_siphash),
        cmocka_unit_test(a_million_files_are_remembered_in_60_mb),
        cmocka_unit_test(a_table_over_its_quota_says_so),
        cmocka_unit_test(only_the_first_files_of_a_listing_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
