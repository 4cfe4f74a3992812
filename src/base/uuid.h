/* Random UUIDs (version 4), lower case. */
#ifndef WEIR_BASE_UUID_H
#define WEIR_BASE_UUID_H

enum { WEIR_UUID_SIZE = 37 }; /* with the NUL */
void weir_uuid(char text[WEIR_UUID_SIZE]);

#endif
