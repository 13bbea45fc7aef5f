/// Unsafe in name only: a fuzzer has one thread.
nonisolated(unsafe) private let check = UploadCheck()

/// Reads arbitrary bytes as an upload, and as its payload: nothing may trap, hang or grow, whatever
/// the bytes.
///
/// libFuzzer calls it. `make fuzz` builds this file, ordinary builds leave it out.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  check(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
