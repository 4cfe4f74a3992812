/* Scanning for JSON: see json_scan.h. The scalar twin defines what the vectors must answer. */
#include "codec/json_scan.h"

#include <stdint.h>

static const char *
scalar_string(const char *p, char quote, bool *high)
{
    unsigned char seen = 0;

    for (; *p != quote && *p != '\\' && (unsigned char)*p >= 0x20; p++)
        seen |= (unsigned char)*p;
    if (seen >= 0x80)
        *high = true;
    return p;
}

static const char *
scalar_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')
        p++;
    return p;
}

static const char *
scalar_line(const char *p, const char *end)
{
    while (p < end && *p != '\n' && *p != '\r')
        p++;
    return p;
}

const struct weir_json_scan weir_json_scan_scalar = {"scalar", scalar_string, scalar_blanks, scalar_line};

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi")))

AVX2 static const char *
avx2_string(const char *p, char quote, bool *high)
{
    const __m256i quotes = _mm256_set1_epi8(quote);
    const __m256i slashes = _mm256_set1_epi8('\\');
    const __m256i controls = _mm256_set1_epi8(0x1f);
    uint32_t seen = 0;

    for (;; p += 32) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)p);
        __m256i stop = _mm256_or_si256(_mm256_cmpeq_epi8(x, quotes), _mm256_cmpeq_epi8(x, slashes));
        uint32_t at, top = (uint32_t)_mm256_movemask_epi8(x);

        stop = _mm256_or_si256(stop, _mm256_cmpeq_epi8(_mm256_min_epu8(x, controls), x));
        at = (uint32_t)_mm256_movemask_epi8(stop);
        if (at == 0) {
            seen |= top;
            continue;
        }
        seen |= top & (at ^ (at - 1)) & ~at; /* only what stands in front of the stop */
        if (seen != 0)
            *high = true;
        return p + __builtin_ctz(at);
    }
}

AVX2 static const char *
avx2_blanks(const char *p)
{
    const __m256i blank = _mm256_set1_epi8(' '), tab = _mm256_set1_epi8('\t');
    const __m256i line = _mm256_set1_epi8('\n'), cr = _mm256_set1_epi8('\r');

    for (;; p += 32) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)p);
        __m256i is = _mm256_or_si256(_mm256_or_si256(_mm256_cmpeq_epi8(x, blank), _mm256_cmpeq_epi8(x, tab)),
                                     _mm256_or_si256(_mm256_cmpeq_epi8(x, line), _mm256_cmpeq_epi8(x, cr)));
        uint32_t other = ~(uint32_t)_mm256_movemask_epi8(is);

        if (other != 0)
            return p + __builtin_ctz(other);
    }
}

AVX2 static const char *
avx2_line(const char *p, const char *end)
{
    const __m256i line = _mm256_set1_epi8('\n'), cr = _mm256_set1_epi8('\r');

    for (; end - p >= 32; p += 32) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)p);
        uint32_t at = (uint32_t)_mm256_movemask_epi8(
            _mm256_or_si256(_mm256_cmpeq_epi8(x, line), _mm256_cmpeq_epi8(x, cr)));

        if (at != 0)
            return p + __builtin_ctz(at);
    }
    return scalar_line(p, end);
}

static const struct weir_json_scan scan_avx2 = {"avx2", avx2_string, avx2_blanks, avx2_line};

const struct weir_json_scan *
weir_json_scan_vector(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") ? &scan_avx2 : NULL;
}

#else

const struct weir_json_scan *
weir_json_scan_vector(void)
{
    return NULL;
}

#endif

const struct weir_json_scan *
weir_json_scan_best(void)
{
    const struct weir_json_scan *vector = weir_json_scan_vector();

    return vector != NULL ? vector : &weir_json_scan_scalar;
}
