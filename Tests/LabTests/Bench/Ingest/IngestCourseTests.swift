import Core
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import flotilla_lab

@Suite("Course of an ingest round", .quick)
struct IngestCourseTests {
  private static let now = WallInstant(microseconds: 5_000_000)

  private static func completion(_ outcome: UploadOutcome) -> UploadCompletion {
    UploadCompletion(
      id: 1, phone: 7, outcome: outcome, attempts: 1, intended: now, generatorLag: .zero,
      connect: .zero, hold: .zero, service: .zero)
  }

  private static let acknowledged = completion(.acknowledged(duplicate: false, fixes: 20))
  private static let refused = completion(.failed(.resourceExhausted))

  @Test("while connections open, no batch follows one that has ended")
  func opening() {
    var course = IngestCourse(isClosedLoop: true)
    course.submitted(2)
    #expect(course.ended(Self.acknowledged, at: Self.now) == nil)
    #expect(course.open == 1)
    #expect(course.ended(Self.refused, at: Self.now) == nil)
    #expect(course.open == 0)
  }

  @Test("an ack is followed by the next batch at once, a refusal after a pause")
  func running() {
    var course = IngestCourse(isClosedLoop: true)
    course.run()
    course.submitted(3)
    #expect(course.ended(Self.acknowledged, at: Self.now) == Self.now)
    #expect(course.ended(Self.refused, at: Self.now) == Self.now + .milliseconds(250))
    let other = Self.completion(.acknowledged(duplicate: false, fixes: 19))
    #expect(course.ended(other, at: Self.now) == Self.now + .milliseconds(250))
    #expect(course.tally.acknowledged == 1)
    #expect(course.tally.failed == 2)
    course.beginWindow()
    #expect(course.tally.failed == 0)
  }

  @Test("at a pace, and when it drains, nothing follows")
  func ends() {
    var paced = IngestCourse(isClosedLoop: false)
    paced.run()
    #expect(paced.ended(Self.acknowledged, at: Self.now) == nil)
    var closed = IngestCourse(isClosedLoop: true)
    closed.run()
    closed.drain()
    #expect(closed.ended(Self.acknowledged, at: Self.now) == nil)
  }
}
