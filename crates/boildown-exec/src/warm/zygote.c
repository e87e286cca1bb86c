/*
 * Makes a process stay where it is, and fork for each candidate.
 *
 * With LD_PRELOAD, its constructor serves when the libraries of the program are loaded, relocated and
 * initialised: each forked process goes on with the constructors and the `main` of the program.
 * Node.js loads it as an addon, whose function `serve` is called by `node.js`.
 *
 * A request is text, each field ended by a zero byte: its number, 1 or 0 for whether the output is
 * wanted, the limit of each stream, the working directory, the standard input, variables as
 * NAME=VALUE, and an empty field. An answer is a line of docs/reference/harness.md.
 *
 * The library is linked without a C library, and takes what it needs from that of the process.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Bytes that grow. */
struct bytes {
    char *data;
    size_t length, room;
};

/* The beginning and the end of a stream, as boildown keeps them. */
struct clipped {
    int fd;
    size_t half, dropped;
    struct bytes head, tail;
};

static int requests = -1, answers = -1;
static struct bytes request, answer;
/* The first request is the input, whose process says at its end what to prepare. */
static int is_first = 1;
/* Where a forked process says what to prepare; -1 if it is not asked. */
static int learned = -1;
static int is_forked;

/* Everything ends when the connection to boildown does. */
static void end(void) {
    _exit(0);
}

static void add(struct bytes *to, const void *data, size_t length) {
    if (to->length + length > to->room) {
        to->room = 2 * (to->length + length) + 4096;
        to->data = realloc(to->data, to->room);
        if (!to->data)
            end();
    }
    memcpy(to->data + to->length, data, length);
    to->length += length;
}

static void add_text(struct bytes *to, const char *text) {
    add(to, text, strlen(text));
}

static void add_number(struct bytes *to, size_t number) {
    char digits[24];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    add(to, digits + at, sizeof digits - at);
}

/* Reads a number, and points behind it. The C library has other names for its own function from
   version to version. */
static size_t read_number(const char **at, size_t base) {
    size_t number = 0;
    for (;; ++*at) {
        char byte = **at;
        size_t digit = byte >= 'a' ? (size_t)(byte - 'a') + 10 : (size_t)(byte - '0');
        if (byte < '0' || digit >= base)
            return number;
        number = number * base + digit;
    }
}

static void add_base64(struct bytes *to, const struct bytes *from) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *data = (const unsigned char *)from->data;
    for (size_t at = 0; at < from->length; at += 3) {
        size_t left = from->length - at;
        unsigned long bits = (unsigned long)data[at] << 16;
        bits |= left > 1 ? (unsigned long)data[at + 1] << 8 : 0;
        bits |= left > 2 ? data[at + 2] : 0;
        char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63], digits[bits >> 6 & 63],
                        digits[bits & 63]};
        add(to, four, left > 2 ? 4 : left + 1);
    }
}

static void write_all(int fd, const char *data, size_t length) {
    while (length > 0) {
        ssize_t written = write(fd, data, length);
        if (written < 0 && errno != EINTR)
            end();
        if (written > 0) {
            data += written;
            length -= (size_t)written;
        }
    }
}

static void say(void) {
    add_text(&answer, "\n");
    write_all(answers, answer.data, answer.length);
    answer.length = 0;
}

static void trim(struct clipped *stream) {
    if (stream->tail.length > stream->half) {
        size_t excess = stream->tail.length - stream->half;
        memmove(stream->tail.data, stream->tail.data + excess, stream->half);
        stream->tail.length = stream->half;
        stream->dropped += excess;
    }
}

static void keep(struct clipped *stream, const char *data, size_t length) {
    size_t room = stream->half - stream->head.length;
    size_t first = length < room ? length : room;
    add(&stream->head, data, first);
    add(&stream->tail, data + first, length - first);
    if (stream->tail.length > 2 * stream->half)
        trim(stream);
}

/* Reads what there is. Returns whether there may be more later. */
static int collect(struct clipped *stream) {
    char chunk[1 << 16];
    ssize_t length = read(stream->fd, chunk, sizeof chunk);
    if (length > 0)
        keep(stream, chunk, (size_t)length);
    return length > 0 || (length < 0 && errno == EINTR);
}

static void add_stream(const char *name, struct clipped *stream) {
    trim(stream);
    if (stream->dropped) {
        add_text(&stream->head, "\n[");
        add_number(&stream->head, stream->dropped);
        add_text(&stream->head, " bytes left out]\n");
    }
    add(&stream->head, stream->tail.data ? stream->tail.data : "", stream->tail.length);
    add_text(&answer, ", \"");
    add_text(&answer, name);
    add_text(&answer, "_base64\": \"");
    add_base64(&answer, &stream->head);
    add_text(&answer, "\"");
}

