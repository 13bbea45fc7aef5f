#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "flotilla_mosquitto_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

long flotilla_readable_bytes(int descriptor) {
  int count = 0;
  return ioctl(descriptor, FIONREAD, &count) == 0 ? count : -1;
}

int flotilla_connect_error(int descriptor) {
  int error = 0;
  socklen_t length = sizeof error;
  return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

#if defined(__linux__)
#include <pthread.h>
#include <setjmp.h>
#include <sys/syscall.h>

int flotilla_listen_locally(int *place) {
  char folder[] = "/tmp/flotilla-XXXXXX";
  if (!mkdtemp(folder)) return -1;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", folder);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  *place = -1;
  if (listener >= 0 && bind(listener, (struct sockaddr *)&address, sizeof address) == 0) {
    *place = open(address.sun_path, O_PATH | O_CLOEXEC);
    unlink(address.sun_path);
  }
  rmdir(folder);
  if (*place >= 0 && listen(listener, 16) == 0) return listener;
  if (*place >= 0) close(*place);
  if (listener >= 0) close(listener);
  return -1;
}

int flotilla_accept(int listener) {
  return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

static _Thread_local int is_refusing;
static _Thread_local jmp_buf *guarded;

void flotilla_refuse_socket_pairs(int refuses) { is_refusing = refuses; }

// Replaces the C library's function, which only makes the system call.
int socketpair(int domain, int type, int protocol, int descriptors[2]) {
  if (is_refusing) {
    errno = EMFILE;
    return -1;
  }
  return (int)syscall(SYS_socketpair, domain, type, protocol, descriptors);
}

// The descriptors that the thread has closed since it began to end, a bit each; NULL before.
static _Thread_local unsigned char *closed;
enum { tracked = 1 << 20 };

static pthread_key_t owner;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void end(void *bits) {
  closed = NULL;
  free(bits);
}
static void make_owner(void) { pthread_key_create(&owner, end); }

void flotilla_refuse_second_closes(void) {
  if (closed) return;
  pthread_once(&once, make_owner);
  closed = calloc(tracked / 8, 1);
  pthread_setspecific(owner, closed);
}

// Replaces the C library's function, which only makes the system call.
int close(int descriptor) {
  if (closed && descriptor >= 0 && descriptor < tracked) {
    unsigned char bit = 1 << descriptor % 8;
    if (closed[descriptor / 8] & bit) {
      errno = EBADF;
      return -1;
    }
    closed[descriptor / 8] |= bit;
  }
  return (int)syscall(SYS_close, descriptor);
}

int flotilla_guard_assertions(int (*call)(void *, int), void *client, int argument, int broken) {
  jmp_buf place;
  guarded = &place;
  if (_setjmp(place) != 0) return broken;
  int code = call(client, argument);
  guarded = NULL;
  return code;
}

// Replaces the C library's function, and behaves like it outside a guard.
void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function) {
  jmp_buf *place = guarded;
  guarded = NULL;
  if (place) _longjmp(*place, 1);
  fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, assertion);
  abort();
}
#else
void flotilla_refuse_socket_pairs(int refuses) { (void)refuses; }

void flotilla_refuse_second_closes(void) {}

int flotilla_guard_assertions(int (*call)(void *, int), void *client, int argument, int broken) {
  (void)broken;
  return call(client, argument);
}

int flotilla_listen_locally(int *place) {
  (void)place;
  return -1;
}

int flotilla_accept(int listener) {
  (void)listener;
  return -1;
}
#endif
