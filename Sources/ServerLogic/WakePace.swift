internal import Core
internal import Foundation

/// The silence before a push and the spacing after a push, by the phone's answers so far. A phone's
/// share of answered pushes is an exponentially weighted mean in units of 1/255. A push multiplies
/// the share by 1 − weight, and an answer adds 255 times the weight.
struct WakePace: Sendable {
  /// The assumed share of answered pushes before a phone's first push.
  let prior: UInt8
  let leastSilence: SimDuration
  private let silence: [SimDuration]
  private let spacing: [SimDuration]
  private let growth: [Double]
  private let longest: SimDuration
  private let weight: Int

  init(_ push: PushTerms) {
    let adaptive = push.adaptive
    let shares = (0..<256).map { Double($0) / 255 }
    weight = Int((adaptive.weight * 256).rounded())
    prior = UInt8((adaptive.prior * 255).rounded())
    longest = max(push.spacing, push.backoff.longest)
    growth = (0..<256).map { unanswered in
      guard push.backoff.after > 0, unanswered >= push.backoff.after else { return 1 }
      return pow(push.backoff.factor, Double(unanswered - push.backoff.after + 1))
    }
    switch push.scheduler {
    case .fixed, .none:
      silence = [SimDuration](repeating: push.silentAfter, count: 256)
      spacing = [SimDuration](repeating: push.spacing, count: 256)
    case .adaptive:
      let soon = adaptive.silentAfter.seconds
      let late = push.silentAfter.seconds
      silence = shares.map { SimDuration(seconds: late + (soon - late) * $0) }
      spacing = shares.map { share in
        let stretched = adaptive.spacing.seconds / pow(max(share, 1.0 / 256), adaptive.caution)
        let most = adaptive.longest.seconds
        return max(push.spacing, SimDuration(seconds: min(stretched, most)))
      }
    }
    leastSilence = min(silence[0], silence[255])
  }

  func silence(_ row: LastSeen) -> SimDuration { silence[Int(row.answerShare)] }

  func spacing(_ row: LastSeen) -> SimDuration {
    let own = spacing[Int(row.answerShare)]
    let factor = growth[Int(row.unanswered)]
    guard factor > 1 else { return own }
    let grown = min(own.seconds * factor, longest.seconds)
    return max(own, SimDuration(seconds: grown))
  }

  // MARK: Learning

  func notePush(_ row: inout LastSeen) {
    row.unanswered = row.unanswered == .max ? .max : row.unanswered + 1
    row.answerShare = UInt8(Int(row.answerShare) - Int(row.answerShare) * weight / 256)
  }

  func noteAnswer(_ row: inout LastSeen) {
    row.answerShare = UInt8(min(255, Int(row.answerShare) + weight * 255 / 256))
  }

  /// Undoes `notePush`, since the push was never sent and says nothing about the phone.
  func takeBackPush(_ row: inout LastSeen) {
    row.unanswered = row.unanswered == 0 ? 0 : row.unanswered - 1
    guard weight < 256 else { return }
    row.answerShare = UInt8(min(255, Int(row.answerShare) * 256 / (256 - weight)))
  }
}
