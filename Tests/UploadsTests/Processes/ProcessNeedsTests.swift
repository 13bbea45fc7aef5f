import TestSupport
import Testing
@testable import Uploads

@Suite("System limits of a process", .quick)
struct ProcessNeedsTests {
  private static let unlimited = Int.max

  private func shortage(descriptors: Int = unlimited, addressSpace: Int = unlimited) -> String? {
    ProcessNeeds.shortage(descriptors: descriptors, addressSpace: addressSpace, cores: 2)
  }

  @Test("too few descriptors are reported, with the limit and how to raise it")
  func descriptors() throws {
    #expect(shortage(descriptors: 64) == nil)
    let words = try #require(shortage(descriptors: 20))
    #expect(words.contains("the limit of open files is 20;") && words.contains("'ulimit -n 4096'"))
    let parent = try #require(ProcessNeeds.shortageOfParent(descriptors: 64))
    #expect(
      parent.contains("the limit of open files is 64")
        && parent.contains("256 or more to start another process"))
    #expect(ProcessNeeds.shortageOfParent(descriptors: 256) == nil)
  }

  @Test("too small an address space for threads is refused, and the need grows with the cores")
  func addressSpace() throws {
    let words = try #require(shortage(addressSpace: 300_000 << 10))
    #expect(words.contains("292 MiB") && words.contains("1280 MiB or more"))
    #expect(words.contains("ulimit -v"))
    #expect(shortage(addressSpace: 1_280 << 20) == nil)
    #expect(
      ProcessNeeds.shortage(descriptors: 64, addressSpace: 1_280 << 20, cores: 8) != nil)
  }
}
