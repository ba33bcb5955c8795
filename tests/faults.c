/* Loaded before the C library, this fails the n-th call that changes or opens something below a folder, or kills the
   process there. See fault_driver.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FAIL_ONCE, FAIL_FROM_THERE_ON, KILL_BEFORE, KILL_AFTER };

static char root[4096];
static long at, seen;
static int what;

void arm(const char *folder, long number, int how) {
    seen = 0;
    at = number;
    what = how;
    strncpy(root, folder, sizeof root - 1);
}

long calls(void) { return seen; }

static int is_below(const char *path) { return root[0] && path && strncmp(path, root, strlen(root)) == 0; }

static int is_open_below(int fd) {
    char link[64], path[4096];
    int saved = errno;
    if (!root[0]) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    errno = saved;
    if (length < 0) return 0;
    path[length] = 0;
    return is_below(path);
}

static int fails(void) {
    ++seen;
    if (seen == at && what == KILL_BEFORE) raise(SIGKILL);
    if (seen == at ? what <= FAIL_FROM_THERE_ON : seen > at && what == FAIL_FROM_THERE_ON) {
        errno = EIO;
        return 1;
    }
    return 0;
}

static void done(void) {
    if (seen == at && what == KILL_AFTER) raise(SIGKILL);
}

#define WRAP(type, name, parameters, arguments, below)                                   \
    type name parameters {                                                               \
        static type(*real) parameters;                                                   \
        if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name);                            \
        int counted = below;                                                             \
        if (counted && fails()) return -1;                                               \
        type result = real arguments;                                                    \
        if (counted) done();                                                             \
        return result;                                                                   \
    }

#define WRAP_OPEN(name)                                                                  \
    int name(const char *path, int flags, ...) {                                         \
        static int (*real)(const char *, int, ...);                                      \
        va_list rest;                                                                    \
        va_start(rest, flags);                                                           \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;                        \
        va_end(rest);                                                                    \
        if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name);                            \
        int counted = is_below(path);                                                    \
        if (counted && fails()) return -1;                                               \
        int result = real(path, flags, mode);                                            \
        if (counted) done();                                                             \
        return result;                                                                   \
    }

WRAP_OPEN(open)
WRAP_OPEN(open64)
WRAP(ssize_t, write, (int fd, const void *data, size_t n), (fd, data, n), is_open_below(fd))
WRAP(int, fsync, (int fd), (fd), is_open_below(fd))
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode), is_open_below(fd))
WRAP(int, fchown, (int fd, uid_t user, gid_t group), (fd, user, group), is_open_below(fd))
WRAP(int, chmod, (const char *path, mode_t mode), (path, mode), is_below(path))
WRAP(int, chown, (const char *path, uid_t user, gid_t group), (path, user, group), is_below(path))
WRAP(int, rename, (const char *old, const char *new), (old, new), is_below(new))
WRAP(int, link, (const char *old, const char *new), (old, new), is_below(new))
WRAP(int, linkat, (int a, const char *old, int b, const char *new, int flags), (a, old, b, new, flags), is_below(new))
WRAP(int, unlink, (const char *path), (path), is_below(path))
