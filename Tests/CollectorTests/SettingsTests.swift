import Core
import TestSupport
import Testing
import Wire

@testable import Collector
@testable import CollectorSupport

@Suite("HY2: settings during a run", .quick)
struct SettingsTests {
  static func open(_ collector: LiveCollector, at: SimDuration) throws {
    try collector.open { request in
      var settings = request.cohorts[0].settings
      settings.version = 4
      settings.sendInterval = .seconds(60)
      request.rollouts = [
        RolloutTerms(
          at: LiveCollector.start + at, cohort: 0, share: 1, settings: settings)
      ]
    }
  }

  @Test("HY2: an ack brings newer settings to a phone that reports older ones")
  func ack() throws {
    let collector = try LiveCollector(store: .none)
    defer { collector.stop() }
    try Self.open(collector, at: .zero)
    #expect(try collector.upload(LiveCollector.id(1, 1), settingsVersion: 3).settings == nil)
    #expect(try collector.register(1).version == 4)
    let update = try collector.upload(LiveCollector.id(1, 2), settingsVersion: 3).settings
    #expect(update?.version == 4 && update?.sendInterval == .seconds(60))
    #expect(try collector.upload(LiveCollector.id(1, 3), settingsVersion: 4).settings == nil)
    #expect(try collector.upload(LiveCollector.id(1, 4), settingsVersion: 0).settings == nil)
    // A resend requests them again, since the first ack may have been lost.
    #expect(
      try collector.upload(LiveCollector.id(1, 2), settingsVersion: 3).settings?.version == 4)
  }

  @Test("HY2: before the instant of a rollout a phone keeps its settings")
  func before() throws {
    let collector = try LiveCollector(store: .none)
    defer { collector.stop() }
    try Self.open(collector, at: .hours(9))
    #expect(try collector.register(1).version == 3)
    #expect(try collector.upload(LiveCollector.id(1, 1), settingsVersion: 3).settings == nil)
  }
}
