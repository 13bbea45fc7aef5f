#pragma once
// Wide characters: curses.h hides cchar_t and its functions without these.
#ifndef _XOPEN_SOURCE_EXTENDED
#define _XOPEN_SOURCE_EXTENDED 1
#endif
#define NCURSES_WIDECHAR 1
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// ---- Not importable by Swift: stdscr is a mutable global, attributes and keys are cast macros.

static inline SCREEN *flotilla_screen_open(void) {
  setlocale(LC_CTYPE, "");
  SCREEN *screen = newterm(NULL, stdout, stdin);
  if (!screen) return NULL;
  cbreak();
  noecho();
  nonl();
  curs_set(0);
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  // A lone Escape is a key; a longer wait for the rest of a sequence would be noticeable.
  set_escdelay(25);
  leaveok(stdscr, TRUE);
  return screen;
}

static inline int flotilla_screen_colors(void) {
  if (!has_colors()) return 0;
  start_color();
  use_default_colors();
  return 1;
}

static inline void flotilla_screen_size(int *columns, int *rows) {
  *columns = getmaxx(stdscr);
  *rows = getmaxy(stdscr);
}

// The current size of the terminal; curses learns it on the next resizeterm.
static inline void flotilla_screen_fit(void) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0 &&
      is_term_resized(size.ws_row, size.ws_col)) {
    resizeterm(size.ws_row, size.ws_col);
  }
}

static inline void flotilla_screen_put(int row, int column, wchar_t character, int bold,
                                       int reverse, int dim, short pair) {
  wchar_t text[2] = {character, 0};
  cchar_t cell;
  attr_t attributes = (bold ? A_BOLD : 0) | (reverse ? A_REVERSE : 0) | (dim ? A_DIM : 0);
  setcchar(&cell, text, attributes, pair, NULL);
  mvwadd_wch(stdscr, row, column, &cell);
}

static inline void flotilla_screen_redraw(void) { clearok(stdscr, TRUE); }
static inline void flotilla_screen_show(void) { wrefresh(stdscr); }

// A character, or -1 if there is none. Keys without a character have one of Unicode's private use
// area, as `Navigation.Key` names them; others, and the resize key, are -2.
static inline int flotilla_screen_key(void) {
  wint_t key = 0;
  int kind = wget_wch(stdscr, &key);
  if (kind == ERR) return -1;
  if (kind != KEY_CODE_YES) return (int)key;
  switch (key) {
    case KEY_UP: return 0xF700;
    case KEY_DOWN: return 0xF701;
    case KEY_PPAGE: return 0xF72C;
    case KEY_NPAGE: return 0xF72D;
    case KEY_ENTER: return '\r';
    case KEY_BACKSPACE: return 0x7F;
    default: return -2;
  }
}

static inline const char *flotilla_codeset(void) {
  setlocale(LC_CTYPE, "");
  return nl_langinfo(CODESET);
}

