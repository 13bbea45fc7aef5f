internal import Phone
internal import Synchronization
internal import Transport
internal import Wire

/// Classifies the outcomes of uploads as phones do. A damaged byte can turn another status into a
/// refusal, so the phone drops a batch only when the refusal is repeated.
final class UploadClassifier: Sendable {
  private let doubted = Mutex<[UInt32: UInt32]>([:])

  func result(_ completion: UploadCompletion) -> UploadResult {
    let result = Self.result(completion.outcome)
    guard result == .refused else { return result }
    let sequence = UploadName(rawValue: completion.id).sequence
    return doubted.withLock { doubted in
      if doubted[completion.phone] == sequence {
        doubted[completion.phone] = nil
        return .refused
      }
      doubted[completion.phone] = sequence
      return .failed
    }
  }

  /// Returns the result of an outcome; only a status that no retry can change is a refusal.
  static func result(_ outcome: UploadOutcome) -> UploadResult {
    switch outcome {
    case .acknowledged: .acknowledged
    case .timedOut: .failed
    case .failed(let status):
      switch status {
      // Only this status means that the complete batch arrived and is invalid. The cause of any
      // other status may be temporary, so the phone keeps the batch.
      case .invalidArgument: .refused
      case .ok, .cancelled, .unknown, .deadlineExceeded, .notFound, .resourceExhausted,
        .failedPrecondition, .aborted, .internal, .unavailable, .dataLoss, .unauthenticated,
        .outOfRange, .unimplemented, .permissionDenied, .alreadyExists:
        .failed
      }
    }
  }
}
