/* Aligned tables. cli/print.h. Pure functions over an arena. */
#include "cli/print.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"

enum { GRID_GAP = 2 };

/* Wide forms of East Asian scripts and emoji take two columns, combining marks none. */
static size_t
print_wide(uint32_t c)
{
    if ((c >= 0x300 && c <= 0x36f) || (c >= 0x200b && c <= 0x200f) || (c >= 0xfe00 && c <= 0xfe0f))
        return 0;
    if ((c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3) ||
        (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
        (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd))
        return 2;
    return 1;
}

/* Columns that text takes on a terminal; text is UTF-8, or else counted by bytes. */
static size_t
print_width(const char *text)
{
    size_t width = 0;

    if (!weir_utf8_valid(text, strlen(text)))
        return strlen(text);
    while (*text != '\0')
        width += print_wide(weir_utf8_get(&text));
    return width;
}

void
weir_grid_init(struct weir_grid *grid, struct weir_mem *mem)
{
    *grid = (struct weir_grid){.mem = mem};
}

void
weir_grid_column(struct weir_grid *grid, const char *title, bool right)
{
    WEIR_ASSERT(grid->ncolumns < WEIR_GRID_COLUMNS && grid->ncells == 0);
    grid->columns[grid->ncolumns].title = title;
    grid->columns[grid->ncolumns].right = right;
    grid->columns[grid->ncolumns++].width = print_width(title);
}

static bool
grid_room(struct weir_grid *grid)
{
    const char **cells;
    size_t cap = grid->cap == 0 ? 256 : grid->cap * 2;

    if (grid->ncells < grid->cap)
        return true;
    cells = weir_mem_alloc(grid->mem, cap * sizeof(*cells));
    if (cells == NULL)
        return false;
    if (grid->ncells > 0)
        memcpy(cells, grid->cells, grid->ncells * sizeof(*cells));
    grid->cells = cells;
    grid->cap = cap;
    return true;
}

void
weir_grid_cell(struct weir_grid *grid, const char *fmt, ...)
{
    char text[1024], *cell;
    size_t column = grid->ncells % grid->ncolumns, width, n;
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    n = strlen(text);
    if (n == sizeof(text) - 1) { /* cut: not in the middle of a character */
        while (n > 0 && (text[n - 1] & 0xc0) == 0x80)
            n--;
        text[n > 0 ? n - 1 : 0] = '\0';
    }
    for (char *p = text; *p != '\0'; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    }
    cell = weir_mem_strdup(grid->mem, text);
    if (cell == NULL || !grid_room(grid)) {
        grid->failed = true;
        return;
    }
    grid->cells[grid->ncells++] = cell;
    width = print_width(cell);
    if (width > grid->columns[column].width)
        grid->columns[column].width = width;
}

static void
grid_blanks(struct weir_buf *buf, size_t n)
{
    for (size_t i = 0; i < n; i++)
        weir_buf_byte(buf, ' ');
}

static void
grid_line(const struct weir_grid *grid, unsigned indent, const char *(*cell)(const struct weir_grid *, size_t at),
          size_t first, struct weir_buf *buf)
{
    size_t owed = indent; /* blanks are written only in front of something, so no line ends in one */

    for (unsigned i = 0; i < grid->ncolumns; i++) {
        const char *text = cell(grid, first + i);
        size_t pad = grid->columns[i].width - print_width(text);

        if (text[0] != '\0') {
            grid_blanks(buf, owed + (grid->columns[i].right ? pad : 0));
            weir_buf_str(buf, text);
            owed = grid->columns[i].right ? 0 : pad;
        } else {
            owed += grid->columns[i].width;
        }
        owed += GRID_GAP;
    }
    weir_buf_byte(buf, '\n');
}

static const char *
grid_title(const struct weir_grid *grid, size_t at)
{
    return grid->columns[at].title;
}

static const char *
grid_cell_at(const struct weir_grid *grid, size_t at)
{
    return grid->cells[at];
}

weir_rc
weir_grid_print(const struct weir_grid *grid, unsigned indent, struct weir_buf *buf, struct weir_error *err)
{
    if (grid->failed)
        return weir_mem_fail(grid->mem, 0, err);
    WEIR_ASSERT(grid->ncells % grid->ncolumns == 0);
    grid_line(grid, indent, grid_title, 0, buf);
    for (size_t at = 0; at < grid->ncells; at += grid->ncolumns)
        grid_line(grid, indent, grid_cell_at, at, buf);
    return weir_buf_check(buf, err);
}

char *
weir_print_count(uint64_t n, char text[32])
{
    char digits[24];
    int len = snprintf(digits, sizeof(digits), "%" PRIu64, n), at = 0;

    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

char *
weir_print_bytes(uint64_t n, char text[32])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double v = (double)n;
    unsigned unit = 0;

    while (v >= 999.5 && unit < 6) {
        v /= 1000;
        unit++;
    }
    snprintf(text, 32, unit == 0 || v >= 99.95 ? "%.0f %s" : "%.1f %s", v, units[unit]);
    return text;
}
