internal import Foundation

/// A slow disk: a slower fdatasync, preloaded into a server (ld.so(8), LD_PRELOAD). Linux only.
package enum SlowDisk {
  package struct SlowDiskError: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String
  }

  /// Compiles the library with `cc`, and returns its path. The delay must be below one second.
  package static func library(
    addingMicroseconds microseconds: Int, in folder: String
  ) throws(SlowDiskError) -> String {
    let (source, path) = ("\(folder)/slow-disk.c", "\(folder)/slow-disk.so")
    let text = """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <time.h>
      int fdatasync(int descriptor) {
        static int (*real)(int);
        if (!real) *(void **)&real = dlsym(RTLD_NEXT, "fdatasync");
        int code = real(descriptor);
        struct timespec delay = {0, \(microseconds * 1_000)L};
        nanosleep(&delay, 0);
        return code;
      }

      """
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["cc", "-O2", "-shared", "-fPIC", "-o", path, source, "-ldl"]
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: source))
      try process.run()
    } catch {
      throw SlowDiskError(description: "\(path): cannot be created (\(error))")
    }
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw SlowDiskError(description: "\(path): cc failed; install a C compiler.")
    }
    return path
  }
}
