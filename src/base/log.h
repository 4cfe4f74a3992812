/* Talk for people: one line each on stderr. stdout is data and never touched here.
 * Threads: any; a line is written by one write(2). Secrets never come here. */
#ifndef WEIR_BASE_LOG_H
#define WEIR_BASE_LOG_H

#include <stdbool.h>

typedef enum weir_log_level { WEIR_LOG_ERROR, WEIR_LOG_WARN, WEIR_LOG_INFO, WEIR_LOG_DEBUG } weir_log_level;

void weir_log_setup(weir_log_level most, bool json);
#define weir_error_log(...) weir_log(WEIR_LOG_ERROR, __VA_ARGS__)
#define weir_warn(...) weir_log(WEIR_LOG_WARN, __VA_ARGS__)
#define weir_info(...) weir_log(WEIR_LOG_INFO, __VA_ARGS__)
#define weir_debug(...) weir_log(WEIR_LOG_DEBUG, __VA_ARGS__)
void weir_log(weir_log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A progress bar registers how to take its line away before a log line and to draw it again after. */
void weir_log_hooks(void (*before)(void), void (*after)(void));

#endif
