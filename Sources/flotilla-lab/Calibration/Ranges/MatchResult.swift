internal import Capacity
internal import Core
internal import Foundation
internal import Scenarios

/// The result of a history match, or the finished part of a match that was stopped.
struct MatchResult {
  struct Wave: Encodable {
    let points: Int
    /// The share of the parameter space that is not ruled out after the wave.
    let share: Double
    /// The number of its points that meet the claims.
    let met: Int
  }

  struct Walk: Encodable {
    /// The number of simulated steps, and of those that end at a plausible place.
    let points, met: Int
  }

  struct Claim {
    let claim: RegisteredClaim
    /// The least implausibility at any simulated point, and in any verified set; nil without one.
    var least: Double?
    var inSets: Double?
    /// The numbers of the waves' points at which the claim has a value, and of those that reach it.
    var known = 0
    var met = 0

    /// An emulator tells nothing about a claim that fewer points reach.
    private static let metMin = 0.05

    var isReached: Bool { met > 0 && Double(met) >= Self.metMin * Double(known) }

    /// Returns whether no verified set reaches the claim; without such sets, no simulated point.
    func isMissing(_ hasSets: Bool) -> Bool {
      (hasSets ? inSets : least).map { $0 > MatchTarget.cutoff } ?? false
    }
  }

  private(set) var claims: [Claim]
  let commit: String
  /// The number of parameters of the claims' worlds.
  let known: Int
  /// The parameters that move a claim, and their keys.
  var parameters: [VariedParameter] = []
  var keys: [String] = []
  var waves: [Wave] = []
  var walks: [Walk] = []
  /// The number of sets simulated for verification.
  private(set) var tried = 0
  /// The verified sets: positions in the range of each parameter, in the order of `keys`.
  private(set) var sets: [[Double]] = []
  private var aside: Set<Int> = []
  /// The stage at which the match was stopped; nil if the match is complete.
  private(set) var stop: String?

  init(_ claims: [RegisteredClaim], commit: String, parameters known: Int) {
    self.claims = claims.map { Claim(claim: $0) }
    (self.commit, self.known) = (commit, known)
  }

  /// The claims that the parameters can be judged by, in order: those that one point of the waves
  /// in twenty reaches and that are not set aside.
  var reached: [Int] {
    claims.indices.filter { !aside.contains($0) && claims[$0].isReached }
  }

  /// Sets aside claims that no place in the ranges reaches, by their emulators. Returns whether
  /// there is such a claim.
  ///
  /// - Parameter least: the least implausibility of each of the claims `reached`.
  mutating func setAside(least: [Double]) -> Bool {
    let found = zip(reached, least).filter { $1 > MatchTarget.cutoff }.map { $0.0 }
    aside.formUnion(found)
    return !found.isEmpty
  }

  func stopped(in stage: String) -> Self {
    var copy = self
    copy.stop = stage
    return copy
  }

  /// Adds points of a wave, each with the implausibility of every claim.
  mutating func meet(_ points: [[Double?]]) {
    for point in points {
      for (claim, one) in point.enumerated() {
        claims[claim].least = Self.lesser(claims[claim].least, one)
        guard let one else { continue }
        claims[claim].known += 1
        claims[claim].met += one <= MatchTarget.cutoff ? 1 : 0
      }
    }
  }

  private static func lesser(_ a: Double?, _ b: Double?) -> Double? {
    [a, b].compactMap(\.self).min()
  }

  /// Returns whether a simulated point meets the claims that are reached, but for one in twenty. A
  /// claim that has a value at other points only is not met.
  func isMet(_ implausibilities: [Double?]) -> Bool {
    let reached = reached
    return !reached.isEmpty
      && MatchTarget.combined(reached.map { implausibilities[$0] ?? .infinity })
        <= MatchTarget.cutoff
  }

  mutating func verify(_ place: [Double], _ implausibilities: [Double?]) {
    tried += 1
    let isMet = isMet(implausibilities)
    if isMet { sets.append(place) }
    for (claim, one) in implausibilities.enumerated() {
      claims[claim].least = Self.lesser(claims[claim].least, one)
      if isMet { claims[claim].inSets = Self.lesser(claims[claim].inSets, one) }
    }
  }

