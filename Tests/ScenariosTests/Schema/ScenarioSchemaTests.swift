internal import Core
internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("The keys of a scenario", .quick)
struct ScenarioSchemaTests {
  @Test("omitted keys have the standard scenario's values")
  func defaults() throws {
    var expected = Scenario.standard(phones: 1_000)
    let read = try read(smallest)
    expected.name = "small"
    expected.fleet.cohorts[0].name = "all"
    expected.policies[0].name = "plain"
    #expect(read == expected)
  }

  @Test("every mistake is reported at once, in the order of the file")
  func allAtOnce() {
    let found = diagnostics(
      in: """
        scenario: two words
        sede: 42
        duration: 10
        fleet:
          phones: 0
          cohorts:
            - { name: a, share: 30%, mobility: bus, policy: plain }
        push: { within: 40min }
        policies: [{ name: plain, send: { intervall: 1s } }]
        faults: [{ at: 08:65, for: 3min, kind: network-outages, cohort: b }]
        """)
    #expect(
      found.map { $0.split(separator: ":")[1...2].joined(separator: ":") } == [
        "1:11", "2:1", "3:11", "5:11", "7:40", "8:7", "9:35", "10:16", "10:40", "10:65",
      ])
  }

  @Test(
    "rules between keys",
    arguments: [
      ("phases.ramp=1h", "leaves nothing of 'duration' to measure"),
      ("push.spacing=5min", "'spacing' must be at least 'within'"),
      ("fleet.phone.always=70%", "sum to more than 100%"),
      ("fleet.phone={ offline: 60%, switchedOff: 50% }", "sum to more than 100%"),
      ("faults=[{ kind: collector-stall, at: 08:00 }]", "write how long the fault lasts"),
      ("faults=[{ kind: collector-kill, at: 08:00, for: 1s }]", "has no meaning"),
      (
        "faults=[{ kind: generator-stall, at: 08:00, for: 1s, cohort: all }]",
        "are only for network-outage"
      ),
      ("faults=[{ kind: network-outage, for: 1s }]", "the key 'at' is missing"),
      ("slo.freshness={ within: 30min }", "the key 'share' is missing"),
    ])
  func rules(setting: String, message: String) {
    let found = diagnostics(in: smallest, settings: [setting])
    #expect(found.count == 1 && found[0].contains(message), "\(found)")
  }

  @Test("two cohorts of one name are distinguished; a cohort with a mistake still has its name")
  func cohortNames() {
    let twice = "{ name: all, share: 50%, mobility: cyclist, policy: plain }"
    let duplicates = diagnostics(in: smallest, settings: ["fleet.cohorts=[\(twice), \(twice)]"])
    #expect(
      duplicates.count == 1 && duplicates[0].contains("two cohorts are named 'all'"),
      "\(duplicates)")
    let fault = "faults=[{ kind: network-outage, at: 08:00, for: 1s, cohort: all }]"
    let slip = diagnostics(in: smallest, settings: ["fleet.cohorts[0].os=ios16", fault])
    #expect(slip.count == 1 && slip[0].contains("unknown OS profile 'ios16'"), "\(slip)")
  }

  @Test("a stall lasts wall-clock time, an outage simulated time, a kill no time")
  func faultClocks() throws {
    let scenario = try read(
      smallest,
      settings: [
        "faults=[{ kind: collector-stall, at: 08:00, for: 1400ms }, "
          + "{ kind: network-outage, at: 08:00, for: 3min }, { kind: collector-kill, at: 08:01 }]"
      ])
    #expect(scenario.faults.map(\.lastsWall) == [.milliseconds(1_400), .zero, .zero])
    #expect(scenario.faults.map(\.lasts) == [.zero, .minutes(3), .zero])
    #expect(try read(scenario.text) == scenario)
  }

  @Test("a scenario with every optional part shows as text that reads back equal")
  func fullRoundTrip() throws {
    var scenario = try shipped.load("city")
    scenario.question =
      "Is \"this\" a\\question:\n\twith # all, that's {awkward}? \u{1F600}\u{7}\u{85}\u{FEFF}"
    scenario.connections = .pooled(8)
    scenario.encoding = .rowsGzip
    scenario.slo.freshness = .init(of: .moving, within: .minutes(30), share: 0.815)
    scenario.slo.located = .init(of: .installed, within: .meters(250), share: 0.7)
    scenario.slo.answered = 0.5
    scenario.slo.responseP99 = .milliseconds(1)
    scenario.policies[0].settings.background.filter.maxAccuracy = .meters(65)
    scenario.policies[1].settings.background.filter.rule = .everything
    scenario.policies[1].settings.regionRadius = .meters(150)
    #expect(try read(scenario.text) == scenario)
  }

  @Test("the batch encoding is one of five words, packed by default")
  func encodings() throws {
    #expect(try read(smallest).encoding == .packed)
    for encoding in BatchEncoding.allCases {
      let found = try read(smallest + "encoding: \(encoding.rawValue)\n")
      #expect(try found.encoding == encoding && read(found.text) == found)
    }
    let found = diagnostics(in: smallest, settings: ["encoding=row-gzip"])
    #expect(found.count == 1 && found[0].contains("Did you mean 'rows-gzip'?"), "\(found)")
  }

  @Test("the hash depends on the scenario, not on its spelling")
  func hashes() throws {
    let city = try shipped.load("city")
    let same = try shipped.load("city", settings: ["duration=60min", "push.holdout=0.05"])
    let other = try shipped.load("city", settings: ["fleet.cohorts[1].policy=significant-change"])
    #expect(city.hash == same.hash)
    #expect(city.hash != other.hash)
  }
}
