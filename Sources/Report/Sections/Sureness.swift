internal import Capacity
internal import Core
internal import Figures

/// The certainty of each headline: sampling error and parameter ranges, from a sensitivity study or
/// for pushes from the run, and the predictions that held, from `flotilla-lab calibrate`.
struct Sureness {
  @Boxed private var record: RunRecord
  private let facts: Facts
  private let study: SensitivityRecord?
  private let other: OtherFacts?
  private let evidence: OtherFacts?

  init(
    _ record: RunRecord, _ facts: Facts, _ study: SensitivityRecord?,
    _ evidence: PredictionEvidence?
  ) {
    self.record = record
    self.facts = facts
    self.study = study
    other = study.map { OtherFacts(facts: Facts($0), file: "sensitivity.json") }
    self.evidence = evidence.map { OtherFacts(facts: Facts($0), file: "claims/history.csv") }
  }

  /// Empty if the run has no headline.
  var sentences: [HTML?] {
    guard record.freshness.reachable.share != nil || record.wake.answered != nil else { return [] }
    guard let study, let other else { return [sampled] + held + [notAsked] }
    return [head(other)] + study.figures.indices.map { sentence(study, $0, other) } + [meaning]
  }

  // MARK: Evidence

  private static func areas(_ figure: StudyFigure) -> [String] {
    switch figure {
    case .freshness: ["background", "latency"]
    case .answered: ["push"]
    case .battery: ["energy"]
    case .batches: ["movement", "background"]
    case _: []
    }
  }

  /// "push 3 of 14"; nil without a kept calibration.
  private func evidence(_ figure: StudyFigure) -> HTML? {
    guard let evidence else { return nil }
    let parts: [HTML] = Self.areas(figure).compactMap { area in
      guard let held = evidence.cite("areas.\(area).held", .count),
        let made = evidence.cite("areas.\(area).made", .count)
      else { return nil }
      return "\(HTML.text(area)) \(held) of \(made)"
    }
    return parts.isEmpty ? nil : parts.listed
  }

  private var held: [HTML?] {
    let headlines: [(StudyFigure, Bool)] = [
      (.freshness, record.freshness.reachable.share != nil),
      (.answered, record.wake.answered != nil),
      (.battery, record.energy.perPhoneDay != nil),
    ]
    let parts: [HTML] = headlines.compactMap { figure, isThere in
      guard isThere, let said = evidence(figure) else { return nil }
      return "\(figure.title): \(said)"
    }
    guard !parts.isEmpty else { return [] }
    return ["Evidence, predictions held of those made before any was run: \(parts.joined("; "))."]
  }

  // MARK: Of the run alone

  private var sampled: HTML? {
    guard let low = facts.cite("wake.answered.low", .percent),
      let high = facts.cite("wake.answered.high", .percent)
    else { return nil }
    return "Answered pushes: sampled \(low) to \(high), since so many were sent and not more."
  }

  private var notAsked: HTML {
    let name = facts.cite("scenario.name", .text) ?? "SCENARIO"
    return "What the model leaves open was not asked: flotilla sensitivity \(name)."
  }

  // MARK: With a study

  private func head(_ other: OtherFacts) -> HTML? {
    guard let phones = other.cite("scenario.phones", .count),
      let length = other.cite("scenario.durationSeconds", .minutes)
    else { return nil }
    return "By a sensitivity study of \(phones) phones for \(length):"
  }

  private func sentence(
    _ study: SensitivityRecord, _ place: Int, _ other: OtherFacts
  ) -> HTML? {
    let figure = study.figures[place]
    let form: Facts.Form = figure.name.unit == .share ? .percent : .quantity
    guard let value = other.cite("figures.\(place).value", form) else { return nil }
    let unit: HTML = figure.name == .battery ? " %" : ""
    func range(_ low: HTML?, _ high: HTML?) -> HTML {
      guard let low, let high else { return "not known" }
      return "\(low) to \(high)\(unit)"
    }
    let sampled = range(
      other.cite("figures.\(place).sampled.low", form),
      other.cite("figures.\(place).sampled.high", form))
    let model = range(
      other.cite("figures.\(place).model.low", form),
      other.cite("figures.\(place).model.high", form))
    let few = tooFew(study, place, other).map { " (\($0))" as HTML } ?? ""
    let held = evidence(figure.name).map { ", evidence \($0)" as HTML } ?? ""
    return """
      \(figure.name.title) \(value)\(unit), sampled \(sampled), \
      model \(model)\(few)\(held);
      """
  }

  /// nil if the model's interval has enough points.
  private func tooFew(
    _ study: SensitivityRecord, _ place: Int, _ other: OtherFacts
  ) -> HTML? {
    let enough = SensitivityRecord.Model.pointsWanted
    let key =
      study.figures[place].model == nil ? "runs.pointsDone" : "figures.\(place).model.points"
    let points = study.figures[place].model?.points ?? study.runs.pointsDone
    guard points < enough, let count = other.cite(key, .count) else { return nil }
    return points == 1 ? "\(count) point is too few" : "\(count) points are too few"
  }

  private var meaning: HTML {
    let held: HTML =
      evidence == nil ? "" : "; evidence: predictions held of those made before any was run"
    return """
      sampled: in nineteen of twenty fleets of that size; model: in nine of ten draws of all \
      parameters from their ranges\(held).
      """
  }
}
