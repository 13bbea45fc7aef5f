internal import Dispatch
internal import Foundation
package import Testing

/// A unit test takes ten seconds at most: of wall-clock time, or of processor time on a busy
/// machine.
///
/// If the machine is busy on purpose (`FLOTILLA_STRESS`), a sanitizer checks each access
/// (`FLOTILLA_SANITIZE`) or tests are large (`FLOTILLA_LARGE`), it may take a minute. A hanging
/// test
/// is named meanwhile: the runner cannot end it. `FLOTILLA_TIMES` names a file that gets a line of
/// each test with its seconds; the runner's own times include the wait for a turn.
package struct Quick: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  static let limit: Double = {
    let environment = ProcessInfo.processInfo.environment
    let isSlowed = ["FLOTILLA_STRESS", "FLOTILLA_SANITIZE", "FLOTILLA_LARGE"].contains {
      !(environment[$0] ?? "").isEmpty
    }
    if environment["FLOTILLA_FUZZ_SECONDS"] != nil { return 600 }
    return isSlowed ? 60 : 10
  }()

  private static let times: FileHandle? = {
    guard let path = ProcessInfo.processInfo.environment["FLOTILLA_TIMES"] else { return nil }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o644)
    return descriptor < 0 ? nil : FileHandle(fileDescriptor: descriptor)
  }()

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    let name = test.displayName ?? test.name
    let watch = DispatchSource.makeTimerSource(queue: .global())
    watch.schedule(deadline: .now() + .seconds(60), repeating: .seconds(60))
    watch.setEventHandler {
      FileHandle.standardError.write(Data("'\(name)' has not ended yet: does it hang?\n".utf8))
    }
    watch.resume()
    defer { watch.cancel() }
    let (start, work) = (ContinuousClock.now, clock())
    defer {
      let passed = (ContinuousClock.now - start) / .seconds(1)
      Self.times?.write(Data("\(passed)\t\(test.id)\t\(name)\n".utf8))
      let time = min(passed, Double(clock() - work) / Double(CLOCKS_PER_SEC))
      if time > Self.limit {
        Issue.record("a unit test takes \(Self.limit) s at most, not \(time)")
      }
    }
    try await body()
  }
}

extension Trait where Self == Quick {
  /// The test ends within ten seconds.
  package static var quick: Self { Quick() }
}
