/// Unsafe in name only: a fuzzer has one thread.
nonisolated(unsafe) private let check = HTTP1Check()

/// Sends arbitrary bytes to an HTTP/1.1 server, cut anywhere: nothing may trap, hang, grow, or be
/// read in two ways, whatever the bytes.
///
/// libFuzzer calls it. `make fuzz` builds this file, ordinary builds leave it out.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  check(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
