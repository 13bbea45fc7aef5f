package import Core
package import Phone
package import Scenarios

// Observations of a phone's simulation.

extension PhoneLife {
  package var effects: [Device.Effect] { effectsInTime.map(\.effect) }
  package var state: AppProcess.State { phone.process.state }
  package var home: PlanePoint { truth.segment(truth.birth).position(at: truth.birth) }

  /// Where the phone is now.
  package var here: PlanePoint { phone.segment.position(at: now) }
  package var place: Coordinate { truth.maker.projection.coordinate(of: here) }

  /// When the person first leaves home.
  package var leavesHome: SimInstant { truth.segment(truth.birth).end }

  package var launches: [LaunchReason] {
    delivered.compactMap { if case .launched(let reason) = $0.event { reason } else { nil } }
  }

  package var crashes: [CrashReason] {
    effects.compactMap { if case .crashed(let reason) = $0 { reason } else { nil } }
  }

  /// Effects of the charge on the phone.
  package var batterySteps: [BatteryStep] {
    effects.compactMap { if case .battery(let step) = $0 { step } else { nil } }
  }

  /// Changes of location permission by owner and system, and when.
  package var consentSteps: [(at: SimInstant, step: ConsentStep)] {
    effectsInTime.compactMap { entry in
      if case .consent(let step) = entry.effect { (entry.at, step) } else { nil }
    }
  }

  package var visits: [Visit] {
    delivered.compactMap { if case .visit(let visit) = $0.event { visit } else { nil } }
  }

  package var exits: [(at: SimInstant, manager: Manager, cached: Fix?)] {
    delivered.compactMap { entry in
      guard case .regionExited(let manager, let cached) = entry.event else { return nil }
      return (entry.at, manager, cached)
    }
  }

  /// Events of regions round places.
  package var crossings: [(at: SimInstant, place: UInt8, isEntry: Bool)] {
    delivered.compactMap { entry in
      switch entry.event {
      case .placeEntered(let place, _): (entry.at, place, true)
      case .placeExited(let place, _): (entry.at, place, false)
      case _: nil
      }
    }
  }

  package var permissionsDelivered: [Authorization] {
    delivered.compactMap { if case .authorizationChanged(let new) = $0.event { new } else { nil } }
  }

  /// When pushes were delivered to the app.
  package var pushesDelivered: [SimInstant] {
    delivered.compactMap { if case .silentPush = $0.event { $0.at } else { nil } }
  }

  package var activities: [(at: SimInstant, activity: MotionActivity?)] {
    delivered.compactMap { entry in
      if case .motionActivity(let activity) = entry.event { (entry.at, activity) } else { nil }
    }
  }

  package func count(_ isMeant: (OSEvent) -> Bool) -> Int {
    delivered.count { isMeant($0.event) }
  }

  /// How often the app got background time.
  package var wakes: Int { effects.count { if case .woken = $0 { true } else { false } } }

  // MARK: Fixes

  /// When the manager delivered a fix.
  package func fixes(_ manager: Manager) -> [SimInstant] {
    delivered.compactMap { entry in
      if case .location(_, manager) = entry.event { entry.at } else { nil }
    }
  }

  /// The fixes that the manager delivered.
  package func positions(_ manager: Manager) -> [Fix] {
    delivered.compactMap { if case .location(let fix, manager) = $0.event { fix } else { nil } }
  }

  /// Position errors of the manager's fixes, in metres.
  package func metersOff(_ manager: Manager) -> [Double] {
    positions(manager).map { fix in
      let then = fix.time.instant
      let place = truth.maker.projection.point(of: fix.coordinate)
      return truth.segment(then).position(at: then).distance(to: place)
    }
  }

  // MARK: Since a mark

  /// Counts deliveries: `let mark = life.mark`, then `life.fixes(since: mark)`.
  package var mark: Int { delivered.count }

  /// All but fixes.
  package func delivered(since mark: Int) -> [OSEvent] {
    delivered.dropFirst(mark).map(\.event).filter {
      if case .location = $0 { false } else { true }
    }
  }

  package func fixes(since mark: Int) -> [Fix] {
    delivered.dropFirst(mark).compactMap {
      if case .location(let fix, _) = $0.event { fix } else { nil }
    }
  }

  /// When fixes were delivered.
  package func moments(since mark: Int) -> [SimInstant] {
    delivered.dropFirst(mark).compactMap { entry in
      if case .location = entry.event { entry.at } else { nil }
    }
  }
}

extension OSEvent {
  package var isActivation: Bool { if case .becameActive = self { true } else { false } }
  package var isLeave: Bool { if case .enteredBackground = self { true } else { false } }
  package var isLaunch: Bool { if case .launched = self { true } else { false } }
  package var isRegionExit: Bool { if case .regionExited = self { true } else { false } }
  package var isExpiry: Bool { if case .backgroundTimeExpiring = self { true } else { false } }
  package var isPause: Bool { if case .standardPaused = self { true } else { false } }
}
