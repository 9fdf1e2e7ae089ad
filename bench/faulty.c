/* A file layer that fails: LD_PRELOADed, it stands between a process and its C library.

   Below the folder FAULTY_ROOT every change is written to FAULTY_LOG, from which bench.faulty makes
   the files as a power failure would leave them; and after faulty_arm(n, ...) the n-th call fails
   with an error, once or from then on, half of a write done. What is synced is logged whole, so
   that what was written past us (by a library that asks the kernel itself) is in the log too. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name) static __typeof__(&name) real; if (!real) real = dlsym(RTLD_NEXT, #name)

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static long left = 0;
static int failure = EIO, sticky = 0;
static int log_fd = -2;

void faulty_arm(long after, int error, int stays) { left = after; failure = error; sticky = stays; }

static int ours(const char *path) {
    const char *root = getenv("FAULTY_ROOT");
    size_t size = root ? strlen(root) : 0;
    return root && path && !strncmp(path, root, size) && (path[size] == '/' || !path[size]);
}

static const char *path_of(int fd, char *into) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, into, PATH_MAX - 1);
    into[n < 0 ? 0 : n] = 0;
    return into;
}

static const char *at(int folder, const char *path, char *into) {
    if (path[0] == '/' || folder == AT_FDCWD) return path;
    path_of(folder, into);
    strncat(into, "/", PATH_MAX - strlen(into) - 1);
    return strncat(into, path, PATH_MAX - strlen(into) - 1);
}

static int fails(const char *path) {
    if (!left || !ours(path) || strstr(path, "/acks")) return 0;
    pthread_mutex_lock(&turn);
    int now = left > 0 && --left == 0;
    if (now && sticky) left = 1;
    pthread_mutex_unlock(&turn);
    if (now) errno = failure;
    return now;
}

/* One record: kind, inode, offset, then two texts with their lengths. */
static void note(char kind, uint64_t inode, uint64_t offset, const char *path, const void *data,
                 uint64_t size) {
    if (log_fd == -2)
        log_fd = getenv("FAULTY_LOG") ? syscall(SYS_openat, AT_FDCWD, getenv("FAULTY_LOG"),
                                                O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (log_fd < 0) return;
    uint64_t head[4] = {inode, offset, strlen(path), size};
    pthread_mutex_lock(&turn);
    syscall(SYS_write, log_fd, &kind, 1);
    syscall(SYS_write, log_fd, head, sizeof head);
    syscall(SYS_write, log_fd, path, head[2]);
    syscall(SYS_write, log_fd, data, size);
    pthread_mutex_unlock(&turn);
}

static uint64_t inode_of(int fd) { struct stat s; return fstat(fd, &s) ? 0 : s.st_ino; }

static void wrote(int fd, const char *path, off_t offset, const void *data, ssize_t size) {
    if (size > 0) note('w', inode_of(fd), offset, path, data, size);
}

static int opened(int fd, const char *path, int flags, int was) {
    if (fd < 0 || !(flags & (O_WRONLY | O_RDWR))) return fd;
    if (!was) note('c', inode_of(fd), 0, path, "", 0);
    else if (flags & O_TRUNC) note('t', inode_of(fd), 0, path, "", 0);
    return fd;
}

#define OPEN(name, extra, folder, pass)                                          \
    int name(extra const char *given, int flags, ...) {                          \
        REAL(name);                                                              \
        char text[PATH_MAX];                                                     \
        va_list more; va_start(more, flags); mode_t mode = va_arg(more, mode_t); va_end(more); \
        const char *path = at(folder, given, text);                              \
        if (!ours(path)) return real(pass given, flags, mode);                   \
        if ((flags & (O_WRONLY | O_RDWR)) && fails(path)) return -1;             \
        int was = !access(path, F_OK);                                          \
        return opened(real(pass given, flags, mode), path, flags, was);          \
    }
#define NOTHING
#define COMMA ,
OPEN(open, NOTHING, AT_FDCWD, NOTHING)
OPEN(open64, NOTHING, AT_FDCWD, NOTHING)
OPEN(openat, int folder COMMA, folder, folder COMMA)
OPEN(openat64, int folder COMMA, folder, folder COMMA)

ssize_t write(int fd, const void *data, size_t size) {
    REAL(write);
    char text[PATH_MAX];
    if (fd < 3 || !ours(path_of(fd, text))) return real(fd, data, size);
    struct stat s;
    int appends = fcntl(fd, F_GETFL) & O_APPEND;
    off_t offset = appends && !fstat(fd, &s) ? s.st_size : lseek(fd, 0, SEEK_CUR);
    int failed = fails(text);
    ssize_t done = real(fd, data, failed ? size / 2 : size);
    wrote(fd, text, offset, data, done);
    if (failed) errno = failure;
    return failed ? -1 : done;
}

#define PWRITE(name, kind)                                                       \
    ssize_t name(int fd, const void *data, size_t size, kind offset) {           \
        REAL(name);                                                              \
        char text[PATH_MAX];                                                     \
        if (!ours(path_of(fd, text))) return real(fd, data, size, offset);       \
        int failed = fails(text);                                                \
        ssize_t done = real(fd, data, failed ? size / 2 : size, offset);         \
        wrote(fd, text, offset, data, done);                                     \
        if (failed) errno = failure;                                             \
        return failed ? -1 : done;                                               \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define PREAD(name, kind)                                                        \
    ssize_t name(int fd, void *data, size_t size, kind offset) {                 \
        REAL(name);                                                              \
        char text[PATH_MAX];                                                     \
        return left && fails(path_of(fd, text)) ? -1 : real(fd, data, size, offset); \
    }
PREAD(pread, off_t)
PREAD(pread64, off64_t)

ssize_t read(int fd, void *data, size_t size) {
    REAL(read);
    char text[PATH_MAX];
    return left && fails(path_of(fd, text)) ? -1 : real(fd, data, size);
}

#define TRUNCATE(name, kind)                                                     \
    int name(int fd, kind size) {                                                \
        REAL(name);                                                              \
        char text[PATH_MAX];                                                     \
        if (!ours(path_of(fd, text))) return real(fd, size);                     \
        if (fails(text)) return -1;                                              \
        int done = real(fd, size);                                               \
        if (!done) note('t', inode_of(fd), size, text, "", 0);                   \
        return done;                                                             \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

/* A folder: "inode name\n" of each entry. A file: all that is in it. */
static void synced(int fd, const char *path) {
    struct stat s;
    if (fstat(fd, &s)) return;
    char *all = NULL;
    size_t size = 0;
    if (S_ISDIR(s.st_mode)) {
        FILE *out = open_memstream(&all, &size);
        DIR *folder = opendir(path);
        for (struct dirent *one; folder && (one = readdir(folder));)
            if (one->d_name[0] != '.' || strlen(one->d_name) > 2)
                fprintf(out, "%lu %s\n", (unsigned long)one->d_ino, one->d_name);
        if (folder) closedir(folder);
        fclose(out);
    } else if ((all = malloc(s.st_size + 1))) {
        char here[64];
        snprintf(here, sizeof here, "/proc/self/fd/%d", fd);
        int again = syscall(SYS_openat, AT_FDCWD, here, O_RDONLY);  /* ours may be write-only */
        ssize_t got = syscall(SYS_pread64, again, all, s.st_size, 0);
        syscall(SYS_close, again);
        size = got > 0 ? got : 0;
    }
    note(S_ISDIR(s.st_mode) ? 'd' : 's', s.st_ino, 0, path, all, size);
    free(all);
}

#define SYNC(name)                                                               \
    int name(int fd) {                                                           \
        REAL(name);                                                              \
        char text[PATH_MAX];                                                     \
        if (!ours(path_of(fd, text))) return real(fd);                           \
        if (fails(text)) return -1;                                              \
        if (getenv("FAULTY_LOG")) synced(fd, text);                              \
        return 0;                                                                \
    }
SYNC(fsync)
SYNC(fdatasync)

int rename(const char *from, const char *to) {
    REAL(rename);
    if (ours(from) && fails(from)) return -1;
    int done = real(from, to);
    if (!done && ours(from)) note('r', 0, 0, from, to, strlen(to));
    return done;
}

int renameat2(int one, const char *from, int other, const char *to, unsigned flags) {
    if (ours(from) && fails(from)) return -1;
    int done = syscall(SYS_renameat2, one, from, other, to, flags);
    if (!done && ours(from)) note(flags ? 'x' : 'r', 0, 0, from, to, strlen(to));
    return done;
}

int unlink(const char *path) {
    REAL(unlink);
    if (ours(path) && fails(path)) return -1;
    int done = real(path);
    if (!done && ours(path)) note('u', 0, 0, path, "", 0);
    return done;
}

int unlinkat(int folder, const char *given, int flags) {
    REAL(unlinkat);
    char text[PATH_MAX];
    const char *path = at(folder, given, text);
    if (ours(path) && fails(path)) return -1;
    int done = real(folder, given, flags);
    if (!done && ours(path)) note('u', 0, 0, path, "", 0);
    return done;
}
