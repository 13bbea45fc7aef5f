internal import Core

package struct BatteryFlags: OptionSet, Sendable, BitwiseCopyable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let plugged = BatteryFlags(rawValue: 1)
  static let pluggedHere = BatteryFlags(rawValue: 2)
  package static let low = BatteryFlags(rawValue: 4)
  package static let lowPower = BatteryFlags(rawValue: 8)
  static let keepsLowPower = BatteryFlags(rawValue: 16)
  /// BT3: The phone has switched itself off.
  package static let empty = BatteryFlags(rawValue: 32)
  /// BT5: The phone has not been unlocked since its start.
  package static let locked = BatteryFlags(rawValue: 64)
  package static let hasRunEmpty = BatteryFlags(rawValue: 128)
}

/// A phone's state of charge, in 16 bytes. `charge` is the charge at `Device.drawnSince`, from
/// which later charges are computed.
package struct Battery: Sendable, BitwiseCopyable {
  /// The energy in the battery, in microjoules, 0 to its capacity.
  package internal(set) var charge: Int64 = 0
  /// The instant in seconds of scenario time at which a full phone left its charger, or at which
  /// the owner of a locked phone unlocks it. 0 if neither applies.
  var mark: UInt32 = 0
  /// The power of screen and other apps while the owner is awake, in milliwatts.
  package internal(set) var usage: UInt16 = 0
  package internal(set) var health: UInt8 = 100
  package internal(set) var flags = BatteryFlags()

  package var isPlugged: Bool { flags.contains(.plugged) }
  package var isLow: Bool { flags.contains(.low) }
  package var isInLowPowerMode: Bool { flags.contains(.lowPower) }
  package var isEmpty: Bool { flags.contains(.empty) }
  /// Whether the phone has not been unlocked since its start.
  package var isLocked: Bool { flags.contains(.locked) }
  @inline(__always) package var letsAppsRun: Bool {
    flags.isDisjoint(with: [.empty, .locked])
  }
  /// Whether the phone has run empty since the last call of `forgetRunsEmpty`.
  package var hasRunEmpty: Bool { flags.contains(.hasRunEmpty) }

  package mutating func forgetRunsEmpty() { flags.remove(.hasRunEmpty) }
}

/// The energy that went through a battery in a period, in microjoules.
///
/// charge after = charge before + charged − the meter's use − others, exactly.
package struct BatteryFlow: Equatable, Sendable, BitwiseCopyable {
  package var others: Int64 = 0
  package var charged: Int64 = 0
}

/// A change of a battery's state, whose raw value enters the digest.
package enum BatteryStep: UInt64, Sendable, BitwiseCopyable {
  case plugged = 1
  case unplugged
  case lowPowerBegins, lowPowerEnds
  case runsEmpty
  /// BT4: An empty phone has charged enough and starts.
  case starts
  case firstUnlock
  case restarts
}

extension Battery {
  /// Advances the battery by a period in which the meter counted `used` microjoules. `onHour` gets
  /// each full hour of local time, 0 to 23, and the charge in percent.
  mutating func pass(
    from: SimInstant, to: SimInstant, used: Int64, isOn: Bool, _ conditions: BatteryConditions,
    onHour: (_ hour: Int, _ percent: Int) -> Void
  ) -> BatteryFlow {
    if let change = conditions.clock.change(after: from, before: to) {
      return pass(from: from, over: change, to: to, used: used, isOn: isOn, conditions, onHour)
    }
    var flow = BatteryFlow()
    let capacity = conditions.capacity(self)
    let charger = isPlugged ? conditions.charger : 0
    var time = conditions.clock.timeOfDay(at: from).microseconds
    var left = (to - from).microseconds
    var unspent = used
    while left > 0 {
      let piece = min(left, conditions.boundary(after: time) - time)
      let spent = piece == left ? unspent : Self.part(unspent, piece, of: left)
      let gain = BatteryConditions.energy(charger, piece)
      var others = isOn ? BatteryConditions.energy(conditions.usage(self, at: time), piece) : 0
      var next = min(capacity, charge + gain - spent - others)
      // A battery cannot give more than its charge, so the missing energy reduces `others`.
      if next < 0 {
        others += next
        next = 0
      }
      flow.others += others
      if charger > 0 { flow.charged += next - charge + spent + others }
      charge = next
      unspent -= spent
      left -= piece
      time += piece
      if time % BatteryConditions.hour == 0 {
        if time == 24 * BatteryConditions.hour { time = 0 }
        onHour(Int(time / BatteryConditions.hour), conditions.percent(self))
      }
    }
    return flow
  }

  /// TZ1: Advances the battery across a change of local time, and reports the new hour.
  private mutating func pass(
    from: SimInstant, over change: SimInstant, to: SimInstant, used: Int64, isOn: Bool,
    _ conditions: BatteryConditions, _ onHour: (_ hour: Int, _ percent: Int) -> Void
  ) -> BatteryFlow {
    let clock = conditions.clock
    let first = Self.part(used, (change - from).microseconds, of: (to - from).microseconds)
    let left = clock.timeOfDay(at: change - .microseconds(1)).microseconds + 1
    let old = Int(left / BatteryConditions.hour) % 24
    let new = Int(clock.timeOfDay(at: change).microseconds / BatteryConditions.hour)
    var flow = pass(from: from, to: change, used: first, isOn: isOn, conditions) {
      onHour($0 == old ? new : $0, $1)
    }
    let rest = pass(
      from: change, to: to, used: used - first, isOn: isOn, conditions, onHour: onHour)
    flow.others += rest.others
    flow.charged += rest.charged
    return flow
  }

  /// Returns `amount · piece / whole`, in floating point since the product may exceed 64 bits.
  private static func part(_ amount: Int64, _ piece: Int64, of whole: Int64) -> Int64 {
    Int64(Double(amount) * (Double(piece) / Double(whole)))
  }
}
