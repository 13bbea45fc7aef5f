internal import Core
internal import Figures
internal import Fleet
internal import Phone
internal import Push
internal import Scenarios
internal import Synchronization
internal import Uploads
internal import Wire

/// Delivers the pushes of a user's sender to the phones of a live run. A push is answered by the
/// first upload acknowledged within W with an accurate enough fix taken after the push. An upload
/// answers only the newest push. Withheld pushes are occasions, too. `take` runs on the provider's
/// loop, `look` on the shards' queues, and `note` on the upload loop.
final class OutsidePushes: Sendable {
  private struct Occasion {
    var id: UInt64
    var at: SimInstant
  }

  private struct Upload: Hashable {
    var phone: PhoneID
    var attempt: UInt32
  }

  private struct Content {
    var open: [PhoneID: Occasion] = [:]
    var answers: [Upload: Occasion] = [:]
    /// The time of each phone's newest acknowledged good fix, in seconds since 1970; 0 for none.
    var newest: [UInt32] = []
    /// The time of each open upload's newest accurate enough fix, in scenario seconds since 1970.
    var underWay: [Upload: UInt32] = [:]
    var fresh = 0
    var firstFresh: Occasion?
  }

  private let content = Mutex(Content())
  private let clock: PacedClock
  private let wall: @Sendable () -> WallInstant
  private let speed: Double
  private let terms: PushTerms
  private let measureStart: SimInstant
  private let civil: CivilClock
  private let longestStorage: SimDuration
  private let request: PushRequest
  private let tokens: RunTokens?
  private let watcher = Mutex<(@Sendable ([PushParcel.Installation]) -> Void)?>(nil)
  private let pushes: PushLog

  /// - Parameter newest: the time of the server's newest fix of each phone, or `distantPast`.
  init(_ plan: RunPlan, clock: PacedClock, pushes: PushLog, newest: [SimInstant]) {
    self.clock = clock
    content.withLock { $0.newest = newest.map(Self.seconds) }
    wall = plan.wall
    speed = plan.scenario.speed
    terms = plan.scenario.push.terms
    measureStart = plan.scenario.measureStart
    civil = plan.scenario.clock
    longestStorage = plan.scenario.push.provider.longestStorage
    request = plan.scenario.push.request
    tokens = plan.senders?.tokens
    self.pushes = pushes
  }

  private static func seconds(_ instant: SimInstant) -> UInt32 {
    UInt32(clamping: instant.microseconds / 1_000_000)
  }

  func fill(_ figures: inout SenderFigures) {
    content.withLock { content in
      guard let first = content.firstFresh else { return }
      let phone = UInt32(truncatingIfNeeded: first.id)
      figures.faults.append(
        .init(
          .freshPhone, count: content.fresh, example: "phone \(phone)",
          at: ClockText.text(first.at, civil)))
    }
  }

  /// Counts a push in the measured time to a phone that had reported within `push.silentAfter`.
  private func noteFresh(_ push: Occasion, _ phone: PhoneID, _ content: inout Content) {
    guard push.at >= measureStart, Int(phone.rawValue) < content.newest.count else { return }
    let newest = content.newest[Int(phone.rawValue)]
    let silence = Int64(Self.seconds(push.at)) - Int64(newest)
    guard newest > 0, SimDuration.seconds(silence) < terms.silentAfter else { return }
    content.fresh += 1
    if content.firstFresh == nil { content.firstFresh = push }
  }

  /// Records a push and returns it; nil if withheld. `unix` is the time in milliseconds since 1970.
  func take(_ push: AcceptedPush, unix: Int64) -> SilentPush? {
    let now = max(clock.scenario(at: wall()), clock.scenarioStart)
    let id = UInt64(push.number) << 32 | UInt64(push.phone.rawValue)
    let pushed = SilentPush(
      id: id, phone: push.phone, requestedAt: now,
      expiration: expiration(push, unix: unix, now: now), manner: manner(of: push))
    content.withLock { content in
      let occasion = Occasion(id: id, at: now)
      noteFresh(occasion, push.phone, &content)
      content.open[push.phone] = occasion
    }
    pushes.note(
      PushSweep(
        sweptAt: now, requests: push.isWithheld ? [] : [pushed], isLast: true,
        withheld: push.isWithheld ? [id] : []), withheldAs: pushed.manner)
    return push.isWithheld ? nil : pushed
  }

