/* Runs a fuzz target over every file of a folder, where there is no libFuzzer: replay_NAME FOLDER.
 * An empty folder is a failure, since it would test nothing. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

/* 1: replayed; 0: no plain file; -1: cannot be read. */
static int
replay_file(const char *path)
{
    struct stat st;
    uint8_t *data = NULL;
    FILE *f = fopen(path, "rb");
    int result = -1;

    if (f == NULL || fstat(fileno(f), &st) != 0)
        goto out;
    if (!S_ISREG(st.st_mode)) {
        result = 0;
        goto out;
    }
    data = malloc((size_t)st.st_size + 1); /* one more: malloc(0) may be NULL */
    if (data == NULL || fread(data, 1, (size_t)st.st_size, f) != (size_t)st.st_size)
        goto out;
    data = realloc(data, st.st_size == 0 ? 1 : (size_t)st.st_size); /* the end is the end, for AddressSanitizer */
    if (data == NULL)
        goto out;
    LLVMFuzzerTestOneInput(data, (size_t)st.st_size);
    result = 1;
out:
    if (result < 0)
        perror(path);
    free(data);
    if (f != NULL)
        fclose(f);
    return result;
}

int
main(int argc, char **argv)
{
    const struct dirent *entry;
    unsigned n = 0;
    char path[4096];
    DIR *dir;

    if (argc != 2 || (dir = opendir(argv[1])) == NULL) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    if (LLVMFuzzerInitialize != NULL)
        LLVMFuzzerInitialize(&argc, &argv);
    while ((entry = readdir(dir)) != NULL) {
        int result;

        snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
        result = replay_file(path);
        if (result < 0)
            return 1;
        n += (unsigned)result;
    }
    closedir(dir);
    printf("%u inputs replayed\n", n);
    return n == 0;
}
