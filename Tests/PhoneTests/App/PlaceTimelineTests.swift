import Core
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Places in an app", .quick)
struct PlaceTimelineTests {
  @Test("RG5: an arrival and a departure are kept and sent at once, without GPS")
  func reported() throws {
    var app = try Shipped.app("places", leftAt: 60)
    let arrival = app.notify(.placeEntered(1, cached: .at(1_000, x: 4_000)), at: 1_000)
    #expect(arrival.contains("keep") && arrival.contains("send 1: 1"))
    app.notify(.uploadFinished(.acknowledged), at: 1_001)
    let departure = app.notify(.placeExited(1, cached: .at(5_000, x: 4_300)), at: 5_000)
    #expect(departure.contains("keep") && departure.contains("send 2: 1"))
    #expect(!(arrival + departure).contains { $0.hasPrefix("standard on") })
    #expect(app.uploads.map(\.fixes.count) == [1, 1])
  }

  @Test("RG10: the app sets its places at each launch, and chooses again at each position")
  func choice() throws {
    var app = Timeline(try Shipped.policy("places"))
    #expect(app.notify(.launched(.location), at: 0).contains("places"))
    #expect(
      app.notify(.regionExited(.imprecise, cached: .at(10, x: 9_000)), at: 10).contains("places"))
    var first = try Shipped.policy("places")
    first.places?.choose = .first
    var other = Timeline(first)
    #expect(other.notify(.launched(.location), at: 0).contains("places"))
    #expect(
      !other.notify(.regionExited(.imprecise, cached: .at(10, x: 9_000)), at: 10)
        .contains("places"))
  }

  @Test("HY2: settings without places end their regions")
  func settings() throws {
    var app = try Shipped.app("places", leftAt: 60)
    var without = app.settings
    without.places = nil
    app.settings = without
    #expect(app.notify(.settingsChanged, at: 100).contains("no places"))
    #expect(!app.notify(.settingsChanged, at: 200).contains("no places"))
  }

  @Test("RG9: regions that the system refuses change nothing else")
  func refused() throws {
    var app = try Shipped.app("places", leftAt: 60)
    #expect(app.notify(.regionsRefused(5), at: 100) == [])
  }
}
