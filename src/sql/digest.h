/* MD5, SHA-1 and SHA-2 of one piece of memory, as RFC 1321 and FIPS 180-4 say. For md5(), sha1(), sha2() of
 * SQL: checksums of data, nothing that a secret hangs on. Pure functions, any thread. */
#ifndef WEIR_SQL_DIGEST_H
#define WEIR_SQL_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { WEIR_DIGEST_MAX = 64 };

/* Each writes its bytes to out. */
void weir_md5(const void *p, size_t n, uint8_t out[16]);
void weir_sha1(const void *p, size_t n, uint8_t out[20]);
/* bits: 224, 256, 384 or 512. */
void weir_sha2(const void *p, size_t n, unsigned bits, uint8_t *out);

#endif
