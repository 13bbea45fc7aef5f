// Tells ThreadSanitizer what Swift's runtime, which is not built for it, does with reference counts:
// whoever finds itself the only owner of an array comes after all who have let go of it. Without
// this a value that is copied out of a lock and read is a race with the owner's next append, which
// changes the buffer in place once the copy is gone.
//
// Loaded before everything else (LD_PRELOAD), so that calls go through here; without the sanitizer
// in the process it changes nothing. Each function is the runtime's of that name.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>

extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

// The runtime's own function; found once, and twice at the same time does no harm.
#define NEXT(name, type)  \
  static type next;       \
  if (!next) next = (type)dlsym(RTLD_NEXT, #name)

typedef void (*Release)(void *);
typedef void (*ReleaseMany)(void *, unsigned);
typedef bool (*IsUnique)(const void *);

// Null and the negative ones, which are immortal, are never counted. Both ways: who frees the object
// comes after all who let go.
static void let_go(void *object) {
  if ((long)object <= 0 || !__tsan_release) return;
  __tsan_acquire(object);
  __tsan_release(object);
}

void swift_release(void *object) {
  NEXT(swift_release, Release);
  let_go(object);
  next(object);
}

void swift_release_n(void *object, unsigned count) {
  NEXT(swift_release_n, ReleaseMany);
  let_go(object);
  next(object, count);
}

// What a string or an array holds: a pointer with flags in its spare bits.
void swift_bridgeObjectRelease(void *object) {
  NEXT(swift_bridgeObjectRelease, Release);
  if ((long)object > 0) let_go((void *)((unsigned long)object & 0x0ffffffffffffff8ul));
  next(object);
}

#define IS_UNIQUE(name)                                                        \
  bool name(const void *object) {                                              \
    NEXT(name, IsUnique);                                                      \
    bool unique = next(object);                                                \
    if (unique && (long)object > 0 && __tsan_acquire) __tsan_acquire((void *)object); \
    return unique;                                                             \
  }

IS_UNIQUE(swift_isUniquelyReferenced_native)
IS_UNIQUE(swift_isUniquelyReferenced_nonNull_native)
IS_UNIQUE(swift_isUniquelyReferenced_nonNull)
