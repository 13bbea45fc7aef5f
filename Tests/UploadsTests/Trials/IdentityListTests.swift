internal import TestSupport
internal import Testing
@testable import Uploads

@Suite("Identities of a trial", .quick)
struct IdentityListTests {
  @Test("keeps the scenario's order if no phone repeats too soon")
  func order() {
    let list = IdentityList([3, 1, 2, 3], town: 4, count: 4, gap: 3)
    #expect(list.phones == [3, 1, 2, 3])
    #expect(list.population == 4)
  }

  @Test("no phone repeats within the gap, and repeats of a number keep its place in the town")
  func gaps() {
    let order: [UInt32] = [0, 0, 0, 1, 2, 0]
    let list = IdentityList(order, town: 3, count: 60, gap: 10)
    for (place, phone) in list.phones.enumerated() {
      #expect(phone % 3 == order[place % order.count])
      #expect(Int(phone) < list.population)
      #expect(!list.phones[..<place].suffix(9).contains(phone))
    }
  }
}
