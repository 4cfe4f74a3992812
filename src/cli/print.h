/* Tables for people: columns under their titles, aligned, no frame. Builds text; nothing is written here. */
#ifndef WEIR_CLI_PRINT_H
#define WEIR_CLI_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"

enum { WEIR_GRID_COLUMNS = 16 };

struct weir_grid {
    struct weir_mem *mem; /* of the cells */
    struct {
        const char *title;
        bool right; /* numbers */
        size_t width;
    } columns[WEIR_GRID_COLUMNS];
    unsigned ncolumns;
    const char **cells; /* row by row */
    size_t ncells, cap;
    bool failed; /* no memory for a cell */
};

void weir_grid_init(struct weir_grid *grid, struct weir_mem *mem);
/* All columns before the first cell. */
void weir_grid_column(struct weir_grid *grid, const char *title, bool right);
/* The next cell, row by row. Bytes that would move the cursor are shown as '?'. */
void weir_grid_cell(struct weir_grid *grid, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* NOMEM when a cell or the text had no memory. Each line begins with indent blanks. */
weir_rc weir_grid_print(const struct weir_grid *grid, unsigned indent, struct weir_buf *buf, struct weir_error *err);

/* "1,234,567"; text has 32 bytes. */
char *weir_print_count(uint64_t n, char text[32]);
/* "0 B", "812 B", "4.1 kB", "1.3 GB" (powers of 1,000); text has 32 bytes. */
char *weir_print_bytes(uint64_t n, char text[32]);

#endif