/* Waits for the end of a child, and reads its streams until then. */
static int watch(pid_t child, struct clipped *streams, int count) {
    int ended = (int)syscall(SYS_pidfd_open, child, 0);
    struct pollfd polled[5] = {{requests, 0, 0}, {ended, POLLIN, 0}};
    for (int at = 0; at < count; at++)
        polled[2 + at] = (struct pollfd){streams[at].fd, POLLIN, 0};
    int status;
    for (;;) {
        /* Without a descriptor of the process, we look now and then. */
        poll(polled, (nfds_t)(2 + count), ended < 0 ? 5 : -1);
        if (polled[0].revents) {
            kill(-child, SIGKILL);
            kill(child, SIGKILL);
            end();
        }
        for (int at = 0; at < count; at++) {
            if (polled[2 + at].revents && !collect(&streams[at]))
                polled[2 + at].fd = -1;
        }
        if (waitpid(child, &status, WNOHANG) == child)
            break;
    }
    close(ended);
    /* What was written before the end. A process that holds a pipe open cannot delay us. */
    for (int at = 0; at < count; at++) {
        fcntl(streams[at].fd, F_SETFL, O_NONBLOCK);
        for (int left = 16; left > 0 && polled[2 + at].fd >= 0 && collect(&streams[at]); left--)
            ;
        close(streams[at].fd);
    }
    return status;
}

/* Reads a request, and points at its fields. */
static void read_request(char **fields, int most) {
    request.length = 0;
    do {
        char chunk[4096];
        ssize_t length = read(requests, chunk, sizeof chunk);
        if (length <= 0 && errno != EINTR)
            end();
        if (length > 0)
            add(&request, chunk, (size_t)length);
    } while (request.length < 2 || request.data[request.length - 1] ||
             request.data[request.length - 2]);
    char *at = request.data;
    int count = 0;
    while (at < request.data + request.length && count < most - 1) {
        fields[count++] = at;
        at += strlen(at) + 1;
    }
    fields[count] = NULL;
}

/* Makes the forked process one that was just started. */
static void become(char **fields, int *fds) {
    is_forked = 1;
    setsid();
    dup2(open(*fields[4] ? fields[4] : "/dev/null", O_RDONLY | O_CLOEXEC), 0);
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int output = *fields[1] == '1';
    dup2(output ? fds[1] : null, 1);
    dup2(output ? fds[3] : null, 2);
    /* All of them are closed on exec; what the program opens has the numbers of a fresh process. */
    close(null);
    for (int at = 0; at < 4; at++)
        close(fds[at]);
    close(requests);
    close(answers);
    if (chdir(fields[3]))
        _exit(127);
    for (char **at = fields + 5; *at && **at; at++) {
        char *equals = strchr(*at, '=');
        *equals = 0;
        setenv(*at, equals + 1, 1);
    }
}

/*
 * Lets a forked process have all memory of this one. The engine of Node.js excludes its own from
 * forks, because a process that is forked to start another program does not need it.
 */
static void share_memory(void) {
    struct bytes maps = {0};
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    char chunk[4096];
    ssize_t length;
    while ((length = read(fd, chunk, sizeof chunk)) > 0)
        add(&maps, chunk, (size_t)length);
    close(fd);
    add(&maps, "", 1);
    for (const char *at = maps.data; *at;) {
        size_t from = read_number(&at, 16);
        at++;
        size_t to = read_number(&at, 16);
        madvise((void *)from, to - from, MADV_DOFORK);
        at = strchr(at, '\n');
        at = at ? at + 1 : "";
    }
    free(maps.data);
}

/*
 * Serves requests. Returns -1 in the process of a candidate. In the process that serves, returns
 * once, after the first request: the length of what its process has said, which is in `text`.
 */
static ssize_t serve(struct bytes *text, int has_threads) {
    if (answer.length)
        say();
    if (has_threads)
        share_memory();
    for (;;) {
        char *fields[256];
        read_request(fields, 256);
        const char *digits = fields[2];
        size_t limit = read_number(&digits, 10);
        int fds[6], count = is_first && has_threads ? 3 : 2;
        for (int at = 0; at < count; at++) {
            if (pipe2(fds + 2 * at, O_CLOEXEC))
                end();
        }
        pid_t child = fork();
        if (child < 0)
            end();
        if (child == 0) {
            if (count == 3) {
                close(fds[4]);
                learned = fds[5];
            }
            become(fields, fds);
            return -1;
        }
        struct clipped streams[3] = {{.half = limit / 2}, {.half = limit / 2}, {.half = 1 << 24}};
        for (int at = 0; at < count; at++) {
            streams[at].fd = fds[2 * at];
            close(fds[2 * at + 1]);
        }
        int status = watch(child, streams, count);
        add_text(&answer, "{\"id\": ");
        add_text(&answer, fields[0]);
        add_text(&answer, WIFSIGNALED(status) ? ", \"signal\": " : ", \"exit\": ");
        add_number(&answer, (size_t)(WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)));
        if (*fields[1] == '1') {
            add_stream("stdout", &streams[0]);
            add_stream("stderr", &streams[1]);
        }
        add_text(&answer, "}");
        for (int at = 0; at < 2; at++) {
            free(streams[at].head.data);
            free(streams[at].tail.data);
        }
        is_first = 0;
        if (count == 3) {
            *text = streams[2].head;
            return (ssize_t)text->length;
        }
        say();
    }
}

