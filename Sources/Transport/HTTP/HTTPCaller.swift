internal import Dispatch
package import Figures
internal import Synchronization

/// Sends requests over HTTP from any thread, which waits for their ends: for the few of a command,
/// not for load. It has a loop of its own.
///
/// `@unchecked Sendable`: the client is touched on the loop's thread only; the rest guards itself.
package final class HTTPCaller: HTTPClientOwner, @unchecked Sendable {
  private let loop: EventLoop
  private var client: HTTPClient?
  private let calls = Mutex(Calls())

  private struct Calls: Sendable {
    var next: UInt64 = 0
    var open: [UInt64: @Sendable (HTTPExchange) -> Void] = [:]
  }

  /// Makes a caller, and starts its loop.
  package init(_ settings: HTTPSettings) {
    loop = EventLoop(name: "flotilla.http")
    loop.start()
    loop.sync { [self] in client = HTTPClient(on: loop, settings, owner: self) }
  }

  /// Sends requests at once and waits for the end of each.
  ///
  /// - Parameter phones: whose request each is; shorter than `requests`, the rest are phone 0's.
  /// - Returns: the ends, in the order of the requests.
  package func call(_ requests: [HTTPRequest], of phones: [UInt32] = []) -> [HTTPExchange] {
    let ends = Ends(requests.count)
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

  /// Sends one request and waits for its end.
  package func call(_ request: HTTPRequest, of phone: UInt32 = 0) -> HTTPExchange {
    call([request], of: [phone])[0]
  }

  /// Returns what was done so far.
  package var counters: Sheet {
    loop.sync { [self] in client?.counters ?? Sheet() }
  }

  /// Receives the end of a call; on the loop's thread.
  package func ended(_ exchange: UInt64, _ end: HTTPExchange) {
    let waiter = calls.withLock { $0.open.removeValue(forKey: exchange) }
    waiter?(end)
  }

  /// Closes every connection and ends the loop; calls that wait end as given up.
  package func close() {
    loop.sync { [self] in
      client?.close()
      client = nil
    }
    loop.stopAndWait()
  }

  /// The ends of several calls, for which one thread waits.
  private final class Ends: Sendable {
    private let ends: Mutex<[HTTPExchange?]>
    private let left = DispatchSemaphore(value: 0)
    private let count: Int

    init(_ count: Int) {
      self.count = count
      ends = Mutex(Array(repeating: nil, count: count))
    }

    func set(_ end: HTTPExchange, at place: Int) {
      ends.withLock { $0[place] = end }
      left.signal()
    }

    func wait() -> [HTTPExchange] {
      for _ in 0..<count { left.wait() }
      return ends.withLock { $0.compactMap(\.self) }
    }
  }
}
