internal import Capacity
internal import Figures

extension SensitivityRecord {
  mutating func measure(
    _ wanted: [StudyFigure], _ jobs: [SensitivityStudy.Job],
    _ results: [Int: SensitivityStudy.Result]
  ) {
    count(jobs, results)
    var at: [Place: SensitivityStudy.Result] = [:]
    for (number, job) in jobs.enumerated() {
      guard let result = results[number] else { continue }
      switch job {
      case .asWritten, .point, .step: break
      case .base(let star): at[Place(star: star, isOtherSeed: false)] = result
      case .otherSeed(let star): at[Place(star: star, isOtherSeed: true)] = result
      }
    }
    figures = wanted.enumerated().map { place, name in
      var figure = Figure(name)
      let own = results[0]
      figure.value = own?.values[place]
      figure.sampled = own?.sampled[place]
      var effects = [ElementaryEffects](repeating: ElementaryEffects(), count: parameters.count)
      for (number, job) in jobs.enumerated() {
        switch job {
        case .asWritten, .base, .otherSeed: break
        case .point: figure.points.append(results[number]?.values[place])
        case .step(let star, let parameter):
          guard let step = results[number], let to = step.places?[parameter],
            let base = at[Place(star: star, isOtherSeed: false)],
            let from = base.places?[parameter],
            let moved = step.values[place], let before = base.values[place]
          else { continue }
          effects[parameter].add(from: from, to: to, base: before, moved: moved)
        }
      }
      figure.model = Model(of: figure.points.compactMap { $0 })
      figure.otherSeed = Self.otherSeed(at, stars: runs.stars, place)
      figure.effects = effects.enumerated().compactMap { Effect(parameter: $0, $1) }
        .sorted { ($1.meanAbsolute, $0.parameter) < ($0.meanAbsolute, $1.parameter) }
      return figure
    }
  }

  private struct Place: Hashable {
    var star: Int
    var isOtherSeed: Bool
  }

  private static func otherSeed(
    _ at: [Place: SensitivityStudy.Result], stars: Int, _ place: Int
  ) -> Double? {
    let differences = (0..<stars).compactMap { star -> Double? in
      guard let base = at[Place(star: star, isOtherSeed: false)]?.values[place],
        let other = at[Place(star: star, isOtherSeed: true)]?.values[place]
      else { return nil }
      return abs(other - base)
    }
    return differences.isEmpty ? nil : differences.reduce(0, +) / Double(differences.count)
  }

  private mutating func count(
    _ jobs: [SensitivityStudy.Job], _ results: [Int: SensitivityStudy.Result]
  ) {
    runs.planned = jobs.count
    runs.done = results.count
    for (number, job) in jobs.enumerated() {
      guard let result = results[number] else { continue }
      runs.losses += result.isLoss ? 1 : 0
      let isMoved = !result.moved.isEmpty
      switch job {
      case .asWritten, .otherSeed: continue
      case .point:
        runs.pointsDone += 1
        refused.points += isMoved ? 1 : 0
      case .base: refused.bases += isMoved ? 1 : 0
      case .step:
        refused.blocked += result.places == nil ? 1 : 0
        refused.steps += isMoved ? 1 : 0
        continue
      }
      for parameter in result.moved {
        refused.moved[parameters[parameter].path, default: 0] += 1
      }
    }
  }
}
