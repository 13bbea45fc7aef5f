import Core
import Figures
import Foundation
import TestSupport
import Testing

@testable import Run
@testable import Scenarios

@Suite("An axis of a sweep", .quick)
struct SweepAxisTests {
  @Test(
    "has readable values from one end to the other",
    arguments: [
      ("push.silentAfter=15min..4h:6", ["15min", "1h", "105min", "150min", "195min", "4h"]),
      ("push.silentAfter=15min..4h:6log", ["15min", "26min", "45min", "79min", "140min", "4h"]),
      ("push.holdout=0%..50%:6", ["0%", "10%", "20%", "30%", "40%", "50%"]),
      ("fleet.phones=100..1000:3", ["100", "550", "1000"]),
      ("push.phone.bucketCapacity=1..10:5", ["1", "3", "6", "8", "10"]),
      ("push.backoff.factor=1..2:5", ["1", "1.25", "1.5", "1.75", "2"]),
      ("push.rate=100/min..600/min:3", ["100/min", "350/min", "600/min"]),
      ("push.accuracyLimit=100m..2km:3", ["100m", "1050m", "2km"]),
      ("push.jitter=0s..1h:4", ["0s", "20min", "40min", "1h"]),
      ("push.scheduler=fixed, adaptive", ["fixed", "adaptive"]),
      ("p={ a: 1, b: [2, 3] },'x,y',[4, 5]", ["{ a: 1, b: [2, 3] }", "'x,y'", "[4, 5]"]),
      ("gpx=../data/a.gpx,../data/b.gpx", ["../data/a.gpx", "../data/b.gpx"]),
    ])
  func values(text: String, values: [String]) throws {
    #expect(try SweepAxis(text).values == values)
  }

  @Test("a range has the requested number of values, both ends, and rises", arguments: 0..<200)
  func range(number: Int) throws {
    var draw = Draw(seed: 7, phone: 0, Purpose(rawValue: 900), Int64(number))
    let units = ["s", "min", "h", "d", "m", "km", "%", "", "/s", "/min", "KiB", "km/h"]
    let unit = units[number % units.count]
    let low = (draw.uniform() * 100).rounded()
    let high = low + 1 + (draw.uniform() * 1_000).rounded()
    let count = 2 + Int(draw.uniform() * 40)
    let isGeometric = low > 0 && number % 3 == 0
    let from = "\(Int(low))\(unit)"
    let to = "\(Int(high))\(unit)"
    let axis = try SweepAxis("key=\(from)..\(to):\(count)\(isGeometric ? "log" : "")")
    #expect(axis.values.count == count)
    #expect(axis.values.first == from && axis.values.last == to)
    let places = try axis.values.map { try #require(WrittenQuantity($0), "\($0)").value }
    for (a, b) in zip(places, places.dropFirst()) { #expect(a < b, "\(axis.values)") }
    let whole = high - low
    for (i, place) in places.enumerated() where !isGeometric {
      let even = places[0] + (places[count - 1] - places[0]) * Double(i) / Double(count - 1)
      let step = (places[count - 1] - places[0]) / Double(count - 1)
      // Whole numbers stay whole; the rest is rounded by a twentieth of a step at most.
      let isWhole = unit.isEmpty && whole / Double(count - 1) >= 1
      let slack = isWhole ? max(0.5, step * 0.05) : step * 0.05
      #expect(abs(place - even) <= slack * 1.001, "\(axis.values)")
    }
  }

  @Test(
    "mistakes have different messages",
    arguments: [
      ("push.silentAfter", SweepAxisError.noEquals("push.silentAfter")),
      ("=1,2", .noKey("=1,2")), ("k=", .noValues("k=")), ("k=1", .onePoint("k=1")),
      ("k=1..2:1", .onePoint("k=1..2:1")), ("k=1,,2", .emptyValue("k=1,,2")),
      ("k=a,b,a", .sameValue("k=a,b,a", "a")), ("k={a,b", .openBracket("k={a,b")),
      ("k=1h..2h", .noCount("k=1h..2h")), ("k=1h..2h:x", .badCount("k=1h..2h:x", "x")),
      ("k=1h..2q:3", .badEnd("k=1h..2q:3", "2q")),
      ("k=1h..2m:3", .differentKinds("k=1h..2m:3", "1h", "2m")),
      ("k=2h..1h:3", .notRising("k=2h..1h:3")), ("k=2h..120min:3", .notRising("k=2h..120min:3")),
      ("k=0s..1h:3log", .geometricFromZero("k=0s..1h:3log")),
      ("k=1us..2us:9", .tooFine("k=1us..2us:9")), ("k=1..2:201", .tooManyPoints(201)),
    ])
  func diagnostics(text: String, diagnostic: SweepAxisError) {
    let thrown = #expect(throws: SweepAxisError.self) { try SweepAxis(text) }
    #expect(thrown == diagnostic)
    #expect(diagnostic.description.hasPrefix("--sweep"))
    #expect(diagnostic.description.hasSuffix("."))
  }

  @Test("a grid's last axis changes fastest, and every point occurs once")
  func order() throws {
    let grid = SweepGrid([try SweepAxis("a=1,2"), try SweepAxis("b=x,y,z")])
    #expect(grid.count == 6)
    #expect(
      (0..<6).map { grid.values(of: $0).joined() } == ["1x", "1y", "1z", "2x", "2y", "2z"])
    #expect(grid.settings(of: 4) == ["a=2", "b=y"])
  }

  @Test("points that differ in their pushes alone share one simulation without pushes")
  func groups() throws {
    let grid = SweepGrid([
      try SweepAxis("push.silentAfter=1h,2h"), try SweepAxis("fleet.phones=5,6"),
      try SweepAxis("pushy=1,2"),
    ])
    #expect(grid.groups() == [[0, 4], [1, 5], [2, 6], [3, 7]])
  }
}

@Suite("Errors of a sweep", .quick)
struct SweepErrorTests {
  private func fault(_ texts: String...) throws -> SweepError {
    try #require(
      #expect(throws: SweepError.self) {
        try SweepGrid.load(texts, name: "city", settings: [], from: ComparisonTests.library)
      })
  }

  @Test("are all reported at once, each once, before anything runs")
  func allAtOnce() throws {
    let fault = try fault(
      "push.silentAftr=15min..4h:6", "push.scheduler=fixed,adaptve", "push.within=15min..1h",
      "push.scheduler=none,fixed")
    #expect(fault.isInScenario)
    #expect(fault.diagnostics.count == 4)
    #expect(fault.diagnostics[0].contains("lacks the number of points"))
    #expect(
      fault.diagnostics[1]
        == "--sweep push.scheduler: is given twice; write all its values in one --sweep.")
    #expect(fault.diagnostics[2].hasPrefix("--sweep push.silentAftr: unknown key"))
    #expect(fault.diagnostics[3].hasPrefix("--sweep push.scheduler=adaptve: "))
  }

  @Test("of some combinations alone name those combinations")
  func combination() throws {
    let fault = try fault("push.within=10min,1h", "push.spacing=30min,2h")
    #expect(fault.diagnostics.count == 1)
    #expect(fault.diagnostics[0].hasSuffix("(at push.within=1h, push.spacing=30min)"))
  }

  @Test("more than 200 points are refused without loading them")
  func tooMany() throws {
    let fault = try fault("seed=1..100:100", "fleet.phones=1,2,3", "push.sweep=1s..100s:100")
    #expect(!fault.isInScenario)
    #expect(fault.diagnostics == [SweepAxisError.tooManyPoints(30_000).description])
  }
}
