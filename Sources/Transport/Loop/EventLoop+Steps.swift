internal import CUV
package import Core

/// Manual stepping, turn by turn, for a loop on a manual clock.
extension EventLoop {
  /// Runs turns on the caller's thread until nothing more is ready at the current instant.
  package func runReady() {
    assertOnLoop()
    alarm?.ringIfDue()
    repeat { uv_run(loop, UV_RUN_NOWAIT) } while isReady
  }

  /// Advances the manual clock by `duration`, and runs everything that comes due, in order.
  package func advance(by duration: WallDuration) {
    guard case .manual(let clock) = clock else {
      preconditionFailure("only a manual clock can be advanced; this loop uses the system clock")
    }
    let end = clock.now + duration
    runReady()
    while let next = alarm?.next, next <= end {
      clock.advance(to: next)
      runReady()
    }
    clock.advance(to: end)
  }

  private var isReady: Bool { hasMail || hasTurnWork || uv_backend_timeout(loop) == 0 }
}
