internal import Core
internal import Dispatch
internal import Targets
internal import Transport

/// Viewers to whom the server sends, on the loop's thread: a viewer has a connection while its owner
/// looks at the app, and sees each position that is newer than those before.
extension TargetSender {
  func openWatching() {
    guard let watching = setup.watching, let view = setup.target.view else { return }
    viewing?.tally.hasSockets = true
    do throws(TLSSetupError) {
      switch watching {
      case .websocket(let settings):
        let sockets = try WebSocketClients(
          on: loop, settings,
          opening: { [unowned self] in setup.opening(of: $0, watches: true) }, onEnd: { _, _ in })
        sockets.onMessage = { [unowned self] phone, body in
          let bytes = WebSocketMessage.frameBytes(body.count, isMasked: false)
          received(body, bytes, by: phone, view)
        }
        adopt(sockets)
      case .mqtt(let settings):
        let clients = try MQTTClients(
          on: loop, settings, login: { [unowned self] in login(ofViewer: $0) }, onEnd: { _, _ in })
        clients.onMessage = { [unowned self] phone, message in
          let bytes = message.packetBytes(version: settings.version)
          received(message.body, bytes, of: message.topic, by: phone, view)
        }
        adopt(clients)
      }
    } catch {
      note("\(setup.target.name): viewers see nothing: \(error)")
    }
  }

  private func adopt(_ clients: some DialledClients) {
    clients.onConnected = { [unowned self] in lost($0, $1) }
    clients.onLost = { [unowned self] in lost($0, $1) }
    viewing?.clients = clients
  }

  private func login(ofViewer phone: UInt32) -> MQTTLogin {
    guard let viewing, let number = viewing.places[phone] else {
      return setup.login(of: phone, watching: [])
    }
    let schedule = viewing.schedule
    return setup.login(
      of: phone, watching: schedule.seesAll ? nil : schedule.viewers[number].watched)
  }

  /// Begins or ends a viewer's session, or connects again within one.
  func watch(_ number: Int, at instant: WallInstant) {
    guard let viewing, let clients = viewing.clients else { return }
    let phone = viewing.schedule.viewers[number].phone
    let state = viewing.states[number]
    if instant >= state.until {
      self.viewing?.states[number].open = 0
      clients.disconnect(phone)
      return expect(number, after: parts.clock.scenario(at: instant))
    }
    guard instant >= state.from, state.open == 0 else { return }
    self.viewing?.states[number].open = 1
    clients.connect(phone)
  }

  /// Handles the result of a connect, or the end of a connection. The viewer connects again after
  /// the time of a round.
  private func lost<Words>(_ phone: UInt32, _ error: DialError<Words>?) {
    guard let error, error != .abandoned, let number = viewing?.places[phone] else { return }
    if viewing?.tally.failed == 0 {
      note("\(setup.target.name): view got no answer: \(error)")
    }
    viewing?.tally.failed += 1
    viewing?.states[number].open = 0
    due.push(.view(viewer: Int32(number)), at: loop.now + max(roundLength, .milliseconds(100)))
    arm()
  }

  /// - Parameter topic: identifies the phone of a message whose rows have no id.
  private func received(
    _ body: [UInt8], _ bytes: Int, of topic: String = "", by phone: UInt32, _ view: Readback
  ) {
    guard !isDraining, let number = viewing?.places[phone] else { return }
    viewing?.tally.messages += 1
    viewing?.tally.bytes += bytes
    let second = max(0, Int((loop.now - parts.clock.wallStart).seconds))
    viewing?.tally.note(1, in: second)
    let now = setup.now() / 1_000
    viewing?.queue.async { [weak self, startsAt] in
      var one = view
      one.takesOneRow = true
      // An empty message of MQTT removes a retained one.
      var rows = body.isEmpty ? nil : try? ReadbackRows(body, one, isMessage: true)
      rows?.drop(before: startsAt / 1_000)
      let found = rows?.rows ?? (body.isEmpty ? [] : nil)
      guard let self else { return }
      loop.post { [self] in note(found, number, of: topic, now: now) }
    }
  }

  /// The limit of phones that a viewer remembers, and all viewers together. A position of another
  /// phone always counts as newer.
  private static let (devicesMax, rememberedMax) = (10_000, 2_000_000)

  /// - Parameters:
  ///   - rows: the positions of a message, or of a map; nil if unreadable.
  ///   - isMap: whether the viewer now sees all the rows, so that positions seen before have an age.
  func note(
    _ rows: [ReadbackRows.Row]?, _ number: Int, of topic: String = "", now: Int64,
    isMap: Bool = false
  ) {
    guard let rows else {
      viewing?.tally.failed += 1
      return
    }
    if rows.isEmpty { viewing?.tally.empty += 1 }
    for row in rows {
      let device = (row.device ?? topic).hashValue
      let newest = viewing?.states[number].newest[device]
      let isNewer = row.milliseconds > newest ?? .min
      if !isNewer { viewing?.tally.unchanged += 1 }
      if isNewer || isMap { viewing?.tally.ages.record(max(0, now - row.milliseconds)) }
      guard isNewer else { continue }
      if newest == nil {
        guard let viewing, viewing.remembered < Self.rememberedMax,
          viewing.states[number].newest.count < Self.devicesMax
        else { continue }
        self.viewing?.remembered += 1
      }
      viewing?.states[number].newest[device] = row.milliseconds
    }
  }
}
