/* Lines on stderr: "2026-11-30T13:14:15.123Z WARN text", or a JSON object a line.
 *
 * 1. A message is one line whatever it contains: control bytes become blanks, a line end "; ".
 * 2. A line is at most LINE_MAX_BYTES and needs no heap: it can be written when memory is short.
 * Threads: the level and the hooks are set once at start; lines are serialised by a lock so that the hooks of a
 * progress bar never mix. */
#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/time.h"

enum { LINE_MAX_BYTES = 8192, TEXT_MAX_BYTES = 2048 };

static weir_log_level log_most = WEIR_LOG_INFO;
static bool log_json;
static void (*log_before)(void), (*log_after)(void);
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

void
weir_log_setup(weir_log_level most, bool json)
{
    log_most = most;
    log_json = json;
}

void
weir_log_hooks(void (*before)(void), void (*after)(void))
{
    pthread_mutex_lock(&log_lock);
    log_before = before;
    log_after = after;
    pthread_mutex_unlock(&log_lock);
}

/* Makes one line of text: out has room for twice its length and the NUL. */
static size_t
line_clean(const char *text, char *out)
{
    bool utf8 = weir_utf8_valid(text, strlen(text));
    size_t len = 0;

    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '\n') {
            out[len++] = ';';
            out[len++] = ' ';
        } else {
            out[len++] = c < ' ' || c == 0x7f ? ' ' : c >= 0x80 && !utf8 ? '?' : (char)c;
        }
    }
    out[len] = '\0';
    return len;
}

/* text is clean: only the quote and the backslash need an escape. */
static size_t
line_json(const char *when, const char *level, const char *text, char *line)
{
    size_t len = (size_t)snprintf(line, 128, "{\"timestamp\":\"%s\",\"level\":\"%s\",\"message\":\"", when, level);

    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            line[len++] = '\\';
        line[len++] = *text;
    }
    memcpy(line + len, "\"}\n", 3);
    return len + 3;
}

static void
line_write(const char *line, size_t len)
{
    ssize_t done;

    do {
        done = write(STDERR_FILENO, line, len);
    } while (done < 0 && errno == EINTR);
}

void
weir_log(weir_log_level level, const char *fmt, ...)
{
    static const char *const names[] = {"ERROR", "WARN", "INFO", "DEBUG"};
    char raw[TEXT_MAX_BYTES], text[2 * TEXT_MAX_BYTES], line[LINE_MAX_BYTES + 256], when[WEIR_ISO_SIZE];
    int saved = errno;
    size_t len;
    va_list args;

    if (level > log_most)
        return;
    va_start(args, fmt);
    vsnprintf(raw, sizeof(raw), fmt, args);
    va_end(args);
    line_clean(raw, text);
    weir_time_iso(weir_now_ms(), when);
    if (log_json)
        len = line_json(when, names[level], text, line);
    else
        len = (size_t)snprintf(line, sizeof(line), "%s %s %s\n", when, names[level], text);

    pthread_mutex_lock(&log_lock);
    if (log_before != NULL)
        log_before();
    line_write(line, len);
    if (log_after != NULL)
        log_after();
    pthread_mutex_unlock(&log_lock);
    errno = saved;
}
