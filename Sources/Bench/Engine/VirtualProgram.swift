internal import Figures
internal import Foundation

/// `flotilla simulate` as a process of its own, whose memory is its fleet's alone.
struct VirtualProgram {
  /// What a fleet took, warm start and all, and its live part alone.
  struct Life {
    var phoneDays: Double
    /// Of the wall, live.
    var seconds: Double
    /// Of the wall, in the warm start.
    var warmSeconds: Double
    /// Of all threads, and the hours that phones lived in them.
    var cpuSeconds: Double
    var phoneHours: Double
    var peakBytes: Double
  }

  private let plan: VirtualBench.Plan

  init(_ plan: VirtualBench.Plan) { self.plan = plan }

  /// nil: it was interrupted.
  func run(phones: Int) throws(ProgramError) -> Life? {
    let folder = plan.folder.appendingPathComponent("virtual-\(phones)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let record = try RunProgram(executable: plan.executable, folder: folder).run(
      "simulate",
      [
        plan.scenario, "--phones", "\(phones)", "--duration", "\(plan.hours)h",
        "--threads", "\(plan.threads)",
      ] + (plan.warmHours.map { ["--set", "warmStart=\($0)h"] } ?? []))
    guard let record else { return nil }
    return life(record, phones: phones)
  }

  private func life(_ record: RunRecord, phones: Int) -> Life {
    let used = record.machine.processes["simulation"]
    let hours = Double(plan.hours)
    return Life(
      phoneDays: Double(phones) * hours / 24,
      // The warm start is lived too, and its seconds are in the wall time.
      seconds: record.timing.wallSeconds - record.timing.warmStartWallSeconds,
      warmSeconds: record.timing.warmStartWallSeconds,
      cpuSeconds: used?.cpuSeconds ?? 0,
      phoneHours: Double(phones) * (hours + Double(plan.warmHours ?? 0)),
      peakBytes: Double(used?.peakResidentBytes ?? 0))
  }
}
