#pragma once
#include <uv.h>

#if defined(__linux__)
#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

// Arms a timerfd at an absolute instant of CLOCK_MONOTONIC; 0 disarms.
static inline int flotilla_timerfd_arm(int fd, int64_t microseconds) {
  struct itimerspec at = {0};
  at.it_value.tv_sec = microseconds / 1000000;
  at.it_value.tv_nsec = (microseconds % 1000000) * 1000;
  return timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, NULL);
}

static inline int flotilla_timerfd_make(void) {
  return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
}
#endif

// uv_loop_configure is variadic, which Swift cannot call.
static inline void flotilla_measure_idle_time(uv_loop_t *loop) {
  uv_loop_configure(loop, UV_METRICS_IDLE_TIME);
}

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

// Starts a nonblocking connect, from `source` if given. Returns the descriptor, or -errno. In C,
// since the socket constants are macros, enums or missing, depending on the platform.
static inline int flotilla_connect(const struct sockaddr *to, socklen_t to_length,
                                   const struct sockaddr *source, socklen_t source_length,
                                   int no_delay) {
#if defined(SOCK_NONBLOCK)
  int fd = socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
#else
  int fd = socket(to->sa_family, SOCK_STREAM, 0);
  if (fd < 0) return -errno;
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  fcntl(fd, F_SETFD, FD_CLOEXEC);
#endif
  int one = 1;
  if (no_delay) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (source) {
#if defined(IP_BIND_ADDRESS_NO_PORT)
    // The port is chosen at connect, by the whole four-tuple, so that ports can be shared.
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
#endif
    if (bind(fd, source, source_length) < 0) goto failed;
  }
  if (connect(fd, to, to_length) == 0 || errno == EINPROGRESS) return fd;
failed:;
  int error = errno;
  close(fd);
  return -error;
}
