internal import Capacity
internal import Core

struct GivenCurve {
  let record: CapacityRecord

  /// - Parameter cores: the number of cores of the instance.
  init(_ points: [LawFit.Point], cores: Int) {
    let none = Ratio(value: 0, low: 0, high: 0)
    do throws(LawFit.FitError) {
      let fit = try LawFit(points, seed: 1)
      let load = Double(cores)
      let (value, note): (Double, String) =
        switch fit.throughput(at: load) {
        case .measured(let value): (value, "")
        case .extrapolated(let value, let factor):
          (value, "; extrapolated to \(Figure.quantity(factor)) times its largest load")
        case .refused(let factor):
          (
            0,
            """
            ; \(cores) cores are \(Figure.quantity(factor)) times the largest measured load, too \
            far to extrapolate
            """
          )
        }
      let off = 1.96 * fit.residual
      var record = CapacityRecord(
        source: .curve,
        perCore: value > 0
          ? Ratio(
            value: value / load, low: max(value * 0.1, value - off) / load,
            high: (value + off) / load) : none)
      record.law = LawRecord(fit, loads: "cores")
      record.lawNote = "fitted to the given curve\(note)"
      self.record = record
    } catch {
      // With too few rows for a law, the measurement at this number of cores is used.
      let same = points.filter { $0.load == Double(cores) }.map { $0.throughput / $0.load }
      var record = CapacityRecord(
        source: .curve,
        perCore: same.isEmpty
          ? none
          : Ratio(
            value: same.median(.upperInverse) ?? 0, low: same.min() ?? 0, high: same.max() ?? 0))
      record.lawNote =
        error.description
        + (same.isEmpty ? "; no row has \(cores) cores" : "; measured value used")
      self.record = record
    }
  }
}
