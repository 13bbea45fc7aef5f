import TestSupport
import Testing

@testable import Figures

@Suite("The capacity of a target", .quick)
struct TargetCapacityTests {
  @Test("a phone's reads and events count as uploads, and without them nothing is said of them")
  func otherRequests() {
    var found = TargetCapacity(name: "acme", address: "http://127.0.0.1")
    found.lowerBound = 120
    found.uploadsPerPhone = 0.04
    #expect(found.phonesServed == 3_000 && !found.sentence.contains("viewer"))
    found.readsPerPhone = 0.06
    #expect(found.phonesServed == 1_200)
    #expect(
      found.sentence.hasSuffix(
        "of 1,200 phones, with a viewer’s read counted as an upload."), "\(found.sentence)")
    found.eventsPerPhone = 0.1
    #expect(found.phonesServed == 600)
    #expect(
      found.sentence.hasSuffix(
        "of 600 phones, with a viewer’s read or an event counted as an upload."),
      "\(found.sentence)")
  }
}
