package import Core

/// The parts of a fleet, such as its operating systems, whose pushes and ages are counted apart. A
/// phone belongs to a part once its cohort is known.
package struct BackendParts: Sendable {
  /// The part of each cohort; nil for a cohort of no part.
  package var ofCohort: [Int?]
  private var cohorts: [UInt8?]
  /// The counts of pushes of each part.
  package internal(set) var wake: [Sheet]

  init(ofCohort parts: [Int], phones: Int) {
    ofCohort = parts
    cohorts = .init(repeating: nil, count: parts.isEmpty ? 0 : phones)
    wake = .init(repeating: Sheet(), count: (parts.max() ?? -1) + 1)
  }

  mutating func note(_ phone: PhoneID, cohort: Int) {
    guard ofCohort.indices.contains(cohort) else { return }
    cohorts[Int(phone.rawValue)] = UInt8(clamping: cohort)
  }

  package func cohort(of phone: PhoneID) -> Int? {
    let index = Int(phone.rawValue)
    return index < cohorts.count ? cohorts[index].map { Int($0) } : nil
  }

  @inline(__always) func part(of index: Int) -> Int? {
    index < cohorts.count ? cohorts[index].flatMap { ofCohort[Int($0)] } : nil
  }

  mutating func reset() { wake = wake.map { _ in Sheet() } }
}
