/* The progress bar: one line on a terminal's stderr. */
#ifndef WEIR_CLI_BAR_H
#define WEIR_CLI_BAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_bar {
    const char *name;              /* the pipeline's */
    uint64_t rows, files, bytes;   /* of all batches so far, the current one counted */
    uint64_t files_left, bytes_left;      /* UINT64_MAX: unknown */
    int64_t start_us, now_us;
};

/* Whether stderr is a terminal that can be drawn on. */
bool weir_bar_wanted(void);
/* One line of at most width columns, no line end; text has room for size bytes. Pure; returns its length. */
size_t weir_bar_line(const struct weir_bar *bar, unsigned width, bool color, char *text, size_t size);
/* Begins to draw; there is one bar in a process. bar is borrowed until weir_bar_stop(). */
void weir_bar_start(struct weir_bar *bar);
void weir_bar_draw(void); /* at most 10 times a second it really draws */
void weir_bar_stop(void); /* takes the line away */
/* "1.2 M", "85 MB/s" and their like; text has 16 bytes. */
char *weir_bar_count(uint64_t n, char text[16]);
char *weir_bar_bytes(double n, char text[16]);

#endif
