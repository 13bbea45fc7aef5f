/// Suggests the known word nearest to a mistyped one.
package enum Spelling {
  /// Returns the nearest candidate, at most 3 edits and a third of the word away; nil for none.
  package static func nearest(to word: String, in candidates: some Sequence<String>) -> String? {
    let limit = min(3, max(1, word.count / 3))
    let ranked = candidates.map { ($0, distance(word.lowercased(), $0.lowercased())) }
    guard let best = ranked.min(by: { $0.1 < $1.1 }), best.1 <= limit else { return nil }
    return best.0
  }

  package static func hint(for word: String, in candidates: some Sequence<String>) -> String {
    nearest(to: word, in: candidates).map { " Did you mean '\($0)'?" } ?? ""
  }

  /// Counts insertions, deletions, substitutions and neighbour swaps (optimal string alignment).
  static func distance(_ a: String, _ b: String) -> Int {
    // Compares only the first 64 characters; no scenario key is longer.
    let a = Array(a.prefix(64))
    let b = Array(b.prefix(64))
    var rows = Array(repeating: Array(repeating: 0, count: b.count + 1), count: a.count + 1)
    for i in 0...a.count { rows[i][0] = i }
    for j in 0...b.count { rows[0][j] = j }
    for i in a.indices {
      for j in b.indices {
        let change = rows[i][j] + (a[i] == b[j] ? 0 : 1)
        var best = min(rows[i][j + 1] + 1, rows[i + 1][j] + 1, change)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        rows[i + 1][j + 1] = best
      }
    }
    return rows[a.count][b.count]
  }
}
