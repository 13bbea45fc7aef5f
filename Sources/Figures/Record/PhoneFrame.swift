/// An update of a sample of phones, for a page that is open during the run: the phones that have
/// changed since the instant before. Numbers are as in `PhoneSample`.
package struct PhoneFrame: Equatable, Sendable, Encodable {
  /// The number of instants in the sample before this one.
  package var number: Int
  /// Scenario time in seconds since 1970.
  package var at: Int
  /// Per changed phone: its sample index as growth, latitude, longitude, state and newest fix.
  package private(set) var changed: [Int] = []
  /// Per new place of rest: the phone's index in the sample, latitude and longitude.
  package var rests: [Int] = []
  private var last = 0

  private enum CodingKeys: String, CodingKey { case number, at, changed, rests }

  package init(number: Int, at: Int) {
    self.number = number
    self.at = at
  }

  /// - Parameter phone: The phone's index in the sample; indices must ascend from call to call.
  package mutating func append(_ phone: Int, place: [Int], state: Int, newest: Int) {
    changed += [phone - last] + place + [state, newest]
    last = phone
  }
}

extension PhoneSample {
  /// The first instant as a sample without the days' contents, then the others; nil if empty.
  package var frames: (first: PhoneSample, others: [PhoneFrame])? {
    guard let start = instants.first else { return nil }
    var first = self
    first.instants = [start]
    first.days = days.map { Day(phone: $0.phone, introduction: "") }
    var others = instants.enumerated().dropFirst().map { PhoneFrame(number: $0, at: $1) }
    for i in phones.indices {
      let (places, states, newest) = (
        rows(self.places[i], 2), rows(state[i], 1), rows(self.newest[i], 1)
      )
      first.places[i] = Self.steps(1, width: 2) { places[$1] }
      first.state[i] = Self.steps(1, width: 1) { _, _ in states[0] }
      first.newest[i] = Self.steps(1, width: 1) { _, _ in newest[0] }
      for n in instants.indices.dropFirst() {
        let place = Array(places[2 * n...2 * n + 1])
        let isSame =
          place == Array(places[2 * n - 2...2 * n - 1]) && states[n] == states[n - 1]
          && newest[n] == newest[n - 1]
        if !isSame { others[n - 1].append(i, place: place, state: states[n], newest: newest[n]) }
      }
    }
    return (first, others)
  }

  private func rows(_ steps: [Int], _ width: Int) -> [Int] {
    Self.rows(steps, width: width, count: instants.count)
      ?? [Int](repeating: 0, count: width * instants.count)
  }
}
