/* Objects in a place: a folder of this machine today, buckets later.
 *
 * 1. A store is opened on a root URI; keys are relative to it, '/' between parts, never starting with '/', never
 *    holding "." or ".." parts. Keys are raw bytes of names, not URI-encoded.
 * 2. put() with WEIR_PUT_ABSENT is atomic and durable: at return the object and the folders that name it survive
 *    a power cut, or it is not there. EXISTS: another was first. UNKNOWN: it may or may not be there; the caller
 *    settles that by reading. A failed fsync is IO and the object counts as unwritten: the run must end.
 * 3. An output's bytes and its folders are durable when finish() returns. One that was created absent has its name
 *    only from then on. Another may be seen before, half written (a local store writes in place): its name must be
 *    unique, and nothing may name it yet.
 * 4. Local disks: a Hadoop checksum file ".NAME.crc" beside an object is removed before the object is replaced
 *    or created, because Spark would believe it.
 * 5. Retries happen in this folder only.
 * Threads: a store may be used by any thread; an input or output has one owner. */
#ifndef WEIR_STORE_STORE_H
#define WEIR_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"

typedef enum weir_list_mode {
    WEIR_LIST_FOLDER, /* the objects in that folder */
    WEIR_LIST_DEEP,   /* and in all folders below it */
    WEIR_LIST_NAMES,  /* as FOLDER, but size and mtime_ms are -1 where they would cost a call for each object */
} weir_list_mode;

typedef enum weir_put_mode {
    WEIR_PUT_ABSENT = 0,
    WEIR_PUT_REPLACE = 1,
    WEIR_PUT_FLEETING = 2, /* or'ed in: the object need not survive a power cut, so nothing waits for the disk */
} weir_put_mode;

struct weir_object {
    const char *key; /* valid during the callback; NULL from head() */
    int64_t size;    /* bytes */
    int64_t mtime_ms;
};

struct weir_input;  /* bytes of an object, read once from front to back */
struct weir_output; /* bytes of a new object */

struct weir_store_type {
    const char *scheme; /* "file" */
    const char *about;
    /* root: the URI as the user spelled it, made absolute. */
    weir_rc (*open)(const char *root, struct weir_mem *mem, void **self, struct weir_error *err);
    /* Every object below prefix (a folder part such as "_delta_log/" or ""), sorted by bytes within a folder,
     * from `from` on (NULL: all; else keys >= from). Folders are not objects: DEEP lists what is in them, else
     * they are left out. cb returns OK, END to stop, or an error. A missing folder has no objects; an object that
     * vanishes meanwhile is left out. Hidden files are shown. */
    weir_rc (*list)(void *self, const char *prefix, const char *from, weir_list_mode mode,
                    weir_rc (*cb)(void *arg, const struct weir_object *obj, struct weir_error *err), void *arg,
                    struct weir_error *err);
    /* MAY: the same, deep, but entering only the folders that enter(arg, key) lets. A folder that leads back to one
     * above it is an error. */
    weir_rc (*walk)(void *self, bool (*enter)(void *arg, const char *folder),
                    weir_rc (*cb)(void *arg, const struct weir_object *obj, struct weir_error *err), void *arg,
                    struct weir_error *err);
    /* MAY: what stands at the root: size -1 a folder, else an object. NOTFOUND. */
    weir_rc (*root)(void *self, struct weir_object *out, struct weir_error *err);
    /* MAY: the path under which any part of this process can open the object as a file; "" in path: there is none. */
    weir_rc (*local)(void *self, const char *key, char *path, size_t size, struct weir_error *err);
    /* MAY: whether objects could be put there, as far as rights tell; nothing is written. DENIED. */
    weir_rc (*writable)(void *self, struct weir_error *err);
    weir_rc (*head)(void *self, const char *key, struct weir_object *out, struct weir_error *err); /* NOTFOUND */
    weir_rc (*open_input)(void *self, const char *key, int64_t at, struct weir_input **out, struct weir_error *err);
    /* At most n bytes; *got 0 at the end. */
    weir_rc (*read)(struct weir_input *in, void *p, size_t n, size_t *got, struct weir_error *err);
    void (*close_input)(struct weir_input *in);
    /* staged: a weir_point_id that is passed when the bytes are durable but not yet under their name (stores that
     * have no such moment pass it before the put), or -1. */
    weir_rc (*put)(void *self, const char *key, const void *p, size_t n, weir_put_mode mode, int staged,
                   struct weir_error *err);
    /* EXISTS when the key is taken. staged: it gets its name at finish, if absent then. */
    weir_rc (*create)(void *self, const char *key, bool staged, struct weir_output **out, struct weir_error *err);
    weir_rc (*write)(struct weir_output *out, const void *p, size_t n, struct weir_error *err);
    /* Durable at return; out is freed in every case. */
    weir_rc (*finish)(struct weir_output *out, struct weir_error *err);
    void (*abort)(struct weir_output *out); /* removes what was written; NULL is fine */
    weir_rc (*remove)(void *self, const char *key, struct weir_error *err); /* OK when it was not there */
    /* MAY, both: a lock that ends with this process, for stores of one machine. EXISTS: another has it. */
    weir_rc (*lock)(void *self, const char *key, int *lock, struct weir_error *err);
    void (*unlock)(void *self, int lock);
    void (*close)(void *self);
};