  // MARK: Text

  var text: String {
    var lines = [
      "\(claims.count) claims to fit, \(known) parameters"
        + (keys.isEmpty ? "" : ", \(keys.count) of which move a claim")
    ]
    lines += waves.enumerated().map { number, wave in
      """
      wave \(number + 1): \(wave.points) points, \(wave.met) of them plausible, \
      \(wave.share > 0 ? "\(Figure.quantity(100 * wave.share)) %" : "nothing") of the space left
      """
    }
    lines += walks.enumerated().map { number, walk in
      "walk \(number + 1): \(walk.points) steps, \(walk.met) of them to plausible places"
    }
    if let stop { lines.append("stopped in \(stop)") }
    if tried > 0 {
      lines.append("\(sets.count) of \(tried) sets verified, with \(MatchStudy.seeds) seeds each")
    }
    guard !waves.isEmpty else { return lines.joined(separator: "\n") }
    lines += [""]
    lines += CalibrationTable.aligned(
      ["claim", "area", "published", "least implausibility", "in verified sets", ""],
      claims.map { cells($0) })
    let narrowed = narrowed
    if !narrowed.isEmpty {
      lines += [""]
      lines += CalibrationTable.aligned(["parameter", "range", "90 % of verified sets"], narrowed)
    }
    return lines.joined(separator: "\n")
  }

  private func cells(_ claim: Claim) -> [String] {
    func text(_ figure: Double?) -> String {
      figure.map { $0.isFinite ? Figure.hundredths($0) : "∞" } ?? "–"
    }
    let unit = claim.claim.unit.isEmpty ? "" : " \(claim.claim.unit)"
    return [
      claim.claim.id, claim.claim.area.rawValue,
      "\(Figure.quantity(claim.claim.observation.value))\(unit)", text(claim.least),
      text(claim.inSets), claim.isMissing(!sets.isEmpty) ? "a mechanism is missing" : "",
    ]
  }

  /// The rows of parameters of which 90 % of the sets cover less than 60 % of the range, narrowest
  /// first.
  private var narrowed: [[String]] {
    let rows = parameters.indices.compactMap { axis -> (width: Double, cells: [String])? in
      let places = sets.map { $0[axis] }
      guard let low = places.quantile(0.05, .linear), let high = places.quantile(0.95, .linear),
        high - low < 0.6
      else { return nil }
      let one = parameters[axis]
      return (
        high - low,
        [
          keys[axis], "\(one.parameter.low) – \(one.parameter.high)",
          "\(one.text(at: low)) – \(one.text(at: high))",
        ]
      )
    }
    return rows.sorted { $0.width < $1.width }.map(\.cells)
  }

  // MARK: Files

  /// The text of `ensemble.csv`: a line per set, a column per parameter that moves a claim.
  var csv: String {
    let lines = sets.enumerated().map { number, place in
      ["\(number + 1)", commit] + zip(parameters, place).map { $0.text(at: $1) }
    }
    // Neither a key nor a value has a comma.
    return ([MatchedSets.begin + keys] + lines).map { $0.joined(separator: ",") + "\n" }.joined()
  }

  /// Pretty-printed JSON of schema `flotilla.match/1`.
  func json() throws -> String {
    func finite(_ figure: Double?) -> Double? { figure.flatMap { $0.isFinite ? $0 : nil } }
    return try Document(
      waves: waves, walks: walks, stop: stop, tried: tried,
      claims: claims.map {
        .init(
          id: $0.claim.id, least: finite($0.least), inSets: finite($0.inSets),
          isMissing: $0.isMissing(!sets.isEmpty))
      },
      sets: sets.map { place in
        Dictionary(
          uniqueKeysWithValues: zip(keys, zip(parameters, place).map { $0.text(at: $1) }))
      }
    ).jsonText(isPretty: true)
  }

  private struct Document: Encodable {
    struct Claim: Encodable {
      let id: String
      let least, inSets: Double?
      let isMissing: Bool
    }

    let schema = "flotilla.match/1"
    let waves: [Wave]
    let walks: [Walk]
    let stop: String?
    let tried: Int
    let claims: [Claim]
    let sets: [[String: String]]
  }
}
