/* Writes the log of a table of many files, none of which is there: what opening, listing and checkpointing
 * cost.
 *
 *   big_table DIR FILES [PER_COMMIT]
 *
 * PER_COMMIT files a commit (10,000), each with two partition values and the statistics of five columns;
 * every tenth file is removed again by the last commit. Then the table's checkpoint is written, and the
 * commits below it are deleted. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/limits.h"
#include "base/time.h"
#include "delta/ckpt.h"
#include "delta/summary.h"
#include "sql/parquet_read.h"

static const char first_lines[] =
    "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":2}}\n"
    "{\"metaData\":{\"id\":\"b16b00b5-0000-4000-8000-000000000000\",\"format\":{\"provider\":\"parquet\","
    "\"options\":{}},"
    "\"schemaString\":\"{\\\"type\\\":\\\"struct\\\",\\\"fields\\\":["
    "{\\\"name\\\":\\\"id\\\",\\\"type\\\":\\\"long\\\",\\\"nullable\\\":true,\\\"metadata\\\":{}},"
    "{\\\"name\\\":\\\"name\\\",\\\"type\\\":\\\"string\\\",\\\"nullable\\\":true,\\\"metadata\\\":{}},"
    "{\\\"name\\\":\\\"price\\\",\\\"type\\\":\\\"double\\\",\\\"nullable\\\":true,\\\"metadata\\\":{}},"
    "{\\\"name\\\":\\\"at\\\",\\\"type\\\":\\\"timestamp\\\",\\\"nullable\\\":true,\\\"metadata\\\":{}},"
    "{\\\"name\\\":\\\"day\\\",\\\"type\\\":\\\"date\\\",\\\"nullable\\\":true,\\\"metadata\\\":{}},"
    "{\\\"name\\\":\\\"shop\\\",\\\"type\\\":\\\"string\\\",\\\"nullable\\\":true,\\\"metadata\\\":{}}]}\","
    "\"partitionColumns\":[\"day\",\"shop\"],\"configuration\":{},\"createdTime\":1700000000000}}\n";

static void
print_path(int64_t i, struct weir_buf *buf)
{
    weir_buf_printf(buf,
                    "day=2025-%02d-%02d/shop=s%02d/part-%05d-%08" PRIx64 "-0000-4000-8000-%012" PRIx64
                    ".c000.snappy.parquet",
                    (int)(1 + i / 28 % 12), (int)(1 + i % 28), (int)(i % 40), (int)(i % 100000),
                    (uint64_t)i * 2654435761u, (uint64_t)i);
}

static void
print_add(int64_t i, struct weir_buf *buf)
{
    weir_buf_str(buf, "{\"add\":{\"path\":\"");
    print_path(i, buf);
    weir_buf_printf(buf,
                    "\",\"partitionValues\":{\"day\":\"2025-%02d-%02d\",\"shop\":\"s%02d\"},\"size\":%d,"
                    "\"modificationTime\":17000%08d,\"dataChange\":true,\"stats\":\"{\\\"numRecords\\\":1000,"
                    "\\\"minValues\\\":{\\\"id\\\":%" PRId64 ",\\\"name\\\":\\\"a customer %" PRId64
                    "\\\",\\\"price\\\":%d.25,\\\"at\\\":\\\"2025-01-01T00:00:00.000Z\\\"},\\\"maxValues\\\":"
                    "{\\\"id\\\":%" PRId64 ",\\\"name\\\":\\\"z customer %" PRId64
                    "\\\",\\\"price\\\":%d.75,\\\"at\\\":\\\"2025-01-02T00:00:00.000Z\\\"},\\\"nullCount\\\":"
                    "{\\\"id\\\":0,"
                    "\\\"name\\\":0,\\\"price\\\":0,\\\"at\\\":0}}\"}}\n",
                    (int)(1 + i / 28 % 12), (int)(1 + i % 28), (int)(i % 40), (int)(100000 + i % 5000),
                    (int)(i % 100000000), i * 1000, i, (int)(i % 100), i * 1000 + 999, i,
                    (int)(100 + i % 100));
}

static void
print_remove(int64_t i, struct weir_buf *buf)
{
    weir_buf_str(buf, "{\"remove\":{\"path\":\"");
    print_path(i, buf);
    weir_buf_str(buf, "\",\"deletionTimestamp\":1700000000000,\"dataChange\":true}}\n");
}

static weir_rc
put(struct weir_store *st, int64_t version, struct weir_buf *buf, struct weir_error *err)
{
    char key[WEIR_LOG_KEY];

    WEIR_TRY(weir_buf_check(buf, err));
    weir_log_key(key, version);
    WEIR_TRY(weir_store_put(st, key, buf->data, buf->len, WEIR_PUT_ABSENT | WEIR_PUT_FLEETING, err));
    weir_buf_reset(buf);
    return WEIR_OK;
}

static void
told(const char *what, int64_t began_us)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    printf("%-28s %6.2f s, peak %ld MB\n", what, (double)(weir_mono_us() - began_us) / 1e6,
           use.ru_maxrss / 1024);
}

static weir_rc
run(const char *dir, int64_t files, int64_t per, struct weir_error *err)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "big_table");
    struct weir_buf buf = WEIR_BUF(WEIR_COMMIT_MAX);
    int64_t version = 0, began = weir_mono_us();
    struct weir_store *st = NULL;
    weir_rc rc;

    WEIR_GO(weir_store_open(dir, mem, &st, err));
    weir_buf_str(&buf, first_lines);
    for (int64_t i = 0; i < files; i++) {
        print_add(i, &buf);
        if ((i + 1) % per == 0 || i + 1 == files)
            WEIR_GO(put(st, version++, &buf, err));
    }
    for (int64_t i = 0; i < files; i += 10)
        print_remove(i, &buf);
    WEIR_GO(put(st, version, &buf, err));
    told("the log is written", began);
    began = weir_mono_us();
    WEIR_GO(weir_ckpt_write(st, version, NULL, err));
    told("its checkpoint is written", began);
    for (int64_t v = 0; v < version; v++) {
        char key[WEIR_LOG_KEY];

        weir_log_key(key, v);
        WEIR_GO(weir_store_remove(st, key, err));
    }
out:
    weir_buf_fini(&buf);
    weir_store_close(st);
    weir_mem_free(mem);
    return rc;
}

int
main(int argc, char **argv)
{
    struct weir_error err = {0};
    int64_t files = argc > 2 ? strtoll(argv[2], NULL, 10) : 0,
            per = argc > 3 ? strtoll(argv[3], NULL, 10) : 10000;
    char text[1200];

    if (files <= 0 || per <= 0) {
        fprintf(stderr, "usage: big_table DIR FILES [PER_COMMIT]; DIR is absolute and holds no table\n");
        return 2;
    }
    weir_parquet_io_set(&weir_parquet_duckdb);
    if (run(argv[1], files, per, &err) == WEIR_OK)
        return 0;
    fprintf(stderr, "big_table: %s\n", weir_error_text(&err, text, sizeof(text)));
    return 1;
}
