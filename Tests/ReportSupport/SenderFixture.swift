import Core
import Figures

extension RunFixture {
  /// A user's sender with every fault that a report can show.
  static func sender(_ record: RunRecord) -> SenderFigures {
    var sender = SenderFigures()
    sender.requests = 2_120
    sender.accepted = 1_900
    sender.withheld = 75
    sender.perSecond = 41.2
    sender.busiestSecond = 640
    sender.answers = [
      .init(status: 200, reason: nil, count: 1_900, perSecond: 37, busiestSecond: 600),
      .init(status: 400, reason: "BadPriority", count: 200, perSecond: 3.9, busiestSecond: 40),
      .init(status: 410, reason: "Unregistered", count: 20, perSecond: 0.4, busiestSecond: 2),
    ]
    sender.kinds = [
      .init(type: "background", priority: 5, contentAvailable: true, count: 1_890),
      .init(type: "alert", priority: 10, contentAvailable: false, count: 10),
    ]
    var times = Histogram()
    for time in 20..<1_020 as Range<Int64> { times.record(time) }
    sender.answerTime = RunRecord.Metrics(times)
    sender.connections = 3
    sender.signaturesChecked = false
    sender.faults = [
      .init(
        fault: "urgentBackground", name: "background pushes with priority 10", count: 200,
        example: "phone 17, token 3f5a9c017b2e…", at: "2026-11-23T08:05:00Z",
        advice: "Send background pushes with priority 5 or 1; 10 is refused as BadPriority."),
      .init(
        fault: "forceQuitApp", name: "pushes to apps that were force-quit", count: 140,
        example: "phone 4711", at: "2026-03-02T08:07:13",
        advice: "A background push does not start an app that its owner force-quit."),
    ]
    sender.pushesPerCaused = 3.4
    sender.schedulers = ["your sender", "none", "fixed", "adaptive"].map {
      SenderFigures.Scheduler(name: $0, of: record)
    }
    return sender
  }
}
