import Core
import Synchronization
import Transport
import Uploads
@testable import Run
@testable import RunSupport

/// Carries messages between threads of this process as a port does between processes.
final class MemoryPorts: Sendable {
  private struct Content {
    var boxes: [[(from: Int, bytes: [UInt8]?)]]
    var dead: Set<Int> = []
    var left: Set<Int> = []
  }
  let count: Int
  private let content: Mutex<Content>

  init(_ count: Int) {
    self.count = count
    content = Mutex(Content(boxes: Array(repeating: [], count: count)))
  }

  /// A dead process sends nothing, and receives nothing.
  func kill(_ rank: Int) { content.withLock { _ = $0.dead.insert(rank) } }

  /// The processes that have left normally.
  var left: Set<Int> { content.withLock { $0.left } }

  fileprivate func send(_ bytes: [UInt8], from: Int, to rank: Int) {
    content.withLock { content in
      guard content.dead.isDisjoint(with: [from, rank]) else { return }
      content.boxes[rank].append((from, bytes))
    }
  }

  fileprivate func receive(_ rank: Int) -> (from: Int, bytes: [UInt8]?)? {
    content.withLock { content in
      guard !content.boxes[rank].isEmpty, !content.dead.contains(rank) else { return nil }
      return content.boxes[rank].removeFirst()
    }
  }

  fileprivate func leave(_ rank: Int) { content.withLock { _ = $0.left.insert(rank) } }

  /// The link of a process.
  ///
  /// - Parameter ahead: how far its clock is ahead of this machine's.
  func link(_ rank: Int, ahead: WallDuration = .zero) -> RankLink {
    do throws(RankPortError) {
      return try RankLink(wall: { MonotonicClock.now + ahead }) { () throws(RankPortError) in
        MemoryPort(self, rank)
      }
    } catch { preconditionFailure("\(error)") }
  }

  /// Runs `body` for every process on a separate thread; each leaves at its end.
  func run<Result: Sendable>(
    _ body: @escaping @Sendable (RankLink) -> Result
  ) -> [(result: Result, isWhole: Bool)] {
    ThreadShares(count).run { other in
      let link = self.link(other.place.number)
      let result = body(link)
      return (result, link.leave())
    }
  }
}

private final class MemoryPort: RankPort {
  let rank: Int
  private let ports: MemoryPorts
  var size: Int { ports.count }

  init(_ ports: MemoryPorts, _ rank: Int) {
    self.ports = ports
    self.rank = rank
  }

  func send(_ bytes: [UInt8], to rank: Int) { ports.send(bytes, from: self.rank, to: rank) }
  func receive() -> (from: Int, bytes: [UInt8]?)? { ports.receive(rank) }
  func isSending() -> Bool { false }
  func leave() { ports.leave(rank) }
}
