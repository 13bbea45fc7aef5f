/// How many programs may share the machine: tests run side by side, and a run that gets no
/// processor measures that.
package actor Seats {
  /// For runs that are measured.
  package static let shared = Seats(Seats.all)
  package static let all = 4
  /// For programs that are waited for and measure nothing, but would keep both processors from
  /// those that do: all tests begin at once.
  private static let aside = Seats(allAside)
  private static let allAside = 2
  /// Whether the test that asks holds a seat of either kind.
  @TaskLocal private static var isSeated = false

  private var free: Int
  private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  private init(_ count: Int) { free = count }

  /// In the order of asking, so that a test that wants all seats gets its turn.
  private func take(_ count: Int) async {
    if waiting.isEmpty, free >= count {
      free -= count
      return
    }
    await withCheckedContinuation { waiting.append((count, $0)) }
  }

  private func give(_ count: Int) {
    free += count
    while let next = waiting.first, free >= next.count {
      free -= next.count
      waiting.removeFirst().continuation.resume()
    }
  }

  private func hold<Value>(
    _ count: Int, isolation: isolated (any Actor)?, _ body: () async throws -> Value
  ) async rethrows -> Value {
    await take(count)
    do {
      let value = try await Self.$isSeated.withValue(true, operation: body, isolation: isolation)
      await give(count)
      return value
    } catch {
      await give(count)
      throw error
    }
  }

  /// Holds one seat while `body` runs, or all of them: then no other program runs.
  package static func hold<Value>(
    _ count: Int = 1, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Value
  ) async rethrows -> Value {
    guard count == all else { return try await shared.hold(count, isolation: isolation, body) }
    return try await shared.hold(count, isolation: isolation) {
      try await aside.hold(allAside, isolation: isolation, body)
    }
  }

  /// Runs what measures nothing in its turn; what is part of a test that has a seat needs none.
  ///
  /// - Parameter body: is told whether it should leave the processors to those that measure.
  package static func inTurn<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (_ givesWay: Bool) async throws -> Value
  ) async rethrows -> Value {
    guard !isSeated else { return try await body(false) }
    return try await aside.hold(1, isolation: isolation) { try await body(true) }
  }
}
