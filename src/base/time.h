/* Clocks and their texts. */
#ifndef WEIR_BASE_TIME_H
#define WEIR_BASE_TIME_H

#include <stdint.h>

int64_t weir_now_ms(void);   /* since 1970, UTC. weir_now_set() fixes it in tests */
void weir_now_set(int64_t ms); /* -1: the real clock again */
int64_t weir_mono_us(void);  /* monotonic */
int64_t weir_cpu_us(void);   /* of this process */
/* "2026-11-30T13:14:15.123Z" */
enum { WEIR_ISO_SIZE = 32 };
char *weir_time_iso(int64_t ms, char text[WEIR_ISO_SIZE]);

#endif
