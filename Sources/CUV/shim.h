#pragma once
// The features that uv.h and the inline functions below need where the compiler is strict.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
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
