/// A ledger's entries by phone (counting sort), for each phone in the ledger's order.
struct PhoneOrder: Sendable {
  private let places: [UInt32]
  /// The index in `places` at which each phone's pushes begin; the last element is `places.count`.
  private let begins: [UInt32]
  private let silences: [(phone: UInt32, place: Int)]

  init(_ ledger: WakeLedger) {
    // Each phone's number of pushes, then its first push's index, then the index after its last.
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
    // The pushes of a phone end where the pushes of the next phone begin.
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