struct weir_store {
    const struct weir_store_type *type;
    void *self;
    const char *uri;  /* canonical: file:///x/y without a trailing '/'; not percent-encoded */
    const char *path; /* for messages: as people read it, /x/y */
};

/* uri: a URI or a path as Hadoop's Path takes it, that is without percent escapes; relative paths are refused (the
 * caller makes them absolute). The place need not exist. USAGE names the schemes, UNSUPPORTED one that comes later. */
weir_rc weir_store_open(const char *uri, struct weir_mem *mem, struct weir_store **out, struct weir_error *err);
void weir_store_close(struct weir_store *st); /* NULL is fine */

weir_rc weir_store_list(struct weir_store *st, const char *prefix, const char *from, weir_list_mode mode,
                        weir_rc (*cb)(void *arg, const struct weir_object *obj, struct weir_error *err), void *arg,
                        struct weir_error *err);
/* Everything below the root but for what lies in folders that enter(arg, key) turns down. */
weir_rc weir_store_walk(struct weir_store *st, bool (*enter)(void *arg, const char *folder),
                        weir_rc (*cb)(void *arg, const struct weir_object *obj, struct weir_error *err), void *arg,
                        struct weir_error *err);
/* What stands at the root itself: size -1: a folder. NOTFOUND: nothing (stores without folders always have one). */
weir_rc weir_store_root(struct weir_store *st, struct weir_object *out, struct weir_error *err);
/* Whether objects could be put there, or folders made for them, as far as rights tell: DENIED, IO. Writes nothing. */
weir_rc weir_store_writable(struct weir_store *st, struct weir_error *err);
weir_rc weir_store_head(struct weir_store *st, const char *key, struct weir_object *out, struct weir_error *err);
/* Whole object, appended to buf; the buffer's ceiling is the limit. */
weir_rc weir_store_get(struct weir_store *st, const char *key, struct weir_buf *buf, struct weir_error *err);
weir_rc weir_store_put(struct weir_store *st, const char *key, const void *p, size_t n, weir_put_mode mode,
                       struct weir_error *err);
/* weir_store_put() with a fail point at the moment that `staged` above describes. */
weir_rc weir_store_put_at(struct weir_store *st, const char *key, const void *p, size_t n, weir_put_mode mode,
                          int staged, struct weir_error *err);
/* Until the outcome is known: after UNKNOWN the same bytes are put again, and when they are found there they are ours.
 * EXISTS: another was first. UNKNOWN only when the store stays unsure. */
