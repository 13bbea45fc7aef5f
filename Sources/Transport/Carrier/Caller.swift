package import Core
internal import Synchronization

/// Sends a few requests, not load, and blocks the calling thread until the requests end.
///
/// `@unchecked Sendable`: the client is used only on its loop's thread, and the rest is
/// synchronized.
package final class Caller<Client: ExchangeClient>: @unchecked Sendable {
  private let loop = EventLoop(name: "flotilla.calls")
  private var client: Client?
  private let calls = Mutex(Calls())

  private struct Calls: Sendable {
    var next: UInt64 = 0
    var open: [UInt64: @Sendable (Client.End) -> Void] = [:]
  }

  init<Problem: Error>(
    _ make:
      @escaping @Sendable (EventLoop, @escaping (UInt64, Client.End) -> Void) throws(Problem)
      -> Client
  ) throws(Problem) {
    loop.start()
    let problem = loop.sync { [self] () -> Problem? in
      do throws(Problem) {
        client = try make(loop) { [unowned self] number, end in
          calls.withLock { $0.open.removeValue(forKey: number) }?(end)
        }
        return nil
      } catch {
        return error
      }
    }
    guard let problem else { return }
    loop.stopAndWait()
    throw problem
  }

  package func call(_ requests: [Client.Request], of phones: [UInt32] = []) -> [Client.End] {
    let ends = Awaited<Client.End>(requests.count)
    loop.post { [self] in
      for (place, request) in requests.enumerated() {
        let number = calls.withLock { calls in
          calls.next += 1
          calls.open[calls.next] = { ends.set($0, at: place) }
          return calls.next
        }
        client?.send(request, as: number, of: place < phones.count ? phones[place] : 0)
      }
    }
    return ends.wait()
  }

  package func call(_ request: Client.Request, of phone: UInt32 = 0) -> Client.End {
    call([request], of: [phone])[0]
  }

  package var counters: Sheet {
    loop.sync { [self] in client?.counters ?? Sheet() }
  }

  /// Closes every connection and ends the loop. Waiting calls end as abandoned.
  package func close() {
    loop.sync { [self] in
      client?.close()
      client = nil
    }
    loop.stopAndWait()
  }
}

package typealias HTTPCaller = Caller<HTTPClient>

extension Caller<HTTPClient> {
  package convenience init(_ settings: HTTPSettings) {
    self.init { HTTPClient(on: $0, settings, onEnd: $1) }
  }
}

extension Caller where Client: DialledClients {
  /// Opens phone 0's connection and waits. Returns the error, or nil if the connection is open.
  package func connect() -> Client.Failure? {
    let failure = Awaited<Client.Failure?>(1)
    loop.post { [self] in
      client?.onConnected = { _, why in failure.set(why, at: 0) }
      client?.connect(0)
    }
    return failure.wait()[0]
  }
}

package typealias MQTTCaller = Caller<MQTTClients>

extension Caller<MQTTClients> {
  package convenience init(
    _ settings: MQTTSettings, login: @escaping @Sendable (UInt32) -> MQTTLogin
  ) throws(TLSSetupError) {
    try self.init { loop, onEnd throws(TLSSetupError) in
      try MQTTClients(on: loop, settings, login: login, onEnd: onEnd)
    }
  }
}

package typealias WebSocketCaller = Caller<WebSocketClients>

extension Caller<WebSocketClients> {
  package convenience init(
    _ settings: WebSocketSettings, opening: @escaping @Sendable (UInt32) -> WebSocketOpening
  ) throws(TLSSetupError) {
    try self.init { loop, onEnd throws(TLSSetupError) in
      try WebSocketClients(on: loop, settings, opening: opening, onEnd: onEnd)
    }
  }
}
