internal import Core
internal import TestSupport
internal import Testing

@testable internal import Capacity
@testable internal import Scenarios

@Suite("Levels of a parameter in its range", .quick)
struct VariedParameterTests {
  static func parameter(
    _ value: String, _ low: String, _ high: String, isWhole: Bool = false
  ) -> ModelParameter {
    ModelParameter(
      "a.b", "It is something.", value,
      Evidence(confidence: .assumed, low: low, high: high, source: "this test"), isWhole: isWhole)
  }

  static func varied(
    _ value: String, _ low: String, _ high: String, isWhole: Bool = false
  ) throws -> VariedParameter {
    try #require(VariedParameter(parameter(value, low, high, isWhole: isWhole)))
  }

  @Test(
    "both ends are as written, the value is in the middle, and a quarter half-way to it",
    arguments: [
      ("20s", "10s", "1min", "15s"), ("3%", "0%", "10%", "1.5%"), ("0.5", "0.1", "0.8", "0.3"),
      ("100m", "50m", "200m", "75m"), ("600/min", "100/min", "700/min", "350/min"),
      ("5", "1", "9", "3"), ("4096B", "2KiB", "6KiB", "3072B"),
    ])
  func linear(value: String, low: String, high: String, quarter: String) throws {
    let varied = try Self.varied(value, low, high)
    #expect(varied.scale == .linear)
    #expect(varied.text(at: 0) == low && varied.text(at: 1) == high)
    #expect(varied.text(at: 0.5) == value && varied.text(at: 0.25) == quarter)
    #expect(varied.place(of: quarter).map { abs($0 - 0.25) < 1e-9 } == true)
  }

  @Test("half of the places of a value at an end of its range have this value")
  func atTheEnd() throws {
    let varied = try Self.varied("0s", "0s", "20min")
    #expect([0.1, 0.3, 0.5].allSatisfy { varied.text(at: $0) == "0s" })
    #expect(varied.text(at: 0.75) == "10min" && varied.place(of: "0s") == 0.5)
    let most = try Self.varied("100%", "70%", "100%")
    #expect(most.text(at: 0.7) == "100%" && most.text(at: 0.25) == "85%")
  }

  @Test("a range of a factor of ten or more is logarithmic")
  func logarithmic() throws {
    let varied = try Self.varied("40s", "10s", "1000s")
    #expect(varied.scale == .logarithmic)
    #expect(varied.text(at: 0.25) == "20s" && varied.text(at: 0.75) == "200s")
    // No factor leads away from zero, so that side is linear.
    let fromZero = try Self.varied("10s", "0s", "1000s")
    #expect(fromZero.text(at: 0.25) == "5s" && fromZero.text(at: 0.75) == "100s")
    #expect(try Self.varied("5s", "0s", "40s").scale == .linear)
  }

  @Test("counts are whole numbers at every level")
  func whole() throws {
    let varied = try Self.varied("3", "1", "5", isWhole: true)
    #expect(varied.text(at: 0.45) == "3")
    #expect(varied.place(of: varied.text(at: 0.45)) == 0.5)
    #expect(varied.text(at: 0.01) == "1")
  }

  @Test("a share that is written as a number equals one in percent")
  func shares() throws {
    let varied = try Self.varied("0.33333", "0%", "50%")
    #expect(varied.text(at: 0.5) == "33.333%")
    #expect(varied.place(of: "0.166665") == 0.25)
  }

  @Test(
    "words, switches, single values and values outside the range are not varied",
    arguments: [
      ("strict", "strict", "recoverable"), ("none", "none", "15min"), ("5s", "5s", "5s"),
      ("2min", "5s", "1min"),
    ])
  func held(value: String, low: String, high: String) {
    #expect(VariedParameter(Self.parameter(value, low, high)) == nil)
  }

  @Test("every text of every level reads back as that level", arguments: 0..<21)
  func roundTrip(step: Int) throws {
    let place = Double(step) / 20
    for (value, low, high) in [
      ("20s", "10s", "7min"), ("3%", "0%", "10%"), ("1.2", "0.1", "8"), ("1km", "50m", "2km"),
      ("30km/h", "20km/h", "80km/h"),
    ] {
      let varied = try Self.varied(value, low, high)
      let read = try #require(varied.place(of: varied.text(at: place)))
      #expect(abs(read - place) < 1e-6, "\(low) to \(high) at \(place)")
    }
  }
}

@Suite("The bars of a tornado", .quick)
struct TornadoTests {
  @Test("bars extend to both sides of the middle, relative to the longest")
  func bars() {
    let tornado = Tornado([("a", -4, 2), ("b", 0.01, 3), ("c", 0, 0)])
    #expect(tornado.reach == 4)
    #expect(tornado.bar(tornado.rows[0], half: 4) == "▆▆▆▆│▆▆  ")
    // A range above zero begins at zero, and small bars stay visible.
    #expect(tornado.bar(tornado.rows[1], half: 4) == "    │▆▆▆ ")
    #expect(tornado.bar(tornado.rows[2], half: 4) == "    │    ")
    #expect(Tornado([]).rows.isEmpty)
  }

  @Test("the model's interval is from the 5th to the 95th percentile, and needs 20 points")
  func model() throws {
    let model = try #require(SensitivityRecord.Model(of: (0...100).map(Double.init).reversed()))
    #expect(model.low == 5 && model.median == 50 && model.high == 95 && model.points == 101)
    #expect(SensitivityRecord.Model(of: [Double](repeating: 1, count: 19)) == nil)
  }

  @Test("the model's hypercube has a point in each strip, and no point of the sizing's")
  func hypercube() {
    let cube = LatinHypercube(points: 64, dimensions: 200, seed: 3, for: .modelHypercube)
    for dimension in 0..<200 {
      #expect(Set(cube.points.map { Int($0[dimension] * 64) }) == Set(0..<64))
    }
    #expect(cube != LatinHypercube(points: 64, dimensions: 200, seed: 3))
  }
}
