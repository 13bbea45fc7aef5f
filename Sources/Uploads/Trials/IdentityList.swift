/// Whose batches a trial offers: the phones of a scenario, in the order of their uploads.
///
/// A trial goes through hours of a scenario in seconds, and a phone has one batch under way at a
/// time; so who would come again too soon lets a namesake of another town go first.
struct IdentityList: Equatable, Sendable {
  private(set) var phones: [UInt32] = []
  /// Of all towns together.
  private(set) var population: Int

  /// - Parameters:
  ///   - order: of the uploads in the scenario; gone through as often as it takes.
  ///   - town: how many phones there are in one.
  ///   - gap: how many uploads lie between two of one phone at least.
  init(_ order: [UInt32], town: Int, count: Int, gap: Int) {
    precondition(!order.isEmpty && town > 0, "somebody uploads (of \(town) phones)")
    phones.reserveCapacity(count)
    var last: [UInt32: Int] = [:]
    var towns = 1
    for place in 0..<count {
      let phone = order[place % order.count]
      var (name, number) = (phone, 0)
      while let used = last[name], place - used < gap {
        number += 1
        name = phone + UInt32(number * town)
      }
      last[name] = place
      towns = max(towns, number + 1)
      phones.append(name)
    }
    population = towns * town
  }
}
