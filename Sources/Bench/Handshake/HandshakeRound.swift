internal import Foundation
internal import SimulationCore
internal import Synchronization
internal import Telemetry
internal import Transport
internal import Wire

/// A server that only acknowledges, and a dispatcher that gives each upload a connection of its
/// own: two loops, a thread each.
///
/// `@unchecked Sendable`: `server` and `dispatcher` are set in `init`; the rest guards itself.
final class HandshakeRound: RPCHandler, @unchecked Sendable {
  struct Look {
    var serverNanoseconds: Int64
    var clientNanoseconds: Int64
    var resumed: UInt64
    var failed: Int
  }

  private struct Course {
    /// Jobs that are still to be submitted.
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

  /// An upload of 20 fixes, some 150 bytes.
  static var job: UploadJob {
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

  init(
    server: TLSServer?, client: TLSClient?, resumes: Bool, job: UploadJob
  ) throws(TransportError) {
    self.job = job
    let reply = UploadReply(
      sequence: 1, duplicate: false, fixes: UInt32(BatchPool.fixesPerBatch), check: job.check)
    guard let ack = try? MessageCodec().encode(reply) else {
      preconditionFailure("an ack cannot be encoded")
    }
    self.ack = ack
    let rpc = RPCServer(loop: serverLoop, tls: server, handler: self)
    self.server = rpc
    let port = try rpc.listen(host: "127.0.0.1", port: 0)
    var settings = UploadSettings(
      endpoint: Endpoint(host: "127.0.0.1", port: port), use: .perUpload, seed: 1)
    settings.tls = client
    settings.resumedShare = resumes ? 1 : 0
    dispatcher = try UploadDispatcher(loop: clientLoop, settings: settings) { [unowned self] in
      take($0)
    }
    serverLoop.start()
    clientLoop.start()
  }

  func received(_ call: ServerCall, message: UnsafeRawBufferPointer) { call.reply(ack) }
  func cancelled(_ call: ServerCall) {}

  /// Makes so many connections, `HandshakeBench.atOnce` of them at once.
  func make(_ connections: Int) {
    let jobs = course.withLock { course in
      course.left = connections
      return (0..<min(connections, HandshakeBench.atOnce)).map { _ in next(&course) }
    }
    dispatcher.submit(jobs)
  }

  private func next(_ course: inout Course) -> UploadJob {
    course.left -= 1
    course.open += 1
    course.next += 1
    var job = job
    job.id = course.next
    // As many phones as connections at once, so that tickets are soon there.
    job.phone = UInt32(course.next % UInt64(HandshakeBench.atOnce))
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
  }

  var isDone: Bool { course.withLock { $0.left == 0 && $0.open == 0 } }

  var look: Look {
    Look(
      serverNanoseconds: serverLoop.sync { Self.threadNanoseconds },
      clientNanoseconds: clientLoop.sync { Self.threadNanoseconds },
      resumed: dispatcher.counters().handshakesResumed,
      failed: course.withLock { $0.failed })
  }

  /// The processor time of the calling thread.
  private static var threadNanoseconds: Int64 {
    var time = timespec()
    // Cannot fail: every system here has this clock.
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  func stop() {
    dispatcher.abort()
    clientLoop.stopAndWait()
    serverLoop.stopAndWait()
  }
}
