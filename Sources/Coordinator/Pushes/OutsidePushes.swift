internal import Fleet
internal import Phone
internal import PushEndpoint
internal import Scenarios
internal import ServerLogic
internal import SimulationCore
internal import Synchronization
internal import Telemetry
internal import Wire

/// Brings what a user's own sender pushes to the phones of a live run, and finds which report
/// answers which push.
///
/// A push is answered by the first upload that is acknowledged within W and has a fix taken after
/// the push, accurate enough; one upload answers at most one push, the phone's newest. Withheld
/// pushes are occasions like the others: their answers say what the phones do unasked.
///
/// `take` comes on the provider's loop, `look` on the shards' queues, `note` on the loop of
/// uploads.
final class OutsidePushes: Sendable {
  private struct Occasion {
    var id: UInt64
    var at: SimInstant
  }

  /// One upload that would answer a push, until it is acknowledged.
  private struct Upload: Hashable {
    var phone: PhoneID
    var attempt: UInt32
  }

  private struct Content {
    var open: [PhoneID: Occasion] = [:]
    var answers: [Upload: Occasion] = [:]
    var ofOtherKind = 0
  }

  private let content = Mutex(Content())
  private let clock: PacedClock
  private let wall: @Sendable () -> WallInstant
  private let speed: Double
  private let terms: PushTerms
  private let longestStorage: SimDuration
  private let isOfKind: @Sendable (AcceptedPush) -> Bool
  private let pushes: PushLog

  init(_ plan: RunPlan, clock: PacedClock, pushes: PushLog) {
    self.clock = clock
    wall = plan.wall
    speed = plan.scenario.speed
    terms = plan.scenario.push.terms
    longestStorage = plan.scenario.push.provider.longestStorage
    let request = plan.scenario.push.request
    isOfKind = { push in
      push.type.rawValue == request.kind.rawValue && push.priority == request.priority
    }
    self.pushes = pushes
  }

  /// Counts the pushes of another type or priority than the scenario's `push.request`, whose gates
  /// they pass all the same.
  var ofOtherKind: Int { content.withLock { $0.ofOtherKind } }

  /// Takes a push that the endpoint has accepted, withheld ones too.
  ///
  /// - Parameter unix: the sender's own time, in milliseconds since 1970.
  /// - Returns: what is to be delivered; nil: it is withheld.
  func take(_ push: AcceptedPush, unix: Int64) -> SilentPush? {
    let now = max(clock.scenario(at: wall()), clock.scenarioStart)
    let id = UInt64(push.number) << 32 | UInt64(push.phone.rawValue)
    let request = SilentPush(
      id: id, phone: push.phone, requestedAt: now,
      expiration: expiration(push, unix: unix, now: now))
    let isOther = !isOfKind(push)
    content.withLock { content in
      content.open[push.phone] = Occasion(id: id, at: now)
      if isOther { content.ofOtherKind += 1 }
    }
    pushes.note(
      PushSweep(
        sweptAt: now, requests: push.isWithheld ? [] : [request], isLast: true,
        withheld: push.isWithheld ? [id] : []))
    return push.isWithheld ? nil : request
  }

  /// Seconds of the sender's clock are seconds of the wall.
  private func expiration(_ push: AcceptedPush, unix: Int64, now: SimInstant) -> SimInstant {
    guard let expiration = push.expiration else { return now + longestStorage }
    let seconds = min(max(0, Double(expiration) - Double(unix) / 1_000), 1e8) * speed
    return now + min(longestStorage, SimDuration(seconds: seconds))
  }

  /// Looks whether uploads that begin would answer a push.
  func look(_ orders: [UploadOrder], _ fixes: [Fix]) {
    content.withLock { content in
      guard !content.open.isEmpty else { return }
      for order in orders {
        guard let occasion = content.open[order.id.phone] else { continue }
        let first = Int(order.firstFix)
        let isAnswer = fixes[first..<first + Int(order.fixCount)].contains { fix in
          fix.time.instant > occasion.at
            && Double(fix.accuracyMeters) <= terms.accuracyLimit.meters
        }
        guard isAnswer else { continue }
        content.answers[Upload(phone: order.id.phone, attempt: order.attempt)] = occasion
      }
    }
  }

  /// Notes the answers that were acknowledged.
  func note(_ inputs: [(phone: PhoneID, input: ServerInput)]) {
    let now = clock.scenario(at: wall())
    var answered: [PushSweep.Answer] = []
    content.withLock { content in
      guard !content.answers.isEmpty else { return }
      for (phone, input) in inputs {
        guard case .outcome(let attempt, let result) = input,
          let occasion = content.answers.removeValue(
            forKey: Upload(phone: phone, attempt: attempt)), result == .acknowledged,
          content.open[phone]?.id == occasion.id
        else { continue }
        content.open[phone] = nil
        answered.append(.init(id: occasion.id, after: now - occasion.at))
      }
    }
    guard !answered.isEmpty else { return }
    pushes.note(PushSweep(sweptAt: now, requests: [], isLast: true, answered: answered))
  }
}

extension OutsidePushes {
  /// Returns an uplink whose uploads are looked at on their way to another.
  func watching(_ uplink: any Uplink) -> any Uplink { WatchedUplink(self, uplink) }

  private final class WatchedUplink: Uplink {
    private let outside: OutsidePushes
    private let next: any Uplink

    init(_ outside: OutsidePushes, _ next: any Uplink) {
      self.outside = outside
      self.next = next
    }

    func submit(_ orders: [UploadOrder], fixes: [Fix], shard: Int) {
      outside.look(orders, fixes)
      next.submit(orders, fixes: fixes, shard: shard)
    }
  }
}
