internal import Core
internal import Wire

/// A connection of the dispatcher, with its jobs. The type is a class, so access copies no arrays.
final class ChannelState {
  let channel: any ClientCarrier
  /// The phone that owns the connection if the use is `perPhone`.
  let phone: UInt32
  var isSilent = false
  var jobs = StreamTable<Int>()
  var queue = UploadDispatcher.JobLine()
  var countedRead = 0
  var countedWritten = 0

  init(channel: any ClientCarrier, phone: UInt32) {
    self.channel = channel
    self.phone = phone
  }
}

extension UploadDispatcher {
  func attempt(_ slot: Int, at now: WallInstant) {
    loop.assertOnLoop()
    let phone = jobs[slot].job.phone
    switch settings.use {
    case .perUpload: break
    case .perPhone:
      if let index = byPhone[phone], use(index, for: slot, at: now) { return }
    case .pooled(let count):
      if let index = pool[Int(phone) % count], use(index, for: slot, at: now) { return }
    }
    guard tally[.openConnections] < settings.openConnectionsMax else {
      tally[.openConnectionsMaxHits] += 1
      waiting.append((slot, jobs[slot].generation))
      return
    }
    open(for: slot, at: now)
  }

  /// Puts a job on an open channel. Returns false if the channel accepts no more calls.
  private func use(_ index: Int, for slot: Int, at now: WallInstant) -> Bool {
    guard let channel = channels[index]?.channel, channel.isUsable else { return false }
    jobs[slot].channel = index
    if !channel.isConnected {
      jobs[slot].move(to: .connect, at: now)
      channels[index]?.queue.append((slot, jobs[slot].generation))
    } else if channel.maySend {
      write(slot, on: index, at: now)
    } else {
      channels[index]?.queue.append((slot, jobs[slot].generation))
    }
    return true
  }

  private func open(for slot: Int, at now: WallInstant) {
    jobs[slot].move(to: .connect, at: now)
    let index = freeChannels.popLast() ?? channels.count
    if index == channels.count { channels.append(nil) }
    let channel: any ClientCarrier
    do throws(ConnectError) {
      channel = try loop.openCarrier(
        settings.carrier, to: address, from: source(), noDelay: settings.use != .perUpload,
        dial: dial(for: slot, connection: index), metadata: metadata, tag: index, owner: self)
    } catch {
      freeChannels.append(index)
      tally[.connectFailures] += 1
      if error.isDescriptorLimit { tally[.descriptorLimitHits] += 1 }
      if error.isPortLimit { tally[.portLimitHits] += 1 }
      jobs[slot].attempts += 1
      tally[.attempts] += 1
      fail(slot, CallStatus(.unavailable, error.reason), at: loop.now)
      return
    }
    tally[.connects] += 1
    tally[.openConnections] += 1
    tally[.openConnectionsPeak] = max(tally[.openConnectionsPeak], tally[.openConnections])
    let phone = jobs[slot].job.phone
    channels[index] = ChannelState(channel: channel, phone: phone)
    switch settings.use {
    case .perUpload: break
    case .perPhone: byPhone[phone] = index
    case .pooled(let count): pool[Int(phone) % count] = index
    }
    jobs[slot].channel = index
    // The first call goes out with the preface. On loopback the connection is already open, and
    // elsewhere libuv writes once the connection is open.
    write(slot, on: index, at: now)
    channel.flush()
  }

  private func dial(for slot: Int, connection: Int) -> TLSDial? {
    guard let client = settings.tls else { return nil }
    var dial = TLSDial(client: client, host: settings.serverName ?? settings.endpoint.host)
    dial.observer = (self, connection)
    guard settings.resumedShare > 0 else { return dial }
    let job = jobs[slot].job
    var draw = Draw(
      seed: settings.seed, phone: job.phone, .sessionResumption, Int64(bitPattern: job.id),
      Int64(jobs[slot].attempts))
    let holder = settings.use.holder(of: job.phone) ?? job.phone
    dial.tickets = (tickets, holder, draw.uniform() < settings.resumedShare)
    return dial
  }

