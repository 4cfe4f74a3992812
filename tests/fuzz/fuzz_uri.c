/* Any bytes as a path: encoding can be undone, canonical and normal forms are their own, folder names stay short. */
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "delta/path.h"
#include "store/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_encode(const char *p, size_t n)
{
    struct weir_buf a = WEIR_BUF(1 << 20), b = WEIR_BUF(1 << 20);

    weir_uri_encode(p, n, &a);
    WEIR_ASSERT(!a.failed && weir_uri_decode(a.len > 0 ? a.data : "", a.len, &b));
    WEIR_ASSERT(b.len == n && (n == 0 || memcmp(b.data, p, n) == 0));
    weir_buf_reset(&b);
    (void)weir_uri_decode(p, n, &b);
    WEIR_ASSERT(b.len <= n);
    weir_buf_fini(&a);
    weir_buf_fini(&b);
}

static void
check_stable(void (*form)(const char *, size_t, struct weir_buf *), const char *p, size_t n)
{
    struct weir_buf a = WEIR_BUF(1 << 20), b = WEIR_BUF(1 << 20);

    form(p, n, &a);
    form(a.len > 0 ? a.data : "", a.len, &b);
    WEIR_ASSERT(a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0));
    weir_buf_fini(&a);
    weir_buf_fini(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_buf buf = WEIR_BUF(1 << 20);
    const char *p = (const char *)data;

    if (size > 10000)
        return 0;
    check_encode(p, size);
    check_stable(weir_uri_canonical, p, size);
    check_stable(weir_path_normal, p, size);
    weir_path_partition(&buf, "p", p, size);
    WEIR_ASSERT(buf.len <= 255 && memchr(buf.data, '/', buf.len) == NULL);
    if (weir_utf8_valid(p, size))
        WEIR_ASSERT(weir_utf8_valid(buf.data, buf.len));
    weir_buf_fini(&buf);
    return 0;
}
