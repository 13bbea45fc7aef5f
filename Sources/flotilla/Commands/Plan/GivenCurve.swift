internal import Capacity
internal import Core

struct GivenCurve {
  let record: CapacityRecord

  /// - Parameter cores: of the instance in question.
  init(_ points: [LawFit.Point], cores: Int) {
    let none = Ratio(value: 0, low: 0, high: 0)
    do throws(LawFit.FitError) {
      let fit = try LawFit(points, seed: 1)
      let load = Double(cores)
      let (value, note): (Double, String) =
        switch fit.throughput(at: load) {
        case .measured(let value): (value, "")
        case .extrapolated(let value, let factor):
          (value, "; extrapolated \(Figure.quantity(factor)) times beyond it")
        case .refused(let factor):
          (
            0,
            """
            ; \(cores) cores are \(Figure.quantity(factor)) times more than were measured, which \
            it does not say
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
      record.lawNote = "fitted to the curve that was given\(note)"
      self.record = record
    } catch {
      // Too few for a law: the instance that was measured speaks for itself.
      let same = points.filter { $0.load == Double(cores) }.map { $0.throughput / $0.load }
      var record = CapacityRecord(
        source: .curve,
        perCore: same.isEmpty
          ? none
          : Ratio(
            value: same.median(.upperInverse) ?? 0, low: same.min() ?? 0, high: same.max() ?? 0))
      record.lawNote =
        error.description
        + (same.isEmpty ? "; and none of them is at \(cores) cores" : "; taken as it was measured")
      self.record = record
    }
  }
}