weir_rc weir_store_put_settled(struct weir_store *st, const char *key, const void *p, size_t n, weir_put_mode mode,
                               struct weir_error *err);
weir_rc weir_store_remove(struct weir_store *st, const char *key, struct weir_error *err);
/* Takes the lock that key names (an empty object, which stays); it ends with weir_store_unlock() or this process.
 * EXISTS: another process, or another lock of this one, holds it. *lock is -1 where the store has no locks. */
weir_rc weir_store_lock(struct weir_store *st, const char *key, int *lock, struct weir_error *err);
void weir_store_unlock(struct weir_store *st, int lock);

weir_rc weir_input_open(struct weir_store *st, const char *key, int64_t at, struct weir_input **out,
                        struct weir_error *err);
weir_rc weir_input_read(struct weir_input *in, void *p, size_t n, size_t *got, struct weir_error *err);
void weir_input_close(struct weir_input *in); /* NULL is fine */

weir_rc weir_output_create(struct weir_store *st, const char *key, struct weir_output **out, struct weir_error *err);
/* As weir_store_put() with WEIR_PUT_ABSENT for what is too big for memory: the object appears at finish(), whole, or
 * not at all. EXISTS (now or from finish), UNKNOWN. */
weir_rc weir_output_create_absent(struct weir_store *st, const char *key, struct weir_output **out,
                                  struct weir_error *err);
weir_rc weir_output_write(struct weir_output *out, const void *p, size_t n, struct weir_error *err);
weir_rc weir_output_finish(struct weir_output *out, struct weir_error *err);
void weir_output_abort(struct weir_output *out); /* removes it; NULL is fine */

/* Every implementation's struct begins with this. */
struct weir_input { struct weir_store *store; };
struct weir_output { struct weir_store *store; };

/* An object as a file of this machine, for those who can only read files. Where the store has none, its bytes are put
 * into memory that has a name (memfd): small objects only. The file is there until close. */
struct weir_spool {
    char path[4096];
    int fd; /* of the copy; -1: the object is a file itself */
};
weir_rc weir_spool_open(struct weir_store *st, const char *key, struct weir_spool *out, struct weir_error *err);
void weir_spool_close(struct weir_spool *spool); /* one that failed to open is fine */

/* One line at a time of an object of any size, in bounded memory: for logs. line excludes the \n (and a \r before
 * it). END at the end. A line over max is CORRUPT. */
struct weir_lines {
    struct weir_input *in;
    struct weir_buf buf;
    size_t at, seen; /* start of the next line; bytes known to hold no \n */
    size_t max;
    bool ended;
    uint64_t line; /* 1-based number of the last line given out */
};
weir_rc weir_lines_open(struct weir_lines *lines, struct weir_store *st, const char *key, size_t max,
                        struct weir_quota *q, struct weir_error *err);
weir_rc weir_lines_next(struct weir_lines *lines, const char **line, size_t *len, struct weir_error *err);
void weir_lines_close(struct weir_lines *lines);

/* URIs. Encoding as java.net.URI of a Hadoop path writes it into Spark's logs: blank %20,
 * '%' %25, "<>#?[]^`{|}\ and control bytes; non-ASCII and the rest verbatim. */
void weir_uri_encode(const char *key, size_t n, struct weir_buf *buf);
/* Decodes %XX once; '+' stays. false: a broken escape (then it is taken verbatim). */
bool weir_uri_decode(const char *text, size_t n, struct weir_buf *buf);
/* "file:///x/a%20b" for a key of st: how Spark spells it in sources/S/N. */
void weir_store_uri(const struct weir_store *st, const char *key, struct weir_buf *buf);
/* Canonical form for comparing paths: file:/x, file:///x and /x are one (file:///x); s3a = s3; no "//", "/./",
 * "/../", no '/' at the end. Percent escapes are left alone. */
void weir_uri_canonical(const char *uri, size_t n, struct weir_buf *buf);

#endif
