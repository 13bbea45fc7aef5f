internal import Foundation

/// The predictions of one area that held when last measured.
package struct ClaimEvidence: Equatable, Sendable {
  package let area: RegisteredClaim.Area
  /// The predictions all of whose values held.
  package let held: Int
  /// All predictions, measured or not.
  package let made: Int

  /// Reads from the history how many predictions held, by area; nil if none was kept. A claim
  /// counts with its newest values of the main seeds.
  package static func read(_ library: ScenarioLibrary) throws -> [ClaimEvidence]? {
    guard let folder = library.claimsFolder,
      let bytes = FileManager.default.contents(atPath: "\(folder)/history.csv")
    else { return nil }
    return read(try library.claims(), in: String(decoding: bytes, as: UTF8.self))
  }

  package static func read(_ claims: [RegisteredClaim], in file: String) -> [ClaimEvidence] {
    let verdicts = newestVerdicts(in: file)
    let predictions = claims.filter { $0.kind == .predict }
    return RegisteredClaim.Area.allCases.compactMap { area in
      let own = predictions.filter { $0.area == area }
      guard !own.isEmpty else { return nil }
      let held = own.count { claim in
        verdicts[claim.id].map { values in values.allSatisfy { $0.value == "pass" } } ?? false
      }
      return ClaimEvidence(area: area, held: held, made: own.count)
    }
  }

  private static func newestVerdicts(in file: String) -> [String: [String: String]] {
    var verdicts: [String: [String: String]] = [:]
    var runs: [String: String] = [:]
    for line in file.split(whereSeparator: \.isNewline) {
      guard let record = ClaimFinding(line), record.seeds == "main" else {
        continue
      }
      let id = String(record.id.prefix { $0 != "/" })
      let run = "\(record.date) \(record.commit)"
      // A claim may have had values of other names in a calibration before.
      if runs[id] != run { verdicts[id] = [:] }
      runs[id] = run
      verdicts[id, default: [:]][record.id] = record.verdict
    }
    return verdicts
  }
}
