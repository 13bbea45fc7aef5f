internal import Foundation
internal import Synchronization
internal import Transport
internal import Uploads

/// Handles Ctrl-C and SIGTERM. The first signal requests a graceful end; the second ends the
/// program at once. The class is `@unchecked Sendable`, since only `init` writes `sources`.
package final class Interruption: @unchecked Sendable {
  private let announce: @Sendable (_ why: String) -> Void
  private let leave: @Sendable () -> Void
  private let count = Mutex(0)
  private var sources: [Any] = []

  package convenience init(drainingOn console: Console) {
    self.init(
      console,
      announce: { _ in
        console.printError(
          "Stopping; writing the report. Press Ctrl-C again to quit immediately.")
      },
      leave: {
        ChildCollector.continueAll()
        console.leave(.interrupted)
      })
  }

  /// Begins to watch. A Dispatch queue calls the closures, even if other threads are blocked.
  /// - Parameter leave: called for the second signal; nil ends the program as interrupted.
  package init(
    _ console: Console,
    _ signals: [(Int32, String)] = [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM")],
    announce: @escaping @Sendable (_ why: String) -> Void, leave: (@Sendable () -> Void)? = nil
  ) {
    self.announce = announce
    self.leave = leave ?? { console.leave(.interrupted) }
    for (number, name) in signals {
      sources.append(console.surroundings.onSignal(number) { self.received(name) })
    }
  }

  package var isRequested: Bool { count.withLock { $0 > 0 } }

  /// Requests a graceful end, like the first Ctrl-C.
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
