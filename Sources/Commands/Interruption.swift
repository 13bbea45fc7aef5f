internal import Foundation
internal import Synchronization
internal import Transport
internal import Uploads

/// Ctrl-C and SIGTERM: the first requests a graceful end, the second ends at once. `@unchecked
/// Sendable`: `sources` is written in `init` only; `count` is synchronized.
package final class Interruption: @unchecked Sendable {
  private let announce: @Sendable (_ why: String) -> Void
  private let leave: @Sendable () -> Void
  private let count = Mutex(0)
  private var sources: [any DispatchSourceSignal] = []

  package convenience init(drainingOn console: Console) {
    self.init(
      announce: { _ in
        console.printError(
          "Stopping: draining what is in flight, then reporting. Again to quit now.")
      },
      leave: {
        ChildCollector.continueAll()
        console.leave(.interrupted)
      })
  }

  /// Both closures are called on a Dispatch queue, whatever the program's threads do.
  package init(
    _ signals: [(Int32, String)] = [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM")],
    announce: @escaping @Sendable (_ why: String) -> Void, leave: @escaping @Sendable () -> Void
  ) {
    self.announce = announce
    self.leave = leave
    for (number, name) in signals {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(
        signal: number, queue: .global(qos: .userInitiated))
      source.setEventHandler { self.received(name) }
      // Between being ignored and being watched a signal would be lost.
      let isWatched = DispatchSemaphore(value: 0)
      source.setRegistrationHandler { isWatched.signal() }
      source.resume()
      isWatched.wait()
      sources.append(source)
    }
  }

  package var isRequested: Bool { count.withLock { $0 > 0 } }

  /// The same as the first Ctrl-C; never ends the run at once.
  package func request() {
    let isFirst = count.withLock { count in
      defer { count = max(count, 1) }
      return count == 0
    }
    guard isFirst else { return }
    announce("q")
    Waiter.shared.wake()
  }

  private func received(_ name: String) {
    let times = count.withLock { count in
      count += 1
      return count
    }
    guard times == 1 else { return leave() }
    announce(name)
    Waiter.shared.wake()
  }
}
