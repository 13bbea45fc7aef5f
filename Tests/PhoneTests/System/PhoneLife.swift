import Mobility
import Scenarios
import SimulationCore
import Telemetry

@testable import Phone

/// One phone, lived without a fleet: its person's day, its system, and an app that answers as the
/// test says.
///
/// The phone is born on a Monday at 04:00, at home, with its app never opened.
///
///     let life = PhoneLife { event in event.isActivation ? [.startVisits] : [] }
///     life.open()
///     life.leave()
///     life.live(.hours(8))
///     #expect(life.visits.first?.hasEnded == false)
final class PhoneLife {
  typealias App = (OSEvent) -> [OSCommand]

  private(set) var now = World.monday
  private(set) var delivered: [(at: SimInstant, event: OSEvent)] = []
  private(set) var effects: [PhoneOS.Effect] = []
  private(set) var phone: PhoneOS
  private let context: PhoneOS.Context
  private let life: Life
  private let app: App
  private var memory = SightingMemory()

  init(
    _ number: UInt32 = 0, os profile: OSProfile = .standard, user: Authorization = .always,
    traits: PhoneTraits = [], manifest: AppManifest = .standard, app: @escaping App
  ) {
    var policy = PolicySettings.standard
    policy.app = manifest
    life = World.life(number)
    phone = PhoneOS(
      PhoneID(rawValue: number), user: user, traits: traits,
      segment: life.segment(at: World.monday))
    context = PhoneOS.Context(
      seed: 42, profile: profile, significantChange: profile.significantChange, policy: policy,
      maker: World.maker)
    self.app = app
    meet(.entered(phone.segment, wifi: true))
  }

  // MARK: What happens

  func open() { meet(.opened) }
  func leave() { meet(.left) }
  func kill() { meet(.terminated) }
  func swipeAway() { meet(.swipedAway) }
  func settings(_ permission: Authorization) { meet(.permissionChanged(permission)) }

  func turnOff(for time: SimDuration) {
    meet(.switchedOff(Window(start: now, end: now + time)))
  }

  /// The app asks for something in a callback of its own making.
  func ask(_ commands: OSCommand...) {
    during(.standard) { for command in commands { system(.command(command)) } }
  }

  func advance(_ time: SimDuration) { advance(until: now + time) }

  func advance(until end: SimInstant) {
    while true {
      let (slot, due) = phone.due.earliest
      guard due < end else { break }
      now = due
      phone.due[slot] = .distantFuture
      during(slot) { happen(slot) }
    }
    now = end
  }

  private func happen(_ slot: DueSlot) {
    switch slot {
    case .segment: system(.entered(life.segment(after: phone.segment), wifi: true))
    case .offlineEdge, .powerEdge, .airplaneEdge, .forceQuitEdge, .session, .stored, .push,
      .pushGate,
      .uploadOutcome:
      break
    case .regionExit, .significantChange, .visit, .standard, .pause, .motion, .stopTimer,
      .sendTimer, .restartTimer, .stillTimer, .backgroundExpiry:
      system(.due(slot))
    }
  }

  private func meet(_ event: PhoneOS.Event) { during(.standard) { system(event) } }

  private func during(_ slot: DueSlot, _ body: () -> Void) {
    phone.begin(at: now)
    var phone = phone
    phone.deliverFixes(upTo: now, before: slot, context, &memory, perform)
    self.phone = phone
    body()
    system(.ended)
  }

  private func system(_ event: PhoneOS.Event) {
    var phone = phone
    phone.handle(event, at: now, context, perform)
    self.phone = phone
  }

  private func perform(_ phone: inout PhoneOS, _ effect: PhoneOS.Effect, _ at: SimInstant) {
    effects.append(effect)
    switch effect {
    case .notify(let event):
      delivered.append((at, event))
      for command in app(event) { phone.handle(.command(command), at: at, context, perform) }
      phone.handle(.returned, at: at, context, perform)
    case .recallsSegment(let then):
      phone.handle(.recalled(life.segment(at: then), at: then), at: at, context, perform)
    case .located, .willChangePermission, .permission, .launched, .woken, .resumed, .stopped,
      .crashed, .killed, .pushRunOver, .satellitesUsed, .drew, .scanned:
      break
    }
  }

  // MARK: What was seen

  var state: AppProcess.State { phone.process.state }
  var home: PlanePoint { life.segment(at: World.monday).position(at: World.monday) }

  /// When the person first leaves home.
  var leavesHome: SimInstant { life.segment(at: World.monday).end }

  var launches: [LaunchReason] {
    delivered.compactMap { if case .launched(let reason) = $0.event { reason } else { nil } }
  }

  var crashes: [CrashReason] {
    effects.compactMap { if case .crashed(let reason) = $0 { reason } else { nil } }
  }

  var visits: [Visit] {
    delivered.compactMap { if case .visit(let visit) = $0.event { visit } else { nil } }
  }

  var permissionsDelivered: [Authorization] {
    delivered.compactMap { if case .authorizationChanged(let new) = $0.event { new } else { nil } }
  }

  /// When the manager handed a fix over.
  func fixes(_ manager: Manager) -> [SimInstant] {
    delivered.compactMap { entry in
      if case .location(_, manager) = entry.event { entry.at } else { nil }
    }
  }

  func count(_ isMeant: (OSEvent) -> Bool) -> Int { delivered.count { isMeant($0.event) } }
}

extension OSEvent {
  var isActivation: Bool { if case .becameActive = self { true } else { false } }
  var isLaunch: Bool { if case .launched = self { true } else { false } }
  var isRegionExit: Bool { if case .regionExited = self { true } else { false } }
  var isExpiry: Bool { if case .backgroundTimeExpiring = self { true } else { false } }
  var isPause: Bool { if case .standardPaused = self { true } else { false } }
}
