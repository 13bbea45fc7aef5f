import Core
import TestSupport
import Testing
import Wire

@testable import Transport

@Suite("States of an upload", .quick)
struct UploadMachineTests {
  private static let start = WallInstant(microseconds: 1_000_000_000)

  /// An upload that has begun its first attempt.
  private func upload(
    attempts: Int = 1, registering: Bool = false, deadline: WallDuration = .seconds(60)
  ) -> UploadMachine {
    var machine = UploadMachine(
      UploadJob(
        id: 7, phone: 3, intended: Self.start, deadline: deadline, message: [], check: 99,
        registration: registering ? [1] : nil))
    machine.start(at: Self.start)
    machine.attempts = attempts
    machine.isRegistering = registering
    return machine
  }

  private func after(
    _ machine: UploadMachine, _ status: CallStatus, _ policy: RetryPolicy = RetryPolicy(),
    _ budget: RetryBudget = RetryBudget()
  ) -> UploadMachine.AfterFailure {
    var (machine, budget) = (machine, budget)
    return machine.failed(status, at: Self.start, policy, seed: 1, budget: &budget)
  }

  @Test(
    "only a status that allows it is tried again",
    arguments: StatusCode.allCases.filter { $0 != .ok })
  func statuses(code: StatusCode) {
    if case .retry = after(upload(), CallStatus(code)) {
      #expect(code.isRetriable)
    } else {
      #expect(!code.isRetriable)
    }
  }

  @Test("the k-th wait is within its doubled bound, and differs between phones and attempts")
  func backoff() throws {
    var waits: Set<Int64> = []
    for attempt in 1...4 {
      guard case .retry(let at) = after(upload(attempts: attempt), CallStatus(.unavailable))
      else {
        Issue.record("attempt \(attempt) was not tried again")
        return
      }
      let wait = at - Self.start
      #expect(wait >= .zero && wait < .milliseconds(200 << Int64(attempt - 1)))
      waits.insert(wait.microseconds)
    }
    #expect(waits.count == 4)
    #expect(after(upload(attempts: 5), CallStatus(.unavailable)) == .giveUp)
  }

  @Test("a pushback is obeyed, with the base's jitter on top; a negative one is final")
  func pushback() {
    let asked = CallStatus(.resourceExhausted, pushbackMilliseconds: 1_000)
    guard case .retry(let at) = after(upload(), asked) else {
      Issue.record("not tried again")
      return
    }
    #expect(at - Self.start >= .seconds(1) && at - Self.start < .milliseconds(1_200))
    let never = CallStatus(.resourceExhausted, pushbackMilliseconds: -1)
    #expect(after(upload(), never) == .giveUp)
  }

  @Test("no attempt begins that the deadline would cut")
  func deadline() {
    let asked = CallStatus(.unavailable, pushbackMilliseconds: 1_000)
    #expect(after(upload(deadline: .seconds(1)), asked) == .giveUp)
  }

  @Test("a phone that has spent its budget sends each upload once")
  func budget() {
    var spent = RetryBudget()
    for _ in 0..<5 { _ = spent.failed(3) }
    #expect(after(upload(), CallStatus(.unavailable), RetryPolicy(), spent) == .withheld)
    var policy = RetryPolicy()
    policy.hasBudget = false
    if case .retry = after(upload(), CallStatus(.unavailable), policy, spent) {
    } else {
      Issue.record("withheld without a budget")
    }
  }

  @Test("an OK is an ack only with the batch's own check")
  func acks() {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    var own = upload()
    own.received(nothing, UploadReply(sequence: 1, duplicate: true, fixes: 3, check: 99))
    #expect(own.answered(CallStatus(.ok)) == .acknowledged(duplicate: true, fixes: 3))
    var foreign = upload()
    foreign.received(nothing, UploadReply(sequence: 1, duplicate: true, fixes: 3, check: 98))
    var none = upload()
    for answer in [foreign.answered(CallStatus(.ok)), none.answered(CallStatus(.ok))] {
      #expect(answer == .failed(CallStatus(.dataLoss, "OK without the batch's own ack")))
    }
  }

  @Test("an answered registration is followed by its upload")
  func registration() {
    var machine = upload(registering: true)
    #expect(machine.answered(CallStatus(.ok)) == .upload)
    #expect(machine.registration == [])
    var refused = upload(registering: true)
    let status = CallStatus(.unavailable, "no")
    #expect(refused.answered(status) == .failed(status))
  }
}
