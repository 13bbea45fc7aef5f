internal import Foundation
package import Testing

/// A live test runs on threads of its own.
///
/// Swift has as many threads as the machine has processors. On two processors, two tests that wait
/// without `await` stop all other tests until they end: a program that another test has started
/// runs on meanwhile, and may have ended when the test would look at it.
package struct Live: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(Threads.shared) { try await body() }
  }

  /// One thread a job: jobs are few, and any may wait.
  private final class Threads: TaskExecutor {
    static let shared = Threads()

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
}

extension Trait where Self == Live {
  /// The test may wait without `await`.
  package static var live: Self { Live() }
}
