internal import Dispatch
package import Figures
internal import Synchronization

/// Publishes over MQTT from any thread, which waits for the ends: for the few messages of a
/// command, not for load. It has a loop of its own.
///
/// `@unchecked Sendable`: the clients are touched on the loop's thread only; the rest guards
/// itself.
package final class MQTTCaller: MQTTClientsOwner, @unchecked Sendable {
  private let loop: EventLoop
  private let login: @Sendable (UInt32) -> MQTTLogin
  private var clients: MQTTClients?
  private let open = Mutex(Open())

  private let connecting = Mutex<(@Sendable (MQTTError?) -> Void)?>(nil)

  private struct Open: Sendable {
    var next: UInt64 = 0
    var waiters: [UInt64: @Sendable (MQTTExchange) -> Void] = [:]
  }

  /// Makes a caller, and starts its loop.
  ///
  /// - Parameter login: who a phone says that it is; called on the loop's thread.
  /// - Throws: an error where the CAs to trust cannot be read.
  package init(
    _ settings: MQTTSettings, login: @escaping @Sendable (UInt32) -> MQTTLogin
  ) throws(TLSSetupError) {
    loop = EventLoop(name: "flotilla.mqtt")
    self.login = login
    loop.start()
    let problem = loop.sync { [self] in
      do throws(TLSSetupError) {
        clients = try MQTTClients(on: loop, settings, owner: self)
        return TLSSetupError?.none
      } catch {
        return error
      }
    }
    guard let problem else { return }
    loop.stopAndWait()
    throw problem
  }

  /// Returns who a phone says that it is.
  package func login(of phone: UInt32) -> MQTTLogin { login(phone) }

  /// Publishes messages at once and waits for the end of each.
  ///
  /// - Parameter phones: whose client publishes each; shorter than `messages`, the rest are phone
  ///   0's.
  /// - Returns: the ends, in the order of the messages.
  package func publish(_ messages: [MQTTMessage], of phones: [UInt32] = []) -> [MQTTExchange] {
    let box = Box(Mutex([MQTTExchange?](repeating: nil, count: messages.count)))
    let left = DispatchSemaphore(value: 0)
    loop.post { [self] in
      for (place, message) in messages.enumerated() {
        let number = open.withLock { open in
          open.next += 1
          open.waiters[open.next] = { end in
            box.value.withLock { $0[place] = end }
            left.signal()
          }
          return open.next
        }
        clients?.publish(message, as: number, of: place < phones.count ? phones[place] : 0)
      }
    }
    for _ in messages { left.wait() }
    return box.value.withLock { $0.compactMap(\.self) }
  }

  /// Connects the client of phone 0, which has not published, and waits for it.
  ///
  /// - Returns: why the broker did not take it; nil: it did.
  package func connect() -> MQTTError? {
    let failure = Box(Mutex<MQTTError?>(nil))
    let done = DispatchSemaphore(value: 0)
    connecting.withLock {
      $0 = { why in
        failure.value.withLock { $0 = why }
        done.signal()
      }
    }
    loop.post { [self] in clients?.connect(0) }
    done.wait()
    return failure.value.withLock { $0 }
  }

  /// Receives how the client connected; on the loop's thread.
  package func connected(_ phone: UInt32, _ failure: MQTTError?) {
    let waiter = connecting.withLock { exchange(&$0, with: nil) }
    waiter?(failure)
  }

  /// Returns what was done so far.
  package var counters: Sheet {
    loop.sync { [self] in clients?.counters ?? Sheet() }
  }

  /// Receives the end of a publish; on the loop's thread.
  package func ended(_ exchange: UInt64, _ end: MQTTExchange) {
    let waiter = open.withLock { $0.waiters.removeValue(forKey: exchange) }
    waiter?(end)
  }

  /// Lets every client take its leave and ends the loop; publishes that wait end as given up.
  package func close() {
    loop.sync { [self] in
      clients?.close()
      clients = nil
    }
    loop.stopAndWait()
  }
}
