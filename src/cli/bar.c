/* The progress bar's line and its drawing.
 *
 * 1. The line never wraps: parts are left out from the right until it fits the terminal, whose width is asked for
 *    at each drawing.
 * 2. Log lines take it away and bring it back by the log's hooks, so that both can use one terminal.
 * 3. Drawing costs one write(2), at most 10 a second.
 * Process-wide state: `drawn`, since a process has one terminal. Threads: the control thread draws; log lines of
 * other threads come through the hooks under the log's lock, and only write what was made last. */
#include "cli/bar.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/log.h"
#include "base/str.h"
#include "base/time.h"

enum { LINE_BYTES = 1024, REDRAW_US = 100 * 1000, BAR_CELLS = 20 };

static struct {
    struct weir_bar *bar;
    int64_t last_us;
    _Atomic int shown; /* bytes of text on the terminal */
    char text[LINE_BYTES];
} drawn;

bool
weir_bar_wanted(void)
{
    const char *term = getenv("TERM");

    return isatty(STDERR_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
}

char *
weir_bar_count(uint64_t n, char text[16])
{
    static const char units[] = "kMGT";
    double x = (double)n;
    int unit = -1;

    if (n < 10000) {
        snprintf(text, 16, "%u", (unsigned)n);
        return text;
    }
    while (x >= 999.5 && unit < 3) {
        x /= 1000;
        unit++;
    }
    snprintf(text, 16, x < 9.95 ? "%.1f %c" : "%.0f %c", x, units[unit]);
    return text;
}

char *
weir_bar_bytes(double n, char text[16])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int unit = 0;

    while (n >= 999.5 && unit < 5) {
        n /= 1000;
        unit++;
    }
    snprintf(text, 16, unit > 0 && n < 9.95 ? "%.1f %s" : "%.0f %s", n, units[unit]);
    return text;
}

/* Columns of text, a character one column: what names are made of, mostly. */
static unsigned
columns(const char *text)
{
    unsigned n = 0;

    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static char *
time_left(const struct weir_bar *bar, char text[24])
{
    double done = (double)bar->bytes, left = (double)bar->bytes_left;
    double seconds = (double)(bar->now_us - bar->start_us) / 1e6;
    uint64_t s;

    text[0] = '\0';
    if (bar->bytes_left == UINT64_MAX || bar->bytes == 0 || seconds < 1)
        return text;
    if (left * seconds / done > 359999)
        return text;
    s = (uint64_t)(left * seconds / done);
    if (s >= 3600)
        snprintf(text, 24, "%u:%02u:%02u left", (unsigned)(s / 3600), (unsigned)(s / 60 % 60), (unsigned)(s % 60));
    else
        snprintf(text, 24, "%u:%02u left", (unsigned)(s / 60), (unsigned)(s % 60));
    return text;
}

/* "[=======>      ]", by bytes; "" when the end is not known. */
static char *
cells(const struct weir_bar *bar, char text[BAR_CELLS + 3])
{
    double whole = (double)bar->bytes + (double)bar->bytes_left;
    unsigned full;

    text[0] = '\0';
    if (bar->bytes_left == UINT64_MAX || whole <= 0)
        return text;
    full = (unsigned)((double)bar->bytes / whole * BAR_CELLS);
    text[0] = '[';
    for (unsigned i = 0; i < BAR_CELLS; i++)
        text[1 + i] = i < full ? '=' : i == full ? '>' : ' ';
    text[BAR_CELLS + 1] = ']';
    text[BAR_CELLS + 2] = '\0';
    return text;
}

size_t
weir_bar_line(const struct weir_bar *bar, unsigned width, bool color, char *text, size_t size)
{
    char part[6][96], number[16], left[24], bar_cells[BAR_CELLS + 3];
    double seconds = (double)(bar->now_us - bar->start_us) / 1e6;
    unsigned used = 0, n = 0;
    size_t len = 0;

    snprintf(part[n++], sizeof part[0], "%.60s", bar->name);
    snprintf(part[n++], sizeof part[0], "%s", cells(bar, bar_cells));
    if (bar->files_left == UINT64_MAX)
        snprintf(part[n++], sizeof part[0], "%llu files", (unsigned long long)bar->files);
    else
        snprintf(part[n++], sizeof part[0], "%llu/%llu files", (unsigned long long)bar->files,
                 (unsigned long long)(bar->files + bar->files_left));
    snprintf(part[n++], sizeof part[0], "%s rows", weir_bar_count(bar->rows, number));
    snprintf(part[n++], sizeof part[0], "%s/s",
             weir_bar_bytes(seconds > 0 ? (double)bar->bytes / seconds : 0, number));
    snprintf(part[n++], sizeof part[0], "%s", time_left(bar, left));

    text[0] = '\0';
    for (unsigned i = 0; i < n; i++) {
        unsigned wide = columns(part[i]);

        if (wide == 0)
            continue;
        if (used + (used > 0 ? 2 : 0) + wide > width || len + wide * 4 + 16 > size)
            break;
        len += (size_t)snprintf(text + len, size - len, "%s%s%s%s", used > 0 ? "  " : "",
                                color && i == 0 ? "\033[1m" : "", part[i], color && i == 0 ? "\033[0m" : "");
        used += (used > 0 ? 2 : 0) + wide;
    }
    return len;
}

static unsigned
terminal_width(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void
line_clear(void)
{
    static const char clear[] = "\r\033[K";

    if (atomic_load(&drawn.shown) > 0)
        (void)!write(STDERR_FILENO, clear, sizeof clear - 1);
}

static void
line_again(void)
{
    int len = atomic_load(&drawn.shown);

    if (len > 0)
        (void)!write(STDERR_FILENO, drawn.text, (size_t)len);
}

void
weir_bar_start(struct weir_bar *bar)
{
    drawn.bar = bar;
    drawn.last_us = 0;
    atomic_store(&drawn.shown, 0);
    weir_log_hooks(line_clear, line_again);
}

void
weir_bar_draw(void)
{
    char line[LINE_BYTES], text[LINE_BYTES + 8];
    const char *no_color = getenv("NO_COLOR");
    unsigned width = terminal_width();
    int64_t now = weir_mono_us();
    int n;

    if (drawn.bar == NULL || now - drawn.last_us < REDRAW_US)
        return;
    drawn.last_us = drawn.bar->now_us = now;
    weir_bar_line(drawn.bar, width > 1 ? width - 1 : 1, no_color == NULL || *no_color == '\0', line, sizeof line);
    n = snprintf(text, sizeof text, "\r%s\033[K", line);
    if (n >= LINE_BYTES)
        return;
    atomic_store(&drawn.shown, 0);
    memcpy(drawn.text, text, (size_t)n);
    atomic_store(&drawn.shown, n);
    (void)!write(STDERR_FILENO, text, (size_t)n);
}

void
weir_bar_stop(void)
{
    line_clear();
    weir_log_hooks(NULL, NULL);
    atomic_store(&drawn.shown, 0);
    drawn.bar = NULL;
}
