internal import Phone
internal import Synchronization
internal import Transport
internal import Wire

/// What phones make of the outcomes of their uploads.
///
/// A refusal has no check that could tell it from another status with a damaged byte, so the first
/// one costs a batch no more than an attempt; the phone drops it when it is said again.
final class UploadClassifier: Sendable {
  /// Batches that were refused once, by phone: the number. One entry a phone at most.
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

  /// A status that no repetition can change is a refusal.
  static func result(_ outcome: UploadOutcome) -> UploadResult {
    switch outcome {
    case .acknowledged: .acknowledged
    case .timedOut: .failed
    case .failed(let status):
      switch status {
      // Only this one is said of a batch that came in whole; whatever else a status blames may be
      // mended, and the phone keeps its batch.
      case .invalidArgument: .refused
      case .ok, .cancelled, .unknown, .deadlineExceeded, .notFound, .resourceExhausted,
        .failedPrecondition, .aborted, .internal, .unavailable, .dataLoss, .unauthenticated,
        .outOfRange, .unimplemented, .permissionDenied, .alreadyExists:
        .failed
      }
    }
  }
}
