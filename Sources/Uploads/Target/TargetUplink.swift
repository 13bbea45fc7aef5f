package import Core
internal import Fleet
package import Phone
internal import Scenarios
internal import Targets

package struct TargetBatch: Sendable {
  var id: BatchID
  var attempt: UInt32
  var cohort: UInt8
  var intended: WallInstant
  /// Whether the app was launched since it last registered.
  var isLaunched: Bool
  var device = BatchDevice()
  /// The fixes, with times of the phone's clock.
  var fixes: [Fix]
  /// The event in place of a batch, and its callback by the phone's clock; nil for a batch.
  package var event: (event: AppEvent, noticed: FixTime)?

  package init(
    id: BatchID, attempt: UInt32, cohort: UInt8, intended: WallInstant, isLaunched: Bool,
    device: BatchDevice = BatchDevice(), fixes: [Fix]
  ) {
    self.id = id
    self.attempt = attempt
    self.cohort = cohort
    self.intended = intended
    self.isLaunched = isLaunched
    self.device = device
    self.fixes = fixes
  }
}

extension TargetBatch {
  package init(_ order: UploadOrder, attempt: UInt32, intended: WallInstant, fixes: [Fix]) {
    self.init(
      id: order.id, attempt: attempt, cohort: order.cohort, intended: intended,
      isLaunched: order.registers, device: order.device, fixes: fixes)
  }
}

extension TargetBatch {
  init(_ order: EventOrder, intended: WallInstant, _ stamps: PhoneStamps) {
    var stamps = stamps
    self.init(
      id: order.id, attempt: order.attempt, cohort: order.cohort, intended: intended,
      isLaunched: false,
      device: order.device,
      fixes: order.event.fix.map { [stamps.stamped($0)] } ?? [])
    event = (order.event, stamps.stamp(FixTime(order.event.noticed)))
    if order.event.kind == .motion { device.motion = MotionActivity(rawValue: order.event.detail) }
  }
}

extension DeviceState {
  mutating func note(_ device: BatchDevice) {
    batteryPercent = device.batteryPercent
    isCharging = device.isCharging
    motion =
      switch device.motion {
      case .stationary?: "still"
      case .walking?: "walking"
      case .running?: "running"
      case .cycling?: "cycling"
      case .automotive?: "driving"
      case nil: ""
      }
  }
}

/// Passes a fleet's batches to a `TargetSender`, on shard queues, before the intended times.
final class TargetUplink: Uplink {
  private let sender: TargetSender
  private let clock: PacedClock
  private let context: FleetContext

  init(_ sender: TargetSender, _ parts: SenderParts) {
    self.sender = sender
    clock = parts.clock
    context = parts.fleet.context
  }

  func submit(_ orders: [UploadOrder], fixes: [Fix], shard: Int) {
    sender.submit(
      orders.map { order in
        let first = Int(order.firstFix)
        var stamps = context.stamps(of: order.id.phone, cohort: Int(order.cohort))
        return TargetBatch(
          order, attempt: order.attempt, intended: clock.wall(of: order.intended),
          fixes: fixes[first..<first + Int(order.fixCount)].map {
            sent(stamps.stamped($0))
          })
      })
  }

  /// Returns a fix with its time in the pace of the wall clock, as a target reads its own clock.
  private func sent(_ fix: Fix) -> Fix {
    if clock.speed == 1 { return fix }
    var fix = fix
    let age = clock.wall(of: fix.time.instant) - clock.wallStart
    fix.time = FixTime(clock.scenarioStart + .microseconds(age.microseconds))
    return fix
  }

  func submit(_ events: [EventOrder]) {
    sender.submit(
      events.map { order in
        TargetBatch(
          order, intended: clock.wall(of: order.intended),
          context.stamps(of: order.id.phone, cohort: Int(order.cohort)))
      })
  }
}
