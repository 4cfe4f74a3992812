/* Included before every file: calls that have cost others dearly do not compile. */
#ifndef WEIR_BASE_BANNED_H
#define WEIR_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC poison strcpy strcat sprintf vsprintf strncpy strncat gets strtok gmtime localtime ctime asctime atoi atol

#endif
