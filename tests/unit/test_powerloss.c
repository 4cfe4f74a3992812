/* What survives a power cut, at every moment: objects of the store and whole Delta tables. And that the recorder itself
 * would see a missing fsync. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/str.h"
#include "delta/summary.h"
#include "powerloss.h"
#include "sink/sink.h"
#include "store/os.h"
#include "store/store.h"

static struct weir_error err;
static char dir[64], root[128], image[128];

static int
remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static void
remove_all(const char *path)
{
    (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int
setup(void **state)
{
    (void)state;
    /* Images are made by the hundred: in memory where that is possible. */
    snprintf(dir, sizeof(dir), "%s/weir-power-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(dir));
    snprintf(root, sizeof(root), "%s/root", dir);
    snprintf(image, sizeof(image), "%s/image", dir);
    assert_int_equal(mkdir(root, 0777), 0);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    weir_powerloss_free();
    remove_all(dir);
    return 0;
}

static int64_t
size_of(const char *name)
{
    char path[256];
    struct stat st;

    snprintf(path, sizeof(path), "%s/%s", image, name);
    return stat(path, &st) == 0 ? st.st_size : -1;
}

static void
build(size_t n, weir_powerloss_mode mode, unsigned seed)
{
    remove_all(image);
    weir_powerloss_build(n, mode, seed, image);
}

static void
path_of(char path[256], const char *name)
{
    snprintf(path, 256, "%s/%s", root, name);
}

static void
the_recorder_sees_what_was_not_synced(void **state)
{
    char a[256], b[256];
    int fd;
    size_t n;

    (void)state;
    path_of(a, "old");
    fd = open(a, O_CREAT | O_WRONLY, 0666);
    assert_int_equal(write(fd, "old", 3), 3);
    close(fd);
    weir_powerloss_begin(root);
    path_of(a, "tmp");
    path_of(b, "name");
    fd = weir_os->create(a);
    assert_int_equal(weir_os->write(fd, "bytes", 5), 5);
    assert_int_equal(weir_os->link(a, b), 0);
    assert_int_equal(weir_os->sync_folder(root), 0);
    n = weir_powerloss_count();
    build(n, WEIR_POWERLOSS_DROP, 1);
    assert_int_equal(size_of("name"), 0); /* the name without its bytes: fsync was forgotten */
    assert_int_equal(size_of("old"), 3);
    assert_int_equal(weir_os->sync(fd), 0);
    build(weir_powerloss_count(), WEIR_POWERLOSS_DROP, 1);
    assert_int_equal(size_of("name"), 5);
    assert_int_equal(weir_os->close(fd), 0);
    path_of(b, "later");
    assert_int_equal(weir_os->rename(a, b), 0);
    build(weir_powerloss_count(), WEIR_POWERLOSS_DROP, 1);
    assert_int_equal(size_of("later"), -1); /* the folder was not synced */
    assert_int_equal(size_of("tmp"), 5);
    build(weir_powerloss_count(), WEIR_POWERLOSS_NAMES, 1);
    assert_int_equal(size_of("later"), 5);
    assert_int_equal(size_of("tmp"), -1);
    path_of(b, "old");
    assert_int_equal(weir_os->unlink(b), 0);
    build(weir_powerloss_count(), WEIR_POWERLOSS_DROP, 1);
    assert_int_equal(size_of("old"), 3);
    weir_powerloss_end();
}

static void
what_put_reported_survives_and_nothing_half_written_has_a_name(void **state)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct weir_store *st;
    char uri[160], key[64], text[5000];
    size_t total;

    (void)state;
    memset(text, 'x', sizeof(text));
    weir_powerloss_begin(root);
    snprintf(uri, sizeof(uri), "%s/new/place", root);
    assert_int_equal(weir_store_open(uri, mem, &st, &err), WEIR_OK);
    for (int i = 0; i < 6; i++) {
        struct weir_output *out;

        snprintf(key, sizeof(key), "data/p=%d/f", i);
        assert_int_equal(weir_output_create(st, key, &out, &err), WEIR_OK);
        assert_int_equal(weir_output_write(out, text, sizeof(text), &err), WEIR_OK);
        assert_int_equal(weir_output_finish(out, &err), WEIR_OK);
        snprintf(key, sizeof(key), "log/%d", i);
        assert_int_equal(weir_store_put(st, key, text, sizeof(text), WEIR_PUT_ABSENT, &err), WEIR_OK);
        assert_int_equal(weir_store_put(st, "newest", text, (size_t)i + 1, WEIR_PUT_REPLACE, &err), WEIR_OK);
        weir_powerloss_note(i);
    }
    weir_powerloss_end();
    total = weir_powerloss_count();
    for (size_t n = 0; n <= total; n++) {
        int64_t noted = weir_powerloss_noted(n);

        for (unsigned m = 0; m < WEIR_POWERLOSS_MODES; m++) {
            build(n, (weir_powerloss_mode)m, (unsigned)n * 7 + 1);
            for (int i = 0; i < 6; i++) {
                int64_t log, data;

                snprintf(key, sizeof(key), "new/place/log/%d", i);
                log = size_of(key);
                snprintf(key, sizeof(key), "new/place/data/p=%d/f", i);
                data = size_of(key);
                assert_true(log == (int64_t)sizeof(text) || (log == -1 && i > noted));
                assert_true(log == -1 || data == (int64_t)sizeof(text)); /* the log never names what is not there */
            }
            assert_true(size_of("new/place/newest") >= noted + 1 || noted < 0);
            assert_true(size_of("new/place/newest") != 0);
        }
    }
    weir_store_close(st);
    weir_mem_free(mem);
}

