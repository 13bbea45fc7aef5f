/// The phones of a trial's batches, in the order of a scenario's uploads. A phone has one batch in
/// flight at a time. If a phone is due again too soon, a copy in another town sends instead.
struct IdentityList: Equatable, Sendable {
  private(set) var phones: [UInt32] = []
  private(set) var population: Int

  /// - Parameter order: the phones in the order of the scenario's uploads, repeated as needed.
  /// - Parameter gap: the minimum distance, in uploads, between two uploads of a phone.
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
