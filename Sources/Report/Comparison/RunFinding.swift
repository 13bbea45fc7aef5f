internal import Capacity
internal import Core
internal import Figures

struct RunFinding: Equatable {
  /// The value of the figure; nil if missing or unreliable.
  var value: Double?
  var text: String
  var own: Ratio?

  static let nothing = RunFinding(value: nil, text: "—", own: nil)

  /// A value with an interval that spans repeated results.
  struct Value {
    var value: Double
    var own: Ratio?

    /// - Parameter found: The result of each search. A single result gives no interval.
    init?(_ value: Double?, _ found: [Double?] = []) {
      guard let value else { return nil }
      self.value = value
      let found = found.compactMap(\.self)
      guard let low = found.min(), let high = found.max(), low < high else { return }
      own = Ratio(value: value, low: min(value, low), high: max(value, high))
    }
  }

  init(value: Double?, text: String, own: Ratio? = nil) {
    self.value = value
    self.text = text
    self.own = own
  }

  init(_ figure: RunFigure, _ record: RunRecord, _ plan: PlanRecord?) {
    switch figure.source {
    case .response(let level):
      self.init(record.latency.response, level)
    case .ratio(let find):
      let ratio = find(record)
      self.init(figure.unit, ratio?.value, own: ratio)
    case .run(let find):
      self.init(figure.unit, plan == nil ? find(record) : nil)
    case .plan(let find):
      let found = plan.flatMap(find)
      self.init(figure.unit, found?.value, own: found?.own)
    }
  }

  private init(_ unit: FigureUnit, _ value: Double?, own: Ratio? = nil) {
    guard let value else {
      self = .nothing
      return
    }
    self.init(value: value, text: unit.text(value), own: own)
  }

  private init(_ figures: RunRecord.Metrics, _ level: RunRecord.Latency.Level) {
    let text = figures.text(level)
    if figures.generatorBound.contains(level.rawValue) {
      // A percentile that generator lag determines cannot be compared.
      self.init(value: nil, text: "late")
    } else {
      // Takes the deadline as the value of a percentile beyond a deadline.
      let value = figures[level] ?? figures.beyond[level.rawValue]
      self.init(value: value.map(Double.init), text: text)
    }
  }
}
