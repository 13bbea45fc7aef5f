internal import Foundation
package import Scenarios

extension ClaimHistory {
  /// How many predictions of one area held when they were last measured.
  package struct Evidence: Equatable, Sendable {
    /// Is the part of the model that they are about.
    package let area: RegisteredClaim.Area
    /// Counts those that held, of all their values.
    package let held: Int
    /// Counts all of them, measured or not.
    package let made: Int
  }

  /// Reads from the history how many predictions held of those made, by area; a claim counts with
  /// its newest values of the main seeds, whichever calibration found them.
  ///
  /// - Returns: the areas that have predictions; nil: no history was kept.
  /// - Throws: every mistake of the files of claims.
  package static func evidence(_ library: ScenarioLibrary) throws -> [Evidence]? {
    guard let folder = library.claimsFolder,
      let bytes = FileManager.default.contents(atPath: "\(folder)/history.csv")
    else { return nil }
    return evidence(of: try library.claims(), in: String(decoding: bytes, as: UTF8.self))
  }

  static func evidence(of claims: [RegisteredClaim], in file: String) -> [Evidence] {
    let verdicts = newestVerdicts(in: file)
    let predictions = claims.filter { $0.kind == .predict }
    return RegisteredClaim.Area.allCases.compactMap { area in
      let own = predictions.filter { $0.area == area }
      guard !own.isEmpty else { return nil }
      let held = own.count { claim in
        verdicts[claim.id].map { values in values.allSatisfy { $0.value == "pass" } } ?? false
      }
      return Evidence(area: area, held: held, made: own.count)
    }
  }

  /// The verdict of each value of each claim or row, by its id and then by the value's.
  private static func newestVerdicts(in file: String) -> [String: [String: String]] {
    var verdicts: [String: [String: String]] = [:]
    var runs: [String: String] = [:]
    for line in file.split(whereSeparator: \.isNewline) {
      guard let record = Record(line), record.seeds == CalibrationBench.Seeds.main.rawValue else {
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
