internal import Figures
internal import Foundation

/// `flotilla simulate` as a process, to measure the memory of its fleet.
struct VirtualProgram {
  /// The cost of a simulated fleet, with and without the warm start.
  struct Life {
    var phoneDays: Double
    /// The wall-clock time after the warm start.
    var seconds: Double
    /// The wall-clock time of the warm start.
    var warmSeconds: Double
    /// The CPU time of all threads, for `phoneHours` of simulation.
    var cpuSeconds: Double
    var phoneHours: Double
    var peakBytes: Double
  }

  private let plan: VirtualBench.Plan

  init(_ plan: VirtualBench.Plan) { self.plan = plan }

  /// Returns nil if the user interrupted the run.
  func run(phones: Int) throws(ProgramError) -> Life? {
    let folder = plan.folder.appendingPathComponent("virtual-\(phones)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let record = try RunProgram(executable: plan.executable, folder: folder).run(
      "simulate",
      [
        plan.scenario, "--phones", "\(phones)", "--duration", "\(plan.hours)h",
        "--set", "run.threads=\(plan.threads)",
      ] + (plan.warmHours.map { ["--set", "warmStart=\($0)h"] } ?? []))
    guard let record else { return nil }
    return life(record, phones: phones)
  }

  private func life(_ record: RunRecord, phones: Int) -> Life {
    let used = record.machine.processes["simulation"]
    let hours = Double(plan.hours)
    return Life(
      phoneDays: Double(phones) * hours / 24,
      // Subtracts the warm start, which the total wall-clock time includes.
      seconds: record.timing.wallSeconds - record.timing.warmStartWallSeconds,
      warmSeconds: record.timing.warmStartWallSeconds,
      cpuSeconds: used?.cpuSeconds ?? 0,
      phoneHours: Double(phones) * (hours + Double(plan.warmHours ?? 0)),
      peakBytes: Double(used?.peakResidentBytes ?? 0))
  }
}
