package import Foundation
internal import Measure
package import SimulationCore

/// A fleet lived in virtual time, by a process of its own, so that its memory is its alone.
///
/// Each round lives two fleets; a phone's bytes are what the larger one needs more.
package struct VirtualBench: Benchmark {
  package struct Plan: Sendable {
    package var executable: String
    package var scenario: String
    package var phones: Int
    package var threads: Int
    /// Runs go there, and are removed.
    package var folder: URL

    package init(executable: String, scenario: String, phones: Int, threads: Int, folder: URL) {
      self.executable = executable
      self.scenario = scenario
      self.phones = phones
      self.threads = threads
      self.folder = folder
    }
  }

  private struct Life {
    var phoneDays: Double
    var seconds: Double
    var peakBytes: Double
  }

  package let name = "virtual"
  private let plan: Plan
  /// A fleet a quarter as large is what the other one is compared with.
  private static let share = 4
  private static let hours = 24.0

  package init(_ plan: Plan) { self.plan = plan }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("scenario", .word(plan.scenario)), ("phones", .count(plan.phones)),
      ("threads", .count(plan.threads)),
    ]
  }

  /// A million phones for a day within 150 s and 900 MB, by the phone.
  package var bars: [BenchBar] {
    [
      BenchBar("phoneDaysPerSecond", .atLeast((1_000_000 / 150.0).rounded(.up))),
      BenchBar("bytesPerPhone", .atMost(900)),
    ]
  }

  package mutating func round(
    _ clock: () -> WallInstant
  ) throws(ProgramTrouble) -> [(figure: String, samples: [Double])] {
    guard let small = try life(of: plan.phones / Self.share),
      let large = try life(of: plan.phones)
    else { return [] }
    let more = Double(plan.phones - plan.phones / Self.share)
    return [
      ("phoneDaysPerSecond", [large.phoneDays / large.seconds]),
      ("bytesPerPhone", [(large.peakBytes - small.peakBytes) / more]),
      ("megabytes", [large.peakBytes / 1e6]),
    ]
  }

  /// nil: it was interrupted.
  private func life(of phones: Int) throws(ProgramTrouble) -> Life? {
    let folder = plan.folder.appendingPathComponent("virtual-\(phones)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: plan.executable)
    process.arguments = [
      "simulate", plan.scenario, "--phones", "\(phones)", "--duration", "\(Int(Self.hours))h",
      "--threads", "\(plan.threads)", "--quiet", "--ui", "none", "--out", folder.path,
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch {
      throw .cannotStart(program: plan.executable, why: FileTrouble.reason(error))
    }
    process.waitUntilExit()
    let record: RunRecord
    do throws(RunRecordError) {
      record = try RunRecord.read(from: folder.appendingPathComponent("run.json"))
    } catch {
      // A service level that was missed is no failure of the program.
      guard process.terminationStatus == 0 else {
        throw .failed(program: "flotilla simulate", status: process.terminationStatus)
      }
      throw .unreadable(error)
    }
    guard record.verdict != .interrupted else { return nil }
    return Self.life(record, phones: phones)
  }

  private static func life(_ record: RunRecord, phones: Int) -> Life {
    // The warm start is lived too, and its seconds are in the wall time.
    let warm = record.timing.warmStartWallSeconds
    return Life(
      phoneDays: Double(phones) * hours / 24, seconds: record.timing.wallSeconds - warm,
      peakBytes: Double(record.machine.processes["simulation"]?.peakResidentBytes ?? 0))
  }
}