  func secured(_ connection: Int, _ handshake: TLSHandshake) {
    loop.assertOnLoop()
    if handshake.isResumed { tally[.handshakesResumed] += 1 } else { tally[.handshakesFull] += 1 }
    guard let state = channels[connection] else { return }
    let now = loop.now
    for (_, slot) in state.jobs { jobs[slot].secured(handshake, at: now) }
    for next in state.queue.all where jobs[next.slot].generation == next.generation {
      jobs[next.slot].secured(handshake, at: now)
    }
  }

  /// The limit of connections from one loopback address, which has about 28,000 ports to a server.
  package static let connectionsPerAddress = 20_000

  private func source() -> Address? {
    guard address.isLoopback, settings.openConnectionsMax > Self.connectionsPerAddress else {
      return nil
    }
    nextSource = (nextSource + 1) % (1 + settings.openConnectionsMax / Self.connectionsPerAddress)
    return Address(loopback: nextSource)
  }

  private func write(_ slot: Int, on index: Int, at now: WallInstant) {
    guard let channel = channels[index]?.channel else { return }
    let left = max(jobs[slot].deadlineAt - now, .milliseconds(1))
    jobs[slot].channel = index
    let registers = jobs[slot].job.registration != nil && jobs[slot].registration == nil
    if !jobs[slot].isRegistering {
      jobs[slot].attempts += 1
      tally[.attempts] += 1
    }
    let call: ClientCall
    let previous = jobs[slot].attempts - 1
    if registers, let registration = jobs[slot].job.registration {
      call = channel.call(
        .register, registration, timeout: left, previousAttempts: previous)
    } else {
      let message = jobs[slot].lendMessage()
      capture?.append(message)
      call = channel.call(.upload, message, timeout: left, previousAttempts: previous)
      jobs[slot].giveBack(message)
    }
    jobs[slot].isRegistering = registers
    jobs[slot].call = call.number
    jobs[slot].readBefore = channel.bytesRead
    channels[index]?.jobs.append(slot, at: call.number)
    if channel.isConnected { jobs[slot].move(to: registers ? .connect : .service, at: now) }
  }

  func leave(_ slot: Int, cancelling: Bool) {
    let index = jobs[slot].channel
    let number = jobs[slot].call
    jobs[slot].channel = -1
    jobs[slot].call = 0
    jobs[slot].isRegistering = false
    guard index >= 0, let channel = channels[index]?.channel else { return }
    if number > 0 { _ = channels[index]?.jobs.removeValue(forKey: number) }
    if settings.use == .perUpload {
      drop(index, reset: true)
    } else if cancelling, number > 0 {
      channel.cancel(ClientCall(connection: index, number: number))
    }
    closeIfSilent(index)
  }

  private func drop(_ index: Int, reset: Bool) {
    guard let state = channels[index] else { return }
    forget(index)
    state.channel.close(reset: reset)
  }

  private func forget(_ index: Int) {
    guard let state = channels[index] else { return }
    countBytes(index)
    channels[index] = nil
    freeChannels.append(index)
    tally[.openConnections] -= 1
    retire(index, state)
  }

  private func retire(_ index: Int, _ state: ChannelState) {
    if byPhone[state.phone] == index { byPhone[state.phone] = nil }
    for place in pool.indices where pool[place] == index { pool[place] = nil }
  }

  func countBytes(_ index: Int) {
    guard let state = channels[index] else { return }
    let (read, written) = (state.channel.bytesRead, state.channel.bytesWritten)
    tally[.bytesReceived] += read - state.countedRead
    tally[.bytesSent] += written - state.countedWritten
    state.countedRead = read
    state.countedWritten = written
  }

  func serveWaiting() {
    while tally[.openConnections] < settings.openConnectionsMax, let next = waiting.popFirst() {
      guard jobs[next.slot].generation == next.generation, jobs[next.slot].isLive else { continue }
      attempt(next.slot, at: loop.now)
    }
  }

  func closeAllChannels() {
    for index in channels.indices where channels[index] != nil { drop(index, reset: true) }
  }

  // MARK: carrier events

