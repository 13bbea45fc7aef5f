internal import Core
internal import Foundation

/// Sets of parameter values with each of which the model meets all claims to fit at once. The file
/// `scenarios/claims/ensemble.csv` has a line per set and a column per parameter.
package struct MatchedSets: Equatable, Sendable {
  package let count: Int
  /// The values of each parameter, one per set, written as in a scenario; keyed by its path.
  private let columns: [String: [String]]

  /// Returns the recorded sets; nil if the library has none.
  ///
  /// - Throws: an error that names a file without sets.
  package static func read(_ library: ScenarioLibrary) throws(ScenarioError) -> MatchedSets? {
    guard let path = library.claimsFolder.map({ "\($0)/ensemble.csv" }),
      let bytes = FileManager.default.contents(atPath: path)
    else { return nil }
    guard let sets = MatchedSets(String(decoding: bytes, as: UTF8.self)) else {
      throw ScenarioError([
        Diagnostic(
          origin: .whole(path),
          text: "has no sets; write it with calibrate --match N --record, or remove it.")
      ])
    }
    return sets
  }

  /// Parses the text of a file; nil without a set or a parameter, or if a line and the header differ
  /// in length.
  package init?(_ text: String) {
    let rows = text.split(whereSeparator: \.isNewline).map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    guard let header = rows.first, header.starts(with: Self.begin),
      header.count > Self.begin.count, rows.count > 1,
      rows.allSatisfy({ $0.count == header.count })
    else { return nil }
    count = rows.count - 1
    columns = Dictionary(
      header.indices.dropFirst(Self.begin.count).map { column in
        (header[column], rows.dropFirst().map { $0[column] })
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The first columns of a file.
  package static let begin = ["set", "commit"]

  /// Returns the values of a parameter in `sets` sets; nil if the parameter moves no claim and thus
  /// has no column. Fewer sets than `count` are spread evenly over the file; more repeat the file.
  package func values(of key: String, sets: Int) -> [String]? {
    columns[key].map { values in
      (0..<sets).map { values[sets <= count ? $0 * count / sets : $0 % count] }
    }
  }

  /// A hash of all values.
  package var digits: String {
    var hash = StableHash()
    for key in columns.keys.sorted() {
      hash.combine("\(key) \(columns[key, default: []].joined(separator: " "))\n")
    }
    return hash.digits
  }
}
