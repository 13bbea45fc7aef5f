internal import Capacity
internal import Measure

/// How sure each headline is: what chance leaves open, since so many phones were lived and not
/// more, and what the model's parameters leave open, since they are known within ranges.
///
/// Both come from a sensitivity study, if one was given. A run alone has the first for its pushes.
struct Sureness {
  private let record: RunRecord
  private let facts: Facts
  private let study: SensitivityRecord?
  private let other: OtherFacts?

  init(_ record: RunRecord, _ facts: Facts, _ study: SensitivityRecord?) {
    self.record = record
    self.facts = facts
    self.study = study
    other = study.map { OtherFacts(facts: Facts($0), file: "sensitivity.json") }
  }

  /// Empty where the run has no headline.
  var sentences: [HTML?] {
    guard record.freshness.reachable.share != nil || record.wake.answered != nil else { return [] }
    guard let study, let other else { return [sampled, notAsked] }
    return [head(other)] + study.figures.indices.map { sentence(study, $0, other) } + [meaning]
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
    let form: Facts.Form = figure.name.isShare ? .percent : .quantity
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
    return """
      \(SensitivityWords.name(figure.name)) \(value)\(unit), sampled \(sampled), model \(model);
      """
  }

  private var meaning: HTML {
    """
    sampled: in nineteen of twenty fleets of that size; model: in nine of ten draws of all \
    parameters from their ranges.
    """
  }
}
