package import Foundation

/// Counts a process's calls of malloc: a library loaded before the C library, which adds one in a
/// file for every call.
package struct AllocationCounter {
  /// Optimised: a debug build allocates what the optimiser keeps on the stack.
  package static let program = Program.root.appendingPathComponent(".build/release/flotilla")

  package let file: URL
  private let library: URL

  package init(in folder: TemporaryFolder) async throws {
    file = folder["allocations"]
    library = folder["counter.so"]
    try Data(Self.source.utf8).write(to: folder["counter.c"])
    let compiled = try await Program.runTool(
      "cc", ["-O2", "-shared", "-fPIC", "-o", library.path, folder["counter.c"].path])
    guard compiled.code == 0 else { throw ToolError.noTool("cc: \(compiled.errorOutput)") }
  }

  /// Environment of a counted process.
  package var environment: [String: String] {
    ["LD_PRELOAD": library.path, "FLOTILLA_ALLOCATIONS": file.path]
  }

  /// Calls so far.
  package var count: UInt64 {
    guard let data = try? Data(contentsOf: file), data.count == 8 else { return 0 }
    return data.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static let source = """
    #include <fcntl.h>
    #include <stdatomic.h>
    #include <stdlib.h>
    #include <sys/mman.h>
    #include <unistd.h>

    extern void *__libc_malloc(size_t);
    extern void *__libc_calloc(size_t, size_t);
    extern void *__libc_realloc(void *, size_t);
    extern void *__libc_memalign(size_t, size_t);
    static _Atomic unsigned long *count;

    __attribute__((constructor)) static void begin(void) {
      const char *path = getenv("FLOTILLA_ALLOCATIONS");
      int file = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
      if (file < 0 || ftruncate(file, 8)) return;
      void *memory = mmap(0, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      if (memory != MAP_FAILED) count = memory;
    }

    static void one(void) {
      if (count) atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
    }

    void *malloc(size_t size) { one(); return __libc_malloc(size); }
    void *calloc(size_t items, size_t size) { one(); return __libc_calloc(items, size); }
    void *realloc(void *old, size_t size) { one(); return __libc_realloc(old, size); }
    void *memalign(size_t to, size_t size) { one(); return __libc_memalign(to, size); }
    void *aligned_alloc(size_t to, size_t size) { one(); return __libc_memalign(to, size); }
    int posix_memalign(void **place, size_t to, size_t size) {
      one();
      *place = __libc_memalign(to, size);
      return *place ? 0 : 12;
    }
    """
}
