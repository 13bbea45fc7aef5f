internal import Phone
internal import Synchronization
internal import Transport
internal import Wire

/// Classifies the outcomes of uploads as phones do. A refusal may be another status with a damaged
/// byte, so the phone drops a batch only when the refusal is repeated.
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

  /// A status that a retry cannot change is a refusal.
  static func result(_ outcome: UploadOutcome) -> UploadResult {
    switch outcome {
    case .acknowledged: .acknowledged
    case .timedOut: .failed
    case .failed(let status):
      switch status {
      // Only this status is sent for a batch that arrived complete; the cause of any other may be
      // temporary, so the phone keeps its batch.
      case .invalidArgument: .refused
      case .ok, .cancelled, .unknown, .deadlineExceeded, .notFound, .resourceExhausted,
        .failedPrecondition, .aborted, .internal, .unavailable, .dataLoss, .unauthenticated,
        .outOfRange, .unimplemented, .permissionDenied, .alreadyExists:
        .failed
      }
    }
  }
}