  private func manner(of push: AcceptedPush) -> PushManner {
    let kind: PushManner.Kind
    switch push.type {
    case .background: kind = .background
    case .alert: kind = .alert
    // Location pushes need an app extension, which exists only if the scenario's pushes use it.
    case .location: kind = request.kind == .location ? .location : .other
    case .voip, .complication, .fileprovider, .mdm, .liveactivity, .pushtotalk, .widgets,
      .controls:
      kind = .other
    }
    let manner = PushManner(
      kind, priority: push.priority, asksToRun: push.asksToRun, collapses: push.collapses)
    if tokens?.kind(of: push.phone).hasOwnPriority == true { return manner }
    let said = request.request(manner)
    let isSame = said.kind == request.kind && said.priority == request.priority
    return isSame && said.asksToRun == request.asksToRun ? .ofScenario : manner
  }

  /// Calls `body` on a shard's queue when reinstalled apps register.
  func watchInstallations(
    _ body: @escaping @Sendable ([PushParcel.Installation]) -> Void
  ) {
    watcher.withLock { $0 = body }
  }

  private func lookForInstallations(_ orders: [UploadOrder]) {
    guard let tokens, orders.contains(where: \.bringsToken) else { return }
    let fresh = orders.filter(\.bringsToken).compactMap { order in
      tokens.register(order.id.phone, epoch: order.id.epoch)
        ? PushParcel.Installation(phone: order.id.phone.rawValue, epoch: order.id.epoch) : nil
    }
    guard !fresh.isEmpty, let watcher = watcher.withLock({ $0 }) else { return }
    watcher(fresh)
  }

  /// Returns when a push expires. Seconds of the sender's clock count as wall-clock seconds.
  private func expiration(_ push: AcceptedPush, unix: Int64, now: SimInstant) -> SimInstant {
    guard let expiration = push.expiration else { return now + longestStorage }
    let seconds = min(max(0, Double(expiration) - Double(unix) / 1_000), 1e8) * speed
    return now + min(longestStorage, SimDuration(seconds: seconds))
  }

  func look(_ orders: [UploadOrder], _ fixes: [Fix]) {
    lookForInstallations(orders)
    content.withLock { content in
      for order in orders {
        let first = Int(order.firstFix)
        let good = fixes[first..<first + Int(order.fixCount)].lazy
          .filter { Double($0.accuracyMeters) <= self.terms.accuracyLimit.meters }
          .map(\.time.instant).max()
        guard let good else { continue }
        let upload = Upload(phone: order.id.phone, attempt: order.attempt)
        content.underWay[upload] = Self.seconds(good)
        if let occasion = content.open[order.id.phone], good > occasion.at {
          content.answers[upload] = occasion
        }
      }
    }
  }

  func note(_ inputs: [(phone: PhoneID, input: ServerInput)]) {
    let now = clock.scenario(at: wall())
    var answered: [PushSweep.Answer] = []
    content.withLock { content in
      for (phone, input) in inputs {
        guard case .outcome(let attempt, let result) = input else { continue }
        let upload = Upload(phone: phone, attempt: attempt)
        let newest = content.underWay.removeValue(forKey: upload)
        let occasion = content.answers.removeValue(forKey: upload)
        guard result == .acknowledged else { continue }
        if let newest, Int(phone.rawValue) < content.newest.count {
          let known = content.newest[Int(phone.rawValue)]
          content.newest[Int(phone.rawValue)] = max(known, newest)
        }
        guard let occasion, content.open[phone]?.id == occasion.id else { continue }
        content.open[phone] = nil
        answered.append(.init(id: occasion.id, after: now - occasion.at))
      }
    }
    guard !answered.isEmpty else { return }
    pushes.note(PushSweep(sweptAt: now, requests: [], isLast: true, answered: answered))
  }
}

extension OutsidePushes {
  /// Returns an uplink that notes the fixes of uploads and forwards the uploads to `uplink`.
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

    func submit(_ events: [EventOrder]) { next.submit(events) }
  }
}
