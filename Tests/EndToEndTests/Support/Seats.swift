/// How many runs may share the machine: tests run side by side, and a run that gets no processor
/// measures that.
actor Seats {
  static let shared = Seats()
  static let all = 4

  private var free = Seats.all
  private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

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

  /// Holds one seat, or all of them, while `body` runs.
  static func hold<Value>(
    _ count: Int = 1, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Value
  ) async rethrows -> Value {
    await shared.take(count)
    do {
      let value = try await body()
      await shared.give(count)
      return value
    } catch {
      await shared.give(count)
      throw error
    }
  }
}
