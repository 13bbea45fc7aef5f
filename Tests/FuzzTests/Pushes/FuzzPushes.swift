/// Sends arbitrary requests and tokens to a push provider's endpoint: nothing may trap, hang or be
/// judged in two ways, whatever the bytes.
///
/// libFuzzer calls it. `make fuzz` builds this file, ordinary builds leave it out.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  PushCheck.check(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