/* Takes the connection, and says that the harness is ready. */
static void greet(const char *name) {
    requests = fcntl(0, F_DUPFD_CLOEXEC, 100);
    answers = fcntl(1, F_DUPFD_CLOEXEC, 100);
    dup2(open("/dev/null", O_RDWR | O_CLOEXEC), 0);
    dup2(2, 1);
    add_text(&answer, "{\"boildown\": 1, \"name\": \"");
    add_text(&answer, name);
    add_text(&answer, "\"}");
    say();
}


__attribute__((constructor)) static void start(void) {
    /* A program that the command itself starts is not the one that is to fork. */
    const char *parent = getenv("BOILDOWN_WARM_EXEC");
    const char *preload = getenv("BOILDOWN_WARM_LD_PRELOAD");
    if (preload)
        setenv("LD_PRELOAD", preload, 1);
    else
        unsetenv("LD_PRELOAD");
    int serves = parent && read_number(&parent, 10) == (size_t)getppid();
    unsetenv("BOILDOWN_WARM_LD_PRELOAD");
    unsetenv("BOILDOWN_WARM_EXEC");
    if (serves) {
        struct bytes none;
        greet("exec");
        serve(&none, 0);
    }
}


/*
 * At its end, Node.js waits for its threads, which a forked process does not have: their memory is
 * gone. There is nothing left to do then, and the exit code is known.
 */
#define EXPORT __attribute__((visibility("default")))
static int exit_code = -1;

EXPORT int pthread_join(pthread_t thread, void **result) {
    if (exit_code >= 0) {
        fflush(NULL);
        _exit(exit_code);
    }
    int (*join)(pthread_t, void **) = dlsym(RTLD_NEXT, "pthread_join");
    return join(thread, result);
}

/* The addon of Node.js. These are parts of its stable interface, which other programs lack. */
typedef struct napi *napi;
#define WEAK __attribute__((weak))
WEAK int napi_create_function(napi, const char *, size_t, napi (*)(napi, napi), void *, napi *);
WEAK int napi_create_string_utf8(napi, const char *, size_t, napi *);
WEAK int napi_set_named_property(napi, napi, const char *, napi);
WEAK int napi_get_cb_info(napi, napi, size_t *, napi *, napi *, void **);
WEAK int napi_get_value_int32(napi, napi, int *);
WEAK int napi_get_value_bool(napi, napi, unsigned char *);
WEAK int napi_create_int64(napi, long long, napi *);
WEAK int uv_loop_fork(void *);
WEAK void *uv_default_loop(void);

/* Returns the argument of a call. */
static napi argument(napi env, napi info) {
    size_t count = 1;
    napi found = NULL;
    napi_get_cb_info(env, info, &count, &found, NULL, NULL);
    return found;
}

/* `serve()` returns a number in the process of a candidate: the file in which it says what to
   prepare, or -1. It returns a string in the process that serves: what is to be prepared. With the
   argument `true` it answers that it cannot run candidates. */
static napi serve_node(napi env, napi info) {
    static int has_greeted;
    unsigned char has_refused = 0;
    napi_get_value_bool(env, argument(env, info), &has_refused);
    if (has_refused) {
        answer.length = 0;
        add_text(&answer, "{\"id\": 0, \"error\": \"a module that it loads starts threads, which a fork "
                          "loses\"}");
    }
    struct bytes text = {0};
    napi result = NULL;
    if (!has_greeted++)
        greet("node");
    ssize_t length = serve(&text, 1);
    if (length >= 0) {
        napi_create_string_utf8(env, text.data ? text.data : "", (size_t)length, &result);
        return result;
    }
    uv_loop_fork(uv_default_loop());
    napi_create_int64(env, learned, &result);
    return result;
}

/* `ending(code)` says with which code the process of a candidate ends. */
static napi ending_node(napi env, napi info) {
    napi_get_value_int32(env, argument(env, info), &exit_code);
    return NULL;
}

EXPORT napi napi_register_module_v1(napi env, napi exports) {
    napi functions[2] = {NULL, NULL};
    napi_create_function(env, "serve", 5, serve_node, NULL, &functions[0]);
    napi_create_function(env, "ending", 6, ending_node, NULL, &functions[1]);
    napi_set_named_property(env, exports, "serve", functions[0]);
    napi_set_named_property(env, exports, "ending", functions[1]);
    return exports;
}
