@testable import Core
import Foundation
import TestSupport
import Testing

/// Against lifelines, the Python library, on random data with ties and censoring.
@Suite("Kaplan–Meier curve and lifelines", .live, .timeLimit(.minutes(10)))
struct LifelinesTests {
  /// A Python that has lifelines.
  private static let python: String? = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let all =
      [Oracle.pythonPackages.path].compactMap(\.self)
      + path.split(separator: ":").map { "\($0)/python3" }
    return all.first { (try? run($0, ["-c", "import lifelines"], "")) != nil }
  }()
  private static let lifelines = Oracle(
    name: "a Python with lifelines", advice: ".ci/deps test installs it where CI runs"
  ) { python }

  private static let script = """
    import json, sys, warnings
    warnings.simplefilter("ignore")
    from lifelines import KaplanMeierFitter
    rows = json.load(sys.stdin)
    fit = KaplanMeierFitter().fit([r[0] for r in rows], [r[1] for r in rows])
    at = fit.event_table
    out = []
    for t in at.index[at.observed > 0]:
      band = fit.confidence_interval_.loc[t]
      out.append([t, float(fit.survival_function_.loc[t].iloc[0]), float(band.iloc[0]),
        float(band.iloc[1]), int(at.at_risk[t])])
    sys.stdout.write(json.dumps(out))
    """

  static func run(_ python: String, _ arguments: [String], _ input: String) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = arguments
    let (toIt, fromIt) = (Pipe(), Pipe())
    process.standardInput = toIt
    process.standardOutput = fromIt
    process.standardError = FileHandle.nullDevice
    try process.run()
    try toIt.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try toIt.fileHandleForWriting.close()
    let data = fromIt.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    return data
  }

  @Test(
    "curve, band and numbers at risk match the library",
    .needs(lifelines),
    arguments: [(1, 12), (2, 300), (3, 2_000)] as [(UInt64, Int)])
  func agrees(seed: UInt64, count: Int) throws {
    var draw = Draw(seed: seed, phone: 0, Purpose(rawValue: 894))
    // Whole numbers, so that events and censored ones fall on the same times.
    let rows = (0..<count).map { _ in
      KaplanMeier.Observation(
        time: (1 + draw.exponential(mean: 40)).rounded(), isEvent: draw.chance(0.6))
    }
    let text = "[" + rows.map { "[\($0.time), \($0.isEvent ? 1 : 0)]" }.joined(separator: ",") + "]"
    let reply = try Self.run(try #require(Self.python), ["-c", Self.script], text)
    let expected = try JSONDecoder().decode([[Double?]].self, from: reply)
    let curve = KaplanMeier(rows)
    #expect(curve.steps.count == expected.count)
    for (step, row) in zip(curve.steps, expected) {
      #expect(row[0] == step.time && row[4] == Double(step.atRisk))
      #expect(abs(step.survival - (row[1] ?? -1)) < 1e-9, "\(step)")
      // With no subjects left the library has no band.
      guard step.survival > 1e-12 else { continue }
      #expect(abs(step.low - (row[2] ?? -1)) < 1e-7, "\(step) \(row)")
      #expect(abs(step.high - (row[3] ?? -1)) < 1e-7, "\(step) \(row)")
    }
  }
}
