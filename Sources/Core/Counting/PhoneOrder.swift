/// A ledger's entries by phone, and in the ledger's order for each phone, by a counting sort.
struct PhoneOrder: Sendable {
  private let places: [UInt32]
  /// The index in `places` at which each phone's pushes begin; at last, the end of all.
  private let begins: [UInt32]
  private let silences: [(phone: UInt32, place: Int)]

  init(_ ledger: WakeLedger) {
    // The number of pushes by phone, then their first index, at last the index after them.
    var next = [UInt32](repeating: 0, count: ledger.phones + 1)
    for push in ledger.pushes { next[Int(push.phone)] += 1 }
    var sum: UInt32 = 0
    for phone in next.indices {
      (next[phone], sum) = (sum, sum + next[phone])
    }
    var places = [UInt32](repeating: 0, count: ledger.pushes.count)
    for place in ledger.pushes.indices {
      let phone = Int(ledger.pushes[place].phone)
      places[Int(next[phone])] = UInt32(place)
      next[phone] += 1
    }
    self.places = places
    // The pushes of a phone end where those of the next one begin.
    begins = [0] + next.dropLast()
    silences = ledger.unreachable.indices
      .map { (ledger.unreachable[$0].phone, $0) }.sorted { $0 < $1 }
  }

  func forEach(push: (UInt32, Int) -> Void, silence: (UInt32, Int) -> Void) {
    var silences = silences[...]
    for phone in 0..<begins.count - 1 {
      for n in begins[phone]..<begins[phone + 1] { push(UInt32(phone), Int(places[Int(n)])) }
      while let next = silences.first, next.phone == phone {
        silence(next.phone, next.place)
        silences.removeFirst()
      }
    }
  }
}
