internal import Core
internal import Phone

struct PhoneView: Equatable, BitwiseCopyable {
  fileprivate struct Flags: OptionSet, BitwiseCopyable {
    let rawValue: UInt8
    static let isThere = Flags(rawValue: 1)
    static let switchedOff = Flags(rawValue: 2)
    static let offline = Flags(rawValue: 4)
    static let moving = Flags(rawValue: 8)
    static let reachable = Flags(rawValue: 16)
    static let inFlight = Flags(rawValue: 32)
    static let eventInFlight = Flags(rawValue: 64)
  }

  fileprivate var flags = Flags()
  fileprivate var state = AppProcess.State.notRunning
  fileprivate var events: UInt8 = 0
  fileprivate var outbox: UInt16 = 0
  fileprivate var cut: UInt16 = 0

  init() {}

  /// Reads a phone at `now`, inlined since a call would copy the whole record.
  @inline(__always) init(_ phone: borrowing Device, at now: SimInstant) {
    flags = .isThere
    if phone.isOff(at: now) { flags.insert(.switchedOff) }
    if phone.isCutOff(at: now) { flags.insert(.offline) }
    if phone.segment.isMoving { flags.insert(.moving) }
    if phone.isReachable { flags.insert(.reachable) }
    if phone.upload.isInFlight {
      flags.insert(phone.upload.isEvent ? .eventInFlight : .inFlight)
    }
    state = phone.process.state
    events = phone.tracker.eventCount
    outbox = phone.outbox.count
    cut = phone.tracker.cutCount
  }

  fileprivate func has(_ flag: Flags, _ sign: Int) -> Int { flags.contains(flag) ? sign : 0 }
}

extension Sheet {
  mutating func add(_ phone: PhoneView, _ sign: Int) {
    guard phone.has(.isThere, 1) == 1 else { return }
    switch phone.state {
    case .foreground: self[.foreground] += sign
    case .background: self[.background] += sign
    case .suspended: self[.suspended] += sign
    case .notRunning: self[.notRunning] += sign
    }
    self[.switchedOff] += phone.has(.switchedOff, sign)
    self[.offline] += phone.has(.offline, sign)
    self[.moving] += phone.has(.moving, sign)
    self[.reachable] += phone.has(.reachable, sign)
    if phone.events > 0 {
      let inFlight = phone.has(.eventInFlight, sign)
      self[.inFlightEvents] += inFlight
      self[.outboxEvents] += Int(phone.events) * sign - inFlight
    }
    let (outbox, cut) = (Int(phone.outbox) * sign, Int(phone.cut) * sign)
    if phone.has(.inFlight, 1) == 1 {
      self[.inFlightFixes] += cut
      self[.inFlightBatches] += sign
      self[.outboxFixes] += outbox - cut
    } else {
      self[.outboxFixes] += outbox
      if cut != 0 { self[.outboxBatches] += sign }
    }
  }
}