static inline int flotilla_is_foreground(void) {
  return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

// ---- Signals for the screen become bytes of a pipe, which the screen's thread reads.

struct flotilla_guard {
  volatile sig_atomic_t armed;
  int pipe_write;
  int error_copy;  // where standard error went before; -1: it was left alone
  int error_file;  // what it was written to while the screen was up
  size_t restore_length;
  struct termios before;
  char restore[256];
  struct sigaction earlier[NSIG];
};

// One object in the program: only CrashGuard.swift calls the functions that use it.
static inline struct flotilla_guard *flotilla_guard(void) {
  static struct flotilla_guard guard = {.pipe_write = -1, .error_copy = -1, .error_file = -1};
  return &guard;
}

static inline void flotilla_on_signal(int number) {
  int earlier = errno;
  char byte = (char)number;
  ssize_t ignored = write(flotilla_guard()->pipe_write, &byte, 1);
  (void)ignored;
  errno = earlier;
}

// Async-signal-safe: write(2), tcsetattr(3), dup2(2), lseek(2), read(2), on prepared memory.
static inline void flotilla_restore_now(void) {
  struct flotilla_guard *guard = flotilla_guard();
  if (!guard->armed) return;
  guard->armed = 0;
  // A background process would be stopped by writing to its terminal.
  signal(SIGTTOU, SIG_IGN);
  ssize_t ignored = write(STDOUT_FILENO, guard->restore, guard->restore_length);
  tcsetattr(STDIN_FILENO, TCSANOW, &guard->before);
  if (guard->error_copy >= 0) {
    dup2(guard->error_copy, STDERR_FILENO);
    char piece[512];
    ssize_t count;
    lseek(guard->error_file, 0, SEEK_SET);
    while ((count = read(guard->error_file, piece, sizeof piece)) > 0) {
      ignored = write(STDERR_FILENO, piece, (size_t)count);
    }
  }
  (void)ignored;
}

// Restores the terminal, then lets the fault take its default course.
static inline void flotilla_on_crash(int number) {
  flotilla_restore_now();
  sigaction(number, &flotilla_guard()->earlier[number], NULL);
  raise(number);
}

static inline void flotilla_append(const char *capability) {
  struct flotilla_guard *guard = flotilla_guard();
  if (!capability || capability == (const char *)-1) return;
  for (const char *c = capability; *c; c++) {
    // Padding, such as $<5>, is only for historical terminals.
    if (c[0] == '$' && c[1] == '<') {
      while (*c && *c != '>') c++;
      if (!*c) return;
      continue;
    }
    if (guard->restore_length < sizeof guard->restore) {
      guard->restore[guard->restore_length++] = *c;
    }
  }
}

static inline const char *flotilla_capability(const char *name) {
  return tigetstr((char *)name);
}

// Before newterm: curses keeps signal handlers that are already set. Returns the read end.
static inline int flotilla_guard_signals(void) {
  struct flotilla_guard *guard = flotilla_guard();
  int ends[2];
  if (pipe(ends) != 0) return -1;
  for (int i = 0; i < 2; i++) {
    fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    fcntl(ends[i], F_SETFL, O_NONBLOCK);
  }
  guard->pipe_write = ends[1];
  tcgetattr(STDIN_FILENO, &guard->before);
  static const int numbers[] = {SIGWINCH, SIGTSTP, SIGCONT, SIGHUP};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction action = {0};
    action.sa_handler = flotilla_on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(numbers[i], &action, &guard->earlier[numbers[i]]);
  }
  return ends[0];
}

// After newterm: the terminal's control strings are known now.
static inline void flotilla_guard_arm(int error_copy, int error_file) {
  struct flotilla_guard *guard = flotilla_guard();
  guard->error_copy = error_copy;
  guard->error_file = error_file;
  guard->restore_length = 0;
  flotilla_append(flotilla_capability("sgr0"));
  flotilla_append(flotilla_capability("rmkx"));
  flotilla_append(flotilla_capability("rmcup"));
  flotilla_append(flotilla_capability("cnorm"));
  flotilla_append("\r\n");
  // Only the calling thread gets a separate stack; a fault of another thread is handled on its own
  // stack, which is unusable only after an overflow.
  static char stack[65536];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternate, NULL);
  static const int numbers[] = {SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction action = {0};
    action.sa_handler = flotilla_on_crash;
    action.sa_flags = SA_ONSTACK;
    sigaction(numbers[i], &action, &guard->earlier[numbers[i]]);
  }
  static int registered = 0;
  if (!registered) atexit(flotilla_restore_now);
  registered = 1;
  guard->armed = 1;
}

static inline void flotilla_guard_disarm(void) {
  struct flotilla_guard *guard = flotilla_guard();
  guard->armed = 0;
  static const int numbers[] = {SIGSEGV, SIGILL, SIGTRAP,  SIGABRT, SIGBUS,
                                SIGFPE,  SIGWINCH, SIGTSTP, SIGCONT, SIGHUP};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    sigaction(numbers[i], &guard->earlier[numbers[i]], NULL);
  }
}

// While the process is stopped or in the background, a crash has no screen to restore.
static inline void flotilla_guard_pause(int paused) { flotilla_guard()->armed = !paused; }
