/// The phones of a trial's batches, in the order of a scenario's uploads. A phone that would return
/// too soon, with one batch in flight at a time, is replaced by its copy in another town.
struct IdentityList: Equatable, Sendable {
  private(set) var phones: [UInt32] = []
  private(set) var population: Int

  /// - Parameter order: the order of uploads in the scenario; repeated as needed.
  /// - Parameter gap: the minimum number of uploads between two of one phone.
  init(_ order: [UInt32], town: Int, count: Int, gap: Int) {
    precondition(!order.isEmpty && town > 0, "at least one phone uploads (of \(town) phones)")
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
