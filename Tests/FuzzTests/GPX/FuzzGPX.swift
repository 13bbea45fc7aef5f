/// Reads arbitrary bytes as a GPX file and simulates the result: nothing may trap, hang or grow,
/// whatever the bytes.
///
/// libFuzzer calls it. `make fuzz` builds this file, ordinary builds leave it out.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  RecordingCheck.check(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
