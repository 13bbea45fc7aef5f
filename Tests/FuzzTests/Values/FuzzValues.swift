/// Unsafe in name only: a fuzzer has one thread.
nonisolated(unsafe) private let check = ValueCheck()

/// Sends messages with arbitrary values to a collector, and to readers of its answers: nothing may
/// trap or hang, whatever the values.
///
/// libFuzzer calls it. `make fuzz` builds this file, ordinary builds leave it out.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  check(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
