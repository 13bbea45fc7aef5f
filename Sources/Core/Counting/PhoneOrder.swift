/// The order of a ledger's entries by phone, stable within one: a counting sort.
struct PhoneOrder: Sendable {
  private let places: [UInt32]
  /// The start of each phone's pushes in `places`, and the end of the last one's.
  private let begins: [UInt32]
  private let silences: [(phone: UInt32, place: Int)]

  init(_ ledger: WakeLedger) {
    // First counts, then begins, and while places are filled in each phone's next free one.
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
    // Each phone's next free place is where the following one begins.
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
