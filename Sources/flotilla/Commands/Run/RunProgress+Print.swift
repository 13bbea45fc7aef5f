internal import Commands
internal import Core
internal import Figures
internal import Run

extension ProgressPrinter {
  func show(_ progress: RunProgress) {
    switch progress {
    case .virtual(let snapshot): virtual(snapshot)
    case .live(let interval): line(PlainLine.text(interval))
    case .phones: break
    case .note(let text): line(text)
    }
  }

  private func virtual(_ snapshot: Snapshot) {
    guard let virtual = snapshot.virtual else { return }
    let share = snapshot.progress.share ?? 0
    let left = snapshot.progress.leftSeconds ?? 0
    let events = snapshot.progress.phase == "prime" ? "batches" : "events"
    show(
      "\(snapshot.progress.phase)  \(Figure.percent(share))  "
        + "\(Figure.grouped(virtual.events)) \(events)  "
        + "\(Figure.grouped(Int(virtual.eventsPerSecond))) \(events)/s  "
        + "\(Figure.plain(left.rounded())) s left", share: share)
  }
}
