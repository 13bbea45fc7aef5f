package import Core
internal import Foundation
internal import Synchronization
package import Transport
internal import Wire

/// A server that only acknowledges, and a dispatcher, each on a loop with a thread. `@unchecked
/// Sendable`: `server` and `dispatcher` are set in `init`, and the rest is synchronized.
package final class HandshakeRound: RPCHandler, @unchecked Sendable {
  package static let atOnce = 32

  struct Look {
    var serverNanoseconds: Int64
    var clientNanoseconds: Int64
    var resumed: UInt64
    /// The client's bytes on the network, including TLS and frames.
    var bytesWritten: UInt64
    var bytesRead: UInt64
    var failed: Int
  }

  private struct Course {
    var left = 0
    var open = 0
    var next: UInt64 = 0
    var failed = 0
  }

  private let serverLoop = EventLoop(name: "handshake server")
  private let clientLoop = EventLoop(name: "handshake client")
  private var server: RPCServer!
  private var dispatcher: UploadDispatcher!
  private let job: UploadJob
  private let ack: [UInt8]
  private let course = Mutex(Course())

  package static var job: UploadJob {
    let pool = BatchPool(before: BenchRun.begin)
    let encoder = BatchEncoder()
    let id = BatchID(phone: PhoneID(rawValue: 0), epoch: 1, sequence: 1)
    guard let message = try? encoder.encode(id, Array(pool.fixes[pool.range(1)])) else {
      preconditionFailure("20 fixes cannot be encoded")
    }
    return UploadJob(
      id: 0, phone: 0, intended: WallInstant(microseconds: 0), deadline: .seconds(30),
      message: message, check: encoder.check)
  }

  package struct Setting {
    /// The TLS settings of both sides; nil for plaintext connections.
    package var tls: (server: TLSServer, client: TLSClient)?
    /// Whether later connections resume the sessions of the first connections.
    package var resumes = false
    package var carrier = CarrierKind.flotilla
    /// Whether connections stay open, one for each upload in flight.
    package var isKept = false

    /// Creates a setting, by default plaintext with a new connection for each upload.
    package init(
      tls: (server: TLSServer, client: TLSClient)? = nil, resumes: Bool = false,
      carrier: CarrierKind = .flotilla, isKept: Bool = false
    ) {
      self.tls = tls
      self.resumes = resumes
      self.carrier = carrier
      self.isKept = isKept
    }
  }

  package init(_ setting: Setting, job: UploadJob = HandshakeRound.job) throws(TransportError) {
    self.job = job
    let reply = UploadReply(
      sequence: 1, duplicate: false, fixes: UInt32(BatchPool.fixesPerBatch), check: job.check)
    guard let ack = try? MessageCodec().encode(reply) else {
      preconditionFailure("an ack cannot be encoded")
    }
    self.ack = ack
    let rpc = RPCServer(loop: serverLoop, tls: setting.tls?.server, handler: self)
    self.server = rpc
    let port = try rpc.listen(host: "127.0.0.1", port: 0)
    var settings = UploadSettings(
      endpoint: Endpoint(host: "127.0.0.1", port: port),
      use: setting.isKept ? .pooled(Self.atOnce) : .perUpload, seed: 1)
    settings.tls = setting.tls?.client
    settings.carrier = setting.carrier
    settings.resumedShare = setting.resumes ? 1 : 0
    dispatcher = try UploadDispatcher(loop: clientLoop, settings: settings) { [unowned self] in
      take($0)
    }
    serverLoop.start()
    clientLoop.start()
  }

  package func received(_ call: ServerCall, message: UnsafeRawBufferPointer) { call.reply(ack) }
  package func cancelled(_ call: ServerCall) {}

  package func make(_ uploads: Int) {
    let jobs = course.withLock { course in
      course.left = uploads
      return (0..<min(uploads, Self.atOnce)).map { _ in next(&course) }
    }
    dispatcher.submit(jobs)
  }

  private func next(_ course: inout Course) -> UploadJob {
    course.left -= 1
    course.open += 1
    course.next += 1
    var job = job
    job.id = course.next
    // There are only as many phones as connections, so that each phone gets a ticket early.
    job.phone = UInt32(course.next % UInt64(Self.atOnce))
    job.intended = MonotonicClock.now
    return job
  }

  private func take(_ report: UploadReport) {
    let jobs = course.withLock { course in
      report.completions.compactMap { completion -> UploadJob? in
        course.open -= 1
        if case .acknowledged = completion.outcome {} else { course.failed += 1 }
        return course.left > 0 ? next(&course) : nil
      }
    }
    dispatcher.submit(jobs)
    if isDone { Waiter.shared.wake() }
  }

  var isDone: Bool { course.withLock { $0.left == 0 && $0.open == 0 } }

  var look: Look {
    let counters = dispatcher.counters()
    return Look(
      serverNanoseconds: serverLoop.sync { EventLoop.threadNanoseconds },
      clientNanoseconds: clientLoop.sync { EventLoop.threadNanoseconds },
      resumed: UInt64(counters[.handshakesResumed]), bytesWritten: UInt64(counters[.bytesSent]),
      bytesRead: UInt64(counters[.bytesReceived]),
      failed: course.withLock { $0.failed })
  }

  package struct Cost: Equatable {
    package var serverMicroseconds: Double
    package var clientMicroseconds: Double
    package var bytesIn: Double
    package var bytesOut: Double
    package var perSecond: Double
    package var resumedShare: Double
    package var failed: Int
  }

  /// Measures uploads after a warm-up that opens connections and gets tickets; nil if stopped.
  package func measure(_ uploads: Int, shouldStop: () -> Bool) -> Cost? {
    make(Self.atOnce * 8)
    guard wait(shouldStop) else { return nil }
    let (before, began) = (look, MonotonicClock.now)
    make(uploads)
    guard wait(shouldStop) else { return nil }
    let (after, seconds) = (look, (MonotonicClock.now - began).seconds)
    let each = 1 / Double(uploads)
    return Cost(
      serverMicroseconds: Double(after.serverNanoseconds - before.serverNanoseconds) / 1e3 * each,
      clientMicroseconds: Double(after.clientNanoseconds - before.clientNanoseconds) / 1e3 * each,
      bytesIn: Double(after.bytesWritten - before.bytesWritten) * each,
      bytesOut: Double(after.bytesRead - before.bytesRead) * each,
      perSecond: Double(uploads) / seconds,
      resumedShare: Double(after.resumed - before.resumed) * each,
      failed: after.failed - before.failed)
  }

  private func wait(_ shouldStop: () -> Bool) -> Bool {
    Waiter.shared.wait { isDone || shouldStop() }
    return !shouldStop()
  }

  package func stop() {
    dispatcher.abort()
    clientLoop.stopAndWait()
    serverLoop.stopAndWait()
  }
}

extension HandshakeRound {
  package static func secrets(
    _ kind: SelfMadeCertificate.KeyKind, _ carrier: CarrierKind = .flotilla, folder: String
  ) throws(TLSSetupError) -> (server: TLSServer, client: TLSClient) {
    let files = try SelfMadeCertificate.write(.init("server"), kind: kind, to: folder)
    return (
      try TLSServer(files, protocols: ApplicationProtocol.allCases),
      try TLSClient(
        TLSClientFiles(authorities: "\(folder)/ca.pem"), protocols: carrier.applicationProtocols)
    )
  }

  package static func cost(
    _ setting: Setting, uploads: Int, shouldStop: () -> Bool
  ) throws(CollectorRunError) -> Cost? {
    let round: HandshakeRound
    do throws(TransportError) { round = try HandshakeRound(setting) } catch {
      throw .unreachable(error.description)
    }
    defer { round.stop() }
    return round.measure(uploads, shouldStop: shouldStop)
  }
}
