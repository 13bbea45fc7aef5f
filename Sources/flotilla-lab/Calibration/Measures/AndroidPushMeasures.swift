internal import Core

/// The claims of `scenarios/claims/android.yaml` about pushes.
enum AndroidPushMeasures {
  private static let high = "request.androidPriority=high"

  static var all: [ClaimMeasure] {
    // Some hours after the last use, in deep Doze.
    func dozing(_ policy: String, _ base: String) -> FleetPlan {
      AndroidMeasures.night(policy, AndroidMeasures.phone(base, "lowered: 0%")).with {
        $0.phones = 40
        $0.start = "2026-03-04T02:00"
        $0.warmStart = "6h"
        $0.duration = "3h"
        $0.push = PushMeasures.every("10min", within: "10min", [high])
      }
    }
    func lost(_ maker: String) -> ClaimPart {
      .phones(notified(maker)) { phone in
        let arrived = phone.arrived(within: .hours(24))
        return PhoneFigures(part: arrived.whole - arrived.part, whole: arrived.whole)
      }
    }
    let makers = ["android14", "android14-samsung", "android14-xiaomi"].map(lost)
    let share = ClaimStatistic.share
    return [
      ClaimMeasure(
        "P-android-doze-latency",
        .phones(dozing(PushMeasures.quiet, "android14")) { $0.wakeSeconds }, .median),
      ClaimMeasure(
        "P-android-handler-late",
        .phones(dozing(PushMeasures.quietInJob, "android10")) { $0.woken(within: 60) }, .share),
      ClaimMeasure(
        "P-android-arrival-95",
        .phones(notified("android14")) { $0.arrived(within: .hours(24)) }, .share),
      ClaimMeasure(
        "P-android-unconnected", .phones(notified("android14")) { $0.unconnected }, .share),
      ClaimMeasure(
        "P-android-asia",
        [
          ClaimCase("", makers) { parts in
            let shares = parts.compactMap { share.value(of: $0) }
            guard shares.count == india.count else { return nil }
            return zip(shares, india).reduce(0) { $0 + $1.0 * $1.1 }
          }
        ]),
      // What the same owners lose on phones whose maker adds nothing has other causes.
      ClaimMeasure(
        "P-android-battery-81",
        [
          ClaimCase("", [makers[0], makers[2]]) { parts in
            Sample.ratio(share.value(of: parts[0]), share.value(of: parts[1])).map { 1 - $0 }
          }
        ]),
    ]
  }

  /// The shares of India's Android phones, 2025: Motorola and others, Samsung, Xiaomi with vivo,
  /// Oppo and realme.
  private static let india = [0.18, 0.17, 0.65]

  /// Returns phones of the default mix that get a notification of high priority each day.
  private static func notified(_ maker: String) -> FleetPlan {
    AndroidMeasures.fleet(
      PushMeasures.quiet, "{ base: \(maker), android: { withoutPlay: 0% } }", in: .city
    ).with {
      $0.phones = 30
      $0.isHealthy = false
      $0.phone = []
      $0.duration = "72h"
      $0.push = PushMeasures.every(
        "24h", within: "24h", ["request.type=alert", high, "expiration=24h"])
    }
  }
}
