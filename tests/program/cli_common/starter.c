// Loaded into the program before its main (LD_PRELOAD). Waits for requests on the socket at its stdin, and for each one forks a
// copy that continues into main, so that GDAL's libraries are found and relocated only once.
//
// A request consists of strings that end in a zero: the folder to run in, the files for stdout and stderr, the number of
// arguments, the arguments, and the environment. The response consists of two ints: process id and exit status.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void nothing(void);
typedef int start(int (*)(int, char **, char **), int, char **, nothing *, nothing *, nothing *, void *);

enum { MOST_BYTES = 1 << 20, MOST_WORDS = 1 << 14 };
static char text[MOST_BYTES];
static char *words[MOST_WORDS];

static void demand(int met)
{
    if (!met)
        abort();
}

// Accepts requests, and forks a process for each: returns the connection in that process only.
static int next_request(void)
{
    signal(SIGCHLD, SIG_IGN); // nobody waits for the responders
    for (;;) {
        struct pollfd watched[2] = {{.fd = 0, .events = POLLIN}, {.fd = 1}};
        poll(watched, 2, -1);
        if (watched[1].revents) // the tests have ended
            _exit(0);
        int request = accept(0, NULL, NULL);
        if (request >= 0 && fork() == 0) {
            signal(SIGCHLD, SIG_DFL);
            int process = fork(), status = 0;
            demand(process >= 0);
            if (process == 0)
                return request;
            demand(write(request, &process, sizeof process) == sizeof process);
            demand(waitpid(process, &status, 0) == process);
            demand(write(request, &status, sizeof status) == sizeof status);
            _exit(0);
        }
        close(request);
    }
}

static void open_as(int number, const char *path, int flags)
{
    int file = open(path, flags);
    demand(file >= 0 && dup2(file, number) == number);
    close(file);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, nothing *init, nothing *fini,
                      nothing *rtld_fini, void *stack_end)
{
    (void)argc;
    int request = next_request();
    size_t bytes = 0;
    for (ssize_t more; (more = read(request, text + bytes, MOST_BYTES - bytes)) > 0;)
        bytes += more;
    close(request);
    demand(bytes < MOST_BYTES);
    char *word = text;
    char *folder = word, *out = strchr(folder, 0) + 1, *err = strchr(out, 0) + 1, *count = strchr(err, 0) + 1;
    int arguments = 1 + atoi(count), filled = 0;
    words[filled++] = argv[0]; // pointers into `text`; arguments and environment each end in NULL
    for (word = strchr(count, 0) + 1; word < text + bytes; word = strchr(word, 0) + 1) {
        if (filled == arguments)
            words[filled++] = NULL;
        demand(filled < MOST_WORDS - 2);
        words[filled++] = word;
    }
    demand(chdir(folder) == 0);
    open_as(0, "/dev/null", O_RDONLY);
    open_as(1, out, O_WRONLY);
    open_as(2, err, O_WRONLY);
    environ = words + arguments + 1;
    start *go_on = (start *)dlsym(RTLD_NEXT, "__libc_start_main");
    return go_on(main, arguments, words, init, fini, rtld_fini, stack_end);
}
