internal import Core
internal import Dispatch
internal import Scenarios
internal import Targets
internal import Transport

/// Viewers over WebSocket, on the loop's thread: a viewer has a connection while its owner looks at
/// the app, and sees each position that is newer than those before.
extension TargetSender {
  func openWatching() {
    guard let settings = setup.watching, let view = setup.target.view else { return }
    do throws(TLSSetupError) {
      let sockets = try WebSocketClients(
        on: loop, settings,
        opening: { [unowned self] in setup.opening(of: $0, watches: true) }, onEnd: { _, _ in })
      sockets.onConnected = { [unowned self] in lost($0, $1) }
      sockets.onLost = { [unowned self] in lost($0, $1) }
      sockets.onMessage = { [unowned self] in received($1, by: $0, view) }
      viewing?.sockets = sockets
      viewing?.tally.hasSockets = true
    } catch {
      note("\(setup.target.name): viewers see nothing: \(error)")
    }
  }

  /// Begins or ends a viewer's session, or connects again within one.
  func watch(_ number: Int, at instant: WallInstant) {
    guard let viewing, let sockets = viewing.sockets else { return }
    let phone = viewing.schedule.viewers[number].phone
    let state = viewing.states[number]
    if instant >= state.until {
      self.viewing?.states[number].open = 0
      sockets.disconnect(phone)
      return expect(number, after: parts.clock.scenario(at: instant))
    }
    guard instant >= state.from, state.open == 0 else { return }
    self.viewing?.states[number].open = 1
    sockets.connect(phone)
  }

  /// Handles the result of a connect, or the end of a connection. The viewer connects again after
  /// the time of a round.
  private func lost(_ phone: UInt32, _ error: WebSocketError?) {
    guard let error, error != .abandoned, let number = viewing?.places[phone] else { return }
    if viewing?.tally.failed == 0 {
      note("\(setup.target.name): view got no answer: \(error)")
    }
    viewing?.tally.failed += 1
    viewing?.states[number].open = 0
    due.push(.view(viewer: Int32(number)), at: loop.now + max(roundLength, .milliseconds(100)))
    arm()
  }

  private func received(_ body: [UInt8], by phone: UInt32, _ view: Readback) {
    guard !isDraining, let number = viewing?.places[phone] else { return }
    let bytes = WebSocketMessage.frameBytes(body.count, isMasked: false)
    viewing?.tally.messages += 1
    viewing?.tally.bytes += bytes
    let second = max(0, Int((loop.now - parts.clock.wallStart).seconds))
    viewing?.tally.note(1, in: second)
    let now = setup.now() / 1_000
    viewing?.queue.async { [weak self, startsAt] in
      var one = view
      one.takesOneRow = true
      var rows = try? ReadbackRows(body, one, isMessage: true)
      rows?.drop(before: startsAt / 1_000)
      let found = rows?.rows
      guard let self else { return }
      loop.post { [self] in note(found, number, now: now) }
    }
  }

  /// The limit of phones that a viewer remembers.
  private static let devicesMax = 10_000

  /// - Parameter rows: the positions of a message; nil for an unreadable message.
  private func note(_ rows: [ReadbackRows.Row]?, _ number: Int, now: Int64) {
    guard let rows else {
      viewing?.tally.failed += 1
      return
    }
    if rows.isEmpty { viewing?.tally.empty += 1 }
    for row in rows {
      let device = row.device ?? ""
      let newest = viewing?.states[number].newest[device]
      guard row.milliseconds > newest ?? .min else {
        viewing?.tally.unchanged += 1
        continue
      }
      viewing?.tally.ages.record(max(0, now - row.milliseconds))
      if newest != nil || viewing?.states[number].newest.count ?? 0 < Self.devicesMax {
        viewing?.states[number].newest[device] = row.milliseconds
      }
    }
  }
}