enum { BATCHES = 3, ROWS = 60 };

static void
sink_batch(const struct weir_sink_type *type, void *self, const struct weir_type *schema, int64_t id)
{
    struct weir_sink_batch b = {.id = id, .schema = schema, .to = "x"};
    struct weir_sink_result r;
    struct weir_drain drain;
    struct weir_page *page;
    void *lane;

    assert_int_equal(weir_page_new(schema, NULL, &page, &err), WEIR_OK);
    weir_page_reset(page);
    for (uint32_t i = 0; i < ROWS; i++) {
        ((int64_t *)page->cols[0].data)[i] = id * ROWS + i;
        ((int32_t *)page->cols[1].data)[i] = (int32_t)(i % 2 + (uint32_t)id);
    }
    page->rows = ROWS;
    assert_int_equal(type->prepare(self, &b, &drain, &err), WEIR_OK);
    assert_int_equal(drain.lane_open(drain.self, 0, &lane, &err), WEIR_OK);
    assert_int_equal(drain.write(lane, page, &err), WEIR_OK);
    assert_int_equal(drain.lane_finish(lane, &err), WEIR_OK);
    drain.lane_close(lane);
    if (type->commit(self, &r, &err) != WEIR_OK)
        fail_msg("%s", err.what);
    weir_page_free(page);
}

struct files {
    uint64_t n, bytes;
};

static weir_rc
files_add(void *arg, const struct weir_object *obj, struct weir_error *e)
{
    struct files *f = arg;

    (void)e;
    if (weir_str_ends(obj->key, ".parquet")) {
        f->n++;
        f->bytes += (uint64_t)obj->size;
    }
    return WEIR_OK;
}

/* The table of the image: version and rows agree, and the files that the log names are there with all their bytes. */
static int64_t
image_check(void)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct weir_summary s;
    struct weir_store *st;
    struct files on_disk = {0};
    char uri[160];
    int64_t version = -1;
    weir_rc rc;

    snprintf(uri, sizeof(uri), "%s/table", image);
    assert_int_equal(weir_store_open(uri, mem, &st, &err), WEIR_OK);
    rc = weir_summary_read(st, -1, NULL, &s, &err);
    if (rc != WEIR_OK && rc != WEIR_NOTFOUND)
        fail_msg("%s: %s", err.where, err.what);
    if (rc == WEIR_OK) {
        version = s.snap->version;
        assert_int_equal(s.rows, (uint64_t)(version + 1) * ROWS);
        assert_int_equal(s.files, (uint64_t)(version + 1) * 2);
        assert_int_equal(weir_store_list(st, "", NULL, WEIR_LIST_DEEP, files_add, &on_disk, &err), WEIR_OK);
        assert_true(on_disk.n >= s.files && on_disk.bytes >= s.bytes);
    }
    weir_summary_fini(&s);
    weir_store_close(st);
    weir_mem_free(mem);
    return version;
}

static void
a_table_is_whole_after_a_power_cut_at_any_moment(void **state)
{
    struct weir_quota quota;
    struct weir_mem *mem;
    const struct weir_sink_type *type = weir_sink_find("delta");
    const char *by[] = {"p"};
    const struct weir_type *schema;
    char uri[160];
    struct weir_settings none = {0};
    struct weir_sink_env env = {.path = uri,
                                .output_mode = "append",
                                .partition_by = by,
                                .npartition_by = 1,
                                .options = &none,
                                .properties = &none,
                                .create = true,
                                .query_name = "n",
                                .query_id = "q",
                                .zone = &weir_zone_utc,
                                .lanes = 1,
                                .quota = &quota};
    void *self = calloc(1, type->self_size);
    size_t total;

    (void)state;
    weir_quota_init(&quota, NULL, "test", 256 * WEIR_MIB);
    mem = env.mem = weir_mem_new(NULL, &quota, "test");
    snprintf(uri, sizeof(uri), "%s/table", root);
    assert_int_equal(weir_schema_parse_ddl("id BIGINT, p INT", 16, mem, &schema, &err), WEIR_OK);
    weir_powerloss_begin(root);
    assert_int_equal(type->open(self, &env, &err), WEIR_OK);
    for (int i = 0; i < BATCHES; i++) {
        sink_batch(type, self, schema, i);
        weir_powerloss_note(i);
    }
    weir_powerloss_end();
    type->close(self);
    free(self);
    weir_mem_free(mem);
    total = weir_powerloss_count();
    for (size_t n = 0; n <= total; n++) {
        for (unsigned m = 0; m < WEIR_POWERLOSS_MODES; m++) {
            int64_t version;

            build(n, (weir_powerloss_mode)m, (unsigned)n + 1);
            version = image_check();
            if (version < weir_powerloss_noted(n))
                fail_msg("change %zu of %zu, mode %u: version %d after %d was reported", n, total, m, (int)version,
                         (int)weir_powerloss_noted(n));
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_recorder_sees_what_was_not_synced, setup, teardown),
        cmocka_unit_test_setup_teardown(what_put_reported_survives_and_nothing_half_written_has_a_name, setup, teardown),
        cmocka_unit_test_setup_teardown(a_table_is_whole_after_a_power_cut_at_any_moment, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
