import Core
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import flotilla_lab

@Suite("Phases of an ingest round", .quick)
struct IngestCourseTests {
  private static let now = WallInstant(microseconds: 5_000_000)

  private static func completion(_ outcome: UploadOutcome) -> UploadCompletion {
    UploadCompletion(
      id: 1, phone: 7, outcome: outcome, attempts: 1, intended: now, generatorLag: .zero,
      connect: .zero, hold: .zero, service: .zero)
  }

  private static let acknowledged = completion(.acknowledged(duplicate: false, fixes: 20))
  private static let refused = completion(.failed(.resourceExhausted))

  @Test("while connections open, a finished batch has no successor")
  func opening() {
    var course = IngestCourse(isClosedLoop: true)
    course.submitted(2)
    #expect(course.ended(Self.acknowledged, at: Self.now) == nil)
    #expect(course.open == 1)
    #expect(course.ended(Self.refused, at: Self.now) == nil)
    #expect(course.open == 0)
  }

  @Test("an ack starts the next batch immediately, a rejection after a pause")
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

  @Test("paced or draining, a batch has no successor")
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
