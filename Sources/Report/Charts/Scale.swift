internal import Core
internal import Foundation

struct Scale: Equatable {
  struct Tick: Equatable {
    var value: Double
    var text: String
  }

  /// The form in which `charts.js` prints values between ticks.
  enum Form: String {
    case plain, share, nines, clock
    /// A time in microseconds.
    case time
    /// A time in seconds.
    case seconds
  }

  var low: Double
  var high: Double
  var isLogarithmic = false
  var ticks: [Tick]
  var form = Form.plain

  /// Returns whether a value is on the scale. A scale made of damaged numbers contains no value.
  func contains(_ value: Double) -> Bool { low <= value && value <= high }

  func fraction(_ value: Double) -> Double {
    if isLogarithmic {
      return (log(max(value, low)) - log(low)) / (log(high) - log(low))
    }
    return (value - low) / (high - low)
  }

  /// Returns a scale from zero to a round number above `top`.
  static func fromZero(
    to top: Double, ticks wanted: Int, form: Form = .plain, text: (Double) -> String
  ) -> Scale {
    let top = top > 1e-300 && top.isFinite ? top : 1
    let rough = top / Double(max(1, wanted))
    let power = pow(10, floor(log10(rough)))
    let step = ([1, 2, 5, 10].first { $0 * power >= rough * 0.999_999 } ?? 10) * power
    let count = Int((top / step * 0.999_999).rounded(.up))
    let high = Double(max(1, count)) * step
    let ticks = (0...max(1, count)).map {
      Tick(value: Double($0) * step, text: text(Double($0) * step))
    }
    return Scale(low: 0, high: high, ticks: ticks, form: form)
  }

  func times(_ factor: Double) -> Scale {
    Scale(
      low: low * factor, high: high * factor, isLogarithmic: isLogarithmic,
      ticks: ticks.map { Tick(value: $0.value * factor, text: $0.text) }, form: form)
  }

  static var share: Scale {
    Scale(
      low: 0, high: 1,
      ticks: [0, 0.25, 0.5, 0.75, 1].map {
        Tick(value: $0, text: "\(Int($0 * 100)) %")
      }, form: .share)
  }

  /// Returns a logarithmic scale between whole powers of ten.
  static func powersOfTen(
    from low: Double, to high: Double, form: Form = .plain, text: (Double) -> String
  ) -> Scale {
    let first = Int(floor(log10(max(low, 1e-9))))
    let last = max(first + 1, Int(ceil(log10(max(high, 1e-9)))))
    let ticks = (first...last).map { power in
      let value = pow(10, Double(power))
      return Tick(value: value, text: text(value))
    }
    return Scale(
      low: pow(10, Double(first)), high: pow(10, Double(last)), isLogarithmic: true, ticks: ticks,
      form: form)
  }

  /// Returns a scale for quantiles, drawn as 1 / (1 − share), so that each decade adds one nine.
  static func nines(samples: Int) -> Scale {
    let all: [(Double, String)] = [
      (2, "50 %"), (10, "90 %"), (100, "99 %"), (1_000, "99.9 %"),
      (10_000, "99.99 %"), (100_000, "99.999 %"), (1_000_000, "99.9999 %"),
    ]
    let high = max(10, Double(samples))
    return Scale(
      low: 1, high: high, isLogarithmic: true,
      ticks: all.filter { $0.0 <= high }.map { Tick(value: $0.0, text: $0.1) },
      form: .nines)
  }

  /// Returns a scale of city time, in seconds since the midnight before the run's start.
  static func clock(from low: Double, to high: Double, ticks wanted: Int) -> Scale {
    let steps: [Double] = [
      1, 5, 10, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400,
    ]
    let rough = (high - low) / Double(max(1, wanted))
    let days = (rough / 86_400).rounded(.up) * 86_400
    let step = steps.first { $0 >= rough } ?? days
    var ticks: [Tick] = []
    var at = (low / step).rounded(.up) * step
    while at <= high {
      ticks.append(Tick(value: at, text: clockText(at, step: step)))
      at += step
    }
    return Scale(low: low, high: max(high, low + 1), ticks: ticks, form: .clock)
  }

  private static func clockText(_ seconds: Double, step: Double) -> String {
    let whole = Int(nearest: seconds)
    if step >= 86_400 { return "+\(whole / 86_400) d" }
    let text = two(whole / 3_600 % 24) + ":" + two(whole / 60 % 60)
    return step < 60 ? text + ":" + two(whole % 60) : text
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Scale {
  /// Returns a scale around the values, no wider than 0 … 100 %.
  static func shares(from low: Double, to high: Double) -> Scale {
    let step = high - low > 0.5 ? 0.2 : high - low > 0.2 ? 0.1 : high - low > 0.08 ? 0.05 : 0.02
    let all = Int((1 / step).rounded())
    let first = min(all - 1, max(0, Int(nearest: (low / step).rounded(.down))))
    let last = min(all, max(first + 1, Int(nearest: (high / step).rounded(.up))))
    return Scale(
      low: Double(first) * step, high: Double(last) * step,
      ticks: (first...last).map {
        Tick(value: Double($0) * step, text: "\(Int((Double($0) * step * 100).rounded())) %")
      }, form: .share)
  }

  /// Returns a scale around the values, with ticks at 1, 2 and 5 times each power of ten.
  static func oneTwoFive(from low: Double, to high: Double, text: (Double) -> String) -> Scale {
    let low = max(low, 1e-6)
    let all = (-6...6).flatMap { power in [1, 2, 5].map { $0 * pow(10, Double(power)) } }
    let from = all.last { $0 <= low * 0.95 } ?? all[0]
    let to = all.first { $0 >= high * 1.05 } ?? all[all.count - 1]
    return Scale(
      low: from, high: max(to, from * 2), isLogarithmic: true,
      ticks: all.filter { $0 >= from * 0.999 && $0 <= to * 1.001 }
        .map { Tick(value: $0, text: text($0)) })
  }
}
