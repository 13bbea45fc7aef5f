internal import Core
internal import Fleet
internal import Phone
internal import Synchronization
internal import Transport
internal import Wire

/// Sends a fleet's uploads. Encoding and compression run ahead of time, on the shard's queue.
final class WireUplink: Uplink {
  private let dispatcher: UploadFan
  private let recorder: LiveRecorder
  private let clock: PacedClock
  private let context: FleetContext
  private let deadline: WallDuration
  private let versions: SettingsVersions
  private let journal: FleetJournal?
  private let lanes: [EncoderLane]

  /// The encoder of one shard, used on its queue only.
  private final class EncoderLane: Sendable {
    private struct Tools: ~Copyable {
      let batches: BatchEncoder
      let messages = MessageCodec(capacity: 65_536)
    }
    private let tools: Mutex<Tools>

    init(_ codec: BatchCodec) { tools = Mutex(Tools(batches: BatchEncoder(codec))) }

    func batch(
      _ id: BatchID, _ fixes: [Fix], settingsVersion: UInt32
    ) throws(WireError) -> (message: [UInt8], check: UInt32) {
      try tools.withLock { tools throws(WireError) in
        let message = try tools.batches.encode(id, fixes, settingsVersion: settingsVersion)
        return (message, tools.batches.check)
      }
    }

    func add(to counters: inout Sheet) {
      tools.withLock { tools in
        counters[.payloads] += tools.batches.batches
        counters[.payloadPlainBytes] += tools.batches.plainBytes
        counters[.payloadBytes] += tools.batches.payloadBytes
      }
    }

    func registration(_ request: RegisterRequest) throws(WireError) -> [UInt8] {
      try tools.withLock { tools throws(WireError) in try tools.messages.encode(request) }
    }
  }

  init(
    dispatcher: UploadFan, recorder: LiveRecorder, clock: PacedClock,
    context: FleetContext, shards: Int, deadline: WallDuration, versions: SettingsVersions,
    codec: BatchCodec = .shipped, journal: FleetJournal? = nil
  ) {
    self.journal = journal
    self.context = context
    self.dispatcher = dispatcher
    self.recorder = recorder
    self.clock = clock
    self.deadline = deadline
    self.versions = versions
    lanes = (0..<shards).map { _ in EncoderLane(codec) }
  }

  /// Adds the payloads of the encoded batches.
  func add(to counters: inout Sheet) { for lane in lanes { lane.add(to: &counters) } }

  func submit(_ events: [EventOrder]) {
    preconditionFailure("a collector takes no events, so a load on one turns them off")
  }

  func submit(_ orders: [UploadOrder], fixes: [Fix], shard: Int) {
    recorder.offered(orders)
    var jobs: [UploadJob] = []
    jobs.reserveCapacity(orders.count)
    for order in orders {
      let first = Int(order.firstFix)
      var slice = Array(fixes[first..<(first + Int(order.fixCount))])
      let newest = slice.reduce(FixTime(centiseconds: .min)) { max($0, $1.time) }
      var stamps = context.stamps(of: order.id.phone, cohort: Int(order.cohort))
      for n in slice.indices { slice[n].time = stamps.stamp(slice[n].time) }
      do throws(WireError) {
        let (message, check) = try lanes[shard].batch(
          order.id, slice,
          settingsVersion: versions.versionInUpload(
            cohort: Int(order.cohort), rollout: order.rollout))
        journal?.submit(
          Self.submission(
            order, slice, newest: newest, message, check, key: journal?.header.hashKey ?? 0),
          as: order.id)
        let at = stamps.stamp(FixTime(order.intended)).instant
        let registration =
          order.registers ? try lanes[shard].registration(request(order, at: at)) : nil
        jobs.append(
          UploadJob(
            id: UploadName(order.id.sequence, attempt: order.attempt).rawValue,
            phone: order.id.phone.rawValue,
            intended: clock.wall(of: order.intended), deadline: deadline, message: message,
            check: check, registration: registration))
      } catch {
        // The tracker's limits are below the wire's, so a batch that does not fit is a bug.
        preconditionFailure("batch \(order.id) cannot be encoded: \(error)")
      }
    }
    // The journal must be durable before the batch can reach a socket.
    journal?.flush()
    dispatcher.submit(jobs)
  }

  /// - Parameter fixes: the fixes as sent, with times of the phone's clock.
  /// - Parameter newest: the newest fix's true time, to restore an outbox.
  private static func submission(
    _ order: UploadOrder, _ fixes: [Fix], newest: FixTime, _ message: [UInt8], _ check: UInt32,
    key: UInt64
  ) -> JournalRecord.Submission {
    var hash = BatchHash(key: key, order.id)
    for fix in fixes { hash.combine(fix) }
    return JournalRecord.Submission(
      id: order.id, fixCount: order.fixCount, hash: hash.value, at: order.intended,
      newest: newest, check: check, message: message)
  }

  /// - Parameter at: the instant of the upload by the phone's clock.
  private func request(_ order: UploadOrder, at: SimInstant) -> RegisterRequest {
    RegisterRequest(
      phone: order.id.phone, epoch: order.id.epoch, authorization: order.authorization,
      tokenValid: order.tokenIsValid, cohort: UInt32(order.cohort), installed: true,
      settingsVersion: versions.version(cohort: Int(order.cohort), rollout: order.rollout),
      at: at)
  }
}
