/// Reads arbitrary bytes as a scenario, and reads a valid one back from its own text.
///
/// libFuzzer calls it. `make fuzz` builds this file, ordinary builds leave it out.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  ScenarioCheck.check(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
