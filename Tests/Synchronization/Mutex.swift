// Foundation itself imports the module of this name.
#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Replaces the toolchain's `Mutex` in builds for ThreadSanitizer, and nowhere else.
///
/// The toolchain's lock is a futex in a library that was compiled without the sanitizer: its
/// ordering
/// looks like a race. This one is POSIX', which the sanitizer knows.
///
/// `@unchecked Sendable`: the value is used between lock and unlock only.
public struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let value: UnsafeMutablePointer<Value>

  public init(_ initial: consuming sending Value) {
    lock = .allocate(capacity: 1)
    pthread_mutex_init(lock, nil)
    value = .allocate(capacity: 1)
    value.initialize(to: initial)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  public borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&value.pointee)
  }
}
