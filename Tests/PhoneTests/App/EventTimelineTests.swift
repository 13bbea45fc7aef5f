import Core
import Scenarios
import TestSupport
import Testing

@testable import Phone

@Suite("Events beside fixes, in the tracker", .quick)
struct EventTimelineTests {
  private static func timeline() -> Timeline {
    var timeline = Timeline {
      $0.onPush = .cached
      $0.background.filter.rule = .everything
    }
    timeline.notify(.launched(.user), at: 0)
    timeline.notify(.enteredBackground, at: 10)
    return timeline
  }

  @Test("an event goes before fixes that are due, which follow its answer")
  func order() {
    var timeline = Self.timeline()
    timeline.tracker.eventCount = 1
    let first = timeline.notify(.silentPush(cached: .at(60)), at: 60)
    #expect(first.contains("keep") && first.contains("send event"))
    #expect(!first.contains("send 1: 1"))
    let second = timeline.notify(.uploadFinished(.acknowledged), at: 61)
    #expect(second.contains("forget event") && second.contains("send 1: 1"))
    #expect(timeline.tracker.eventCount == 0)
  }

  @Test("a callback without a send of fixes sends a waiting event at once")
  func alone() {
    var timeline = Self.timeline()
    timeline.tracker.eventCount = 2
    #expect(timeline.notify(.authorizationChanged(.always), at: 60).contains("send event"))
    // One upload at a time.
    #expect(!timeline.notify(.authorizationChanged(.always), at: 60.1).contains("send event"))
    #expect(timeline.notify(.uploadFinished(.refused), at: 61).contains("send event"))
    #expect(timeline.tracker.eventCount == 1)
  }

  @Test("after an event failed, due fixes go first, and the event is repeated after the backoff")
  func failure() {
    var timeline = Self.timeline()
    timeline.tracker.eventCount = 1
    timeline.notify(.silentPush(cached: .at(60)), at: 60)
    let failed = timeline.notify(.uploadFinished(.failed), at: 61)
    #expect(!failed.contains("send event") && timeline.tracker.eventCount == 1)
    // The longest backoff of the policy has passed.
    let later = 61 + timeline.settings.send.backoffCap.seconds
    let next = timeline.notify(.silentPush(cached: nil), at: later)
    #expect(next.contains("send 1: 1") && !next.contains("send event"))
    let answered = timeline.notify(.uploadFinished(.acknowledged), at: later + 1)
    #expect(answered.contains("send event"))
  }

  @Test("an event in flight when the app dies is sent again at the next launch")
  func death() {
    var timeline = Self.timeline()
    timeline.tracker.eventCount = 1
    #expect(timeline.notify(.motionActivity(.walking), at: 60).contains("send event"))
    timeline.die()
    #expect(timeline.notify(.launched(.location), at: 600).contains("send event"))
  }
}