  func connected(_ connection: Int, at instant: WallInstant) {
    loop.assertOnLoop()
    guard let state = channels[connection] else { return }
    for (_, slot) in state.jobs where !jobs[slot].isRegistering {
      jobs[slot].move(to: .service, at: instant)
    }
    serveQueue(connection)
  }

  func maySend(_ connection: Int) { serveQueue(connection) }

  private func serveQueue(_ index: Int) {
    loop.assertOnLoop()
    while let channel = channels[index]?.channel, channel.isConnected, channel.maySend,
      let next = channels[index]?.queue.popFirst()
    {
      guard jobs[next.slot].generation == next.generation, jobs[next.slot].isLive,
        jobs[next.slot].channel == index
      else { continue }
      write(next.slot, on: index, at: loop.now)
    }
  }

  func received(_ call: ClientCall, _ message: UnsafeRawBufferPointer) {
    loop.assertOnLoop()
    guard let slot = channels[call.connection]?.jobs[call.number] else { return }
    let isAck = !jobs[slot].isRegistering
    jobs[slot].received(
      message, isAck ? try? codec.decode(UploadReply.self, from: message) : nil)
  }

  func ended(_ call: ClientCall, _ status: CallStatus) {
    loop.assertOnLoop()
    let index = call.connection
    guard let slot = channels[index]?.jobs.removeValue(forKey: call.number) else { return }
    let now = loop.now
    switch jobs[slot].answered(status) {
    case .upload:
      write(slot, on: index, at: now)
      jobs[slot].isRegistering = false
      return
    case .acknowledged(let duplicate, let fixes):
      leave(slot, cancelling: false)
      sample(slot, .ok, at: now)
      tally[.inFlight] -= 1
      finish(slot, .acknowledged(duplicate: duplicate, fixes: fixes), at: now)
    case .failed(let status):
      leave(slot, cancelling: false)
      fail(slot, status, at: now)
    }
    serveWaiting()
  }

  func goesAway(_ connection: Int) {
    loop.assertOnLoop()
    guard let state = channels[connection] else { return }
    tally[.goAways] += 1
    retire(connection, state)
    requeue(connection)
  }

  private func requeue(_ index: Int) {
    while let next = channels[index]?.queue.popFirst() {
      guard jobs[next.slot].generation == next.generation, jobs[next.slot].isLive,
        jobs[next.slot].channel == index
      else { continue }
      jobs[next.slot].move(to: .hold, at: loop.now)
      jobs[next.slot].channel = -1
      attempt(next.slot, at: loop.now)
    }
  }

  /// Treats a kept connection as half-open (RFC 9293, 3.5.1) if no byte has arrived since the
  /// timed-out call was written. The connection takes no more jobs and closes after its last call.
  func giveUpIfSilent(_ index: Int, since readBefore: Int) {
    guard settings.use != .perUpload, index >= 0, let state = channels[index],
      state.channel.bytesRead == readBefore
    else { return }
    state.isSilent = true
    retire(index, state)
    requeue(index)
    closeIfSilent(index)
  }

  private func closeIfSilent(_ index: Int) {
    guard let state = channels[index], state.isSilent, state.jobs.isEmpty else { return }
    drop(index, reset: true)
  }

  func ended(_ connection: Int, _ end: LinkError, open: [ClientCall]) {
    loop.assertOnLoop()
    let index = connection
    guard let state = channels[index] else { return }
    if !state.channel.isConnected { tally[.connectFailures] += 1 }
    let now = loop.now
    let reason = "\(end)"
    var lost = open.compactMap { state.jobs[$0.number] }
    var queue = exchange(&state.queue, with: JobLine())
    while let next = queue.popFirst() {
      if jobs[next.slot].generation == next.generation, jobs[next.slot].isLive,
        jobs[next.slot].channel == index
      {
        jobs[next.slot].attempts += 1
        tally[.attempts] += 1
        lost.append(next.slot)
      }
    }
    forget(index)
    for slot in lost {
      jobs[slot].channel = -1
      jobs[slot].call = 0
      jobs[slot].isRegistering = false
      fail(slot, CallStatus(.unavailable, reason), at: now)
    }
    serveWaiting()
  }
}
