package import Core
package import Figures

/// The part of one system in the demand of a fleet with both systems.
package struct SystemDemand: Equatable, Sendable, Codable {
  package var system: SystemKind
  /// The phones of this system, of all phones of the demand.
  package var phones: Double
  package var batches: Double
  package var fixes: Double
  package var bytes: Double
  package var pushes: Double
  /// The batches a second in the system's own busiest hour.
  package var busiestHour: Double
  package var busiestMinute: Double
}

extension SystemDemand {
  /// Returns the parts of both systems, scaled as `demand` is; nil if the recorder has one system.
  package static func parts(
    _ recorder: DemandRecorder, _ figures: [SystemFigures], _ demand: DemandRecord
  ) -> [SystemDemand]? {
    let parts = SystemKind.allCases.compactMap { system -> SystemDemand? in
      guard let whole = figures.first(where: { $0.system == system && $0.profile == nil }),
        whole.phones > 0
      else { return nil }
      let streams = recorder.systems.indices.filter { recorder.systems[$0] == system }
      let minutes = demand.minutes.map { minute in streams.reduce(0) { $0 + minute.batches[$1] } }
      return SystemDemand(
        system: system, phones: Double(whole.phones) * demand.scale,
        batches: streams.reduce(0) { $0 + demand.batchesPerPolicy[$1] },
        fixes: streams.reduce(0) { $0 + Double(recorder.fixesPerPolicy[$1]) } * demand.scale,
        bytes: streams.reduce(0) { $0 + recorder.bytesPerPolicy[$1] } * demand.scale,
        pushes: Double(whole.pushes?.requested ?? 0) * demand.scale,
        busiestHour: busiest(minutes, of: 60), busiestMinute: minutes.max() ?? 0)
    }
    return parts.count > 1 ? parts : nil
  }

  fileprivate static func busiest(_ minutes: [Double], of length: Int) -> Double {
    stride(from: 0, to: minutes.count, by: length).map { first in
      let stretch = minutes[first..<min(first + length, minutes.count)]
      return stretch.reduce(0, +) / Double(stretch.count)
    }.max() ?? 0
  }
}

/// A figure of a fleet with both systems beside that of as many iPhones, each of which sends like
/// the mean iPhone of the fleet.
package struct IPhonesOnly: Equatable, Sendable {
  package var mixed: Double
  package var iPhones: Double

  /// The factor by which a plan for iPhones alone is too small; nil if they have nothing.
  package var ratio: Double? { iPhones > 0 ? mixed / iPhones : nil }
}

extension DemandRecord {
  /// Returns the sum of a figure over both systems beside that of iPhones alone; nil with one system.
  package func iPhonesOnly(_ figure: (SystemDemand) -> Double) -> IPhonesOnly? {
    guard let iPhones = systems?.first(where: { $0.system == .iOS }), let systems else {
      return nil
    }
    let all = systems.reduce(0) { $0 + $1.phones }
    return IPhonesOnly(
      mixed: systems.reduce(0) { $0 + figure($1) },
      iPhones: figure(iPhones) * all / iPhones.phones)
  }

  /// Returns the rate of all phones in their busiest minute or hour beside that of iPhones alone in
  /// theirs.
  ///
  /// - Parameter length: 1 for the minute, 60 for the hour.
  package func iPhonesOnly(busiest length: Int) -> IPhonesOnly? {
    iPhonesOnly { length == 1 ? $0.busiestMinute : $0.busiestHour }.map {
      IPhonesOnly(
        mixed: SystemDemand.busiest(minutes.map { $0.batches.reduce(0, +) }, of: length),
        iPhones: $0.iPhones)
    }
  }
}
