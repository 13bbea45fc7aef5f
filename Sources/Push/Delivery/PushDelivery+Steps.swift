internal import Core

/// Determines what each event does in each stage. Events of another push, repetitions, and events
/// of an app that runs for another reason are ignored. Impossible events indicate a bug.
extension PushDelivery {
  package func step(on event: Event) -> Step {
    switch stage {
    case .none: stepWhileNone(event)
    case .inTransit: stepInTransit(event)
    case .stored: stepWhileStored(event)
    case .arrived: stepWhenArrived(event)
    case .deferred: stepWhileDeferred(event)
    case .woken: stepWhileWoken(event)
    case .fixTaken: stepWithFix(event)
    }
  }

  private func stepWhileNone(_ event: Event) -> Step {
    switch event {
    case .requested(let push): .opens(push, endingAs: nil)
    case .stored: .impossible
    case .undelivered, .reconnected, .arrived, .released, .stopped, .deferred, .discarded,
      .noPermission, .wakeFailed, .woke, .fixTaken, .wakeEnded, .reported, .closed:
      .ignored
    }
  }

  private func stepInTransit(_ event: Event) -> Step {
    switch event {
    // The provider keeps one push, so the newer push replaces the push in transit.
    case .requested(let push): .opens(push, endingAs: .overwritten)
    case .stored: .moves(to: .stored)
    case .undelivered(let gone): gone.id == id ? .ends(WakeOutcome(gone)) : .ignored
    case .arrived(let lastReport): lastReport > requestedAt ? .ends(.raced) : .moves(to: .arrived)
    // An effect after the end of the run would come later than W after the request.
    case .closed(let end, let within, storedFor: _): close(at: end, within, as: .late)
    case .reconnected, .released, .stopped, .deferred, .discarded, .noPermission, .wakeFailed,
      .woke,
      .fixTaken, .wakeEnded, .reported:
      .ignored
    }
  }

  private func stepWhileStored(_ event: Event) -> Step {
    switch event {
    case .requested(let push): .opens(push, endingAs: .overwritten)
    case .undelivered(let gone): gone.id == id ? .ends(WakeOutcome(gone)) : .ignored
    case .reconnected(let other): other == id ? .moves(to: .inTransit) : .ignored
    case .closed(let end, let within, let gate):
      close(at: end, within, as: WakeOutcome(gate ?? .offline))
    case .stored: .impossible
    case .arrived, .released, .stopped, .deferred, .discarded, .noPermission, .wakeFailed, .woke,
      .fixTaken, .wakeEnded, .reported:
      .ignored
    }
  }

  private func stepWhenArrived(_ event: Event) -> Step {
    switch event {
    case .stopped(let gate): .ends(gate)
    case .deferred: .moves(to: .deferred)
    case .noPermission: .ends(.noPermission)
    case .wakeFailed(let isSwitchedOff): .ends(isSwitchedOff ? .switchedOff : .appCrashed)
    case .woke: .moves(to: .woken)
    // The app is still being launched or resumed, so its actions are not caused by the push.
    case .fixTaken, .wakeEnded, .reported: .ignored
    case .requested, .stored, .undelivered, .reconnected, .arrived, .released, .discarded, .closed:
      .impossible
    }
  }

  private func stepWhileDeferred(_ event: Event) -> Step {
    switch event {
    case .requested(let push): .opens(push, endingAs: .noFix)
    case .released(let lastReport): lastReport > requestedAt ? .ends(.raced) : .moves(to: .arrived)
    case .discarded: .ends(.noFix)
    case .closed(let end, let within, storedFor: _): close(at: end, within, as: .noFix)
    case .stored: .impossible
    case .undelivered, .reconnected, .arrived, .stopped, .deferred, .noPermission, .wakeFailed,
      .woke,
      .fixTaken, .wakeEnded, .reported:
      .ignored
    }
  }

  private func stepWhileWoken(_ event: Event) -> Step {
    switch event {
    case .requested(let push): .opens(push, endingAs: .noFix)
    case .fixTaken(let time): time.instant >= requestedAt ? .moves(to: .fixTaken) : .ignored
    case .wakeEnded(let crashed): .ends(crashed ? .appCrashed : .noFix)
    case .closed(let end, let within, storedFor: _): close(at: end, within, as: .noFix)
    case .stored: .impossible
    case .undelivered, .reconnected, .arrived, .released, .stopped, .deferred, .discarded,
      .noPermission, .wakeFailed, .woke, .reported:
      .ignored
    }
  }

  private func stepWithFix(_ event: Event) -> Step {
    switch event {
    case .requested(let push): .opens(push, endingAs: .uploadFailed)
    case .reported(let newest, let now, let within):
      // The fix has arrived, so an earlier deferral no longer matters.
      FixTime(newest) >= fixTime
        ? .endsInAnyCase(now <= requestedAt + within ? .caused : .late) : .ignored
    case .closed(let end, let within, storedFor: _): close(at: end, within, as: .uploadFailed)
    case .stored: .impossible
    case .undelivered, .reconnected, .arrived, .released, .stopped, .deferred, .discarded,
      .noPermission, .wakeFailed, .woke, .fixTaken, .wakeEnded:
      .ignored
    }
  }

  /// Ends an open push with the run. A push requested less than W before the end is pending and not
  /// judged, regardless of the gate that stopped it.
  private func close(
    at end: SimInstant, _ within: SimDuration, as outcome: WakeOutcome
  ) -> Step {
    requestedAt > end - within ? .endsInAnyCase(.pending) : .ends(outcome)
  }
}

extension WakeOutcome {
  /// Creates the outcome of a push that never left the provider: Doze, if that held it back.
  init(_ gone: UndeliveredPush) {
    switch (gone.ending, gone.gate) {
    case (.discarded, _): self = .storeFull
    case (_, .doze), (_, .bucketQuota), (_, .deprioritized): self.init(gone.gate)
    case (.overwritten, .switchedOff), (.overwritten, .offline), (.overwritten, .restricted):
      self = .overwritten
    case (.expired, .switchedOff), (.expired, .offline), (.expired, .restricted): self = .expired
    }
  }

  fileprivate init(_ gate: StorageGate) {
    switch gate {
    case .switchedOff: self = .switchedOff
    case .offline: self = .offline
    case .restricted: self = .lowPower
    case .doze: self = .doze
    case .bucketQuota: self = .bucketQuota
    case .deprioritized: self = .deprioritized
    }
  }
}
