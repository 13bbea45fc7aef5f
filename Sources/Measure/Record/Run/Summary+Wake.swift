extension RunRecord.Wake {
  /// What a summary says below the table of outcomes.
  var summaryLines: String {
    let within = withinSeconds.map { " within \(Figure.plain($0 / 60)) min" } ?? ""
    let method = upliftMethod.map { " (\($0.rawValue))" } ?? ""
    let ratios = [
      ("Answered\(within)", answered), ("caused", caused), ("uplift\(method)", uplift),
    ].map { "\($0.0) \(Self.text($0.1))" }
    var lines = [
      "\(Figure.grouped(requested)) requested, \(Figure.grouped(eligible)) eligible. "
        + "\(ratios.joined(separator: ", "))."
    ]
    if upliftMethod == .paired, let upliftHoldout {
      lines.append("By the holdout, as a server could tell: uplift \(Self.text(upliftHoldout)).")
    }
    if let windows, windows.count > 1 {
      let others = windows.map {
        "\(Figure.plain($0.withinSeconds / 60)) min \(Self.text($0.answered))"
      }
      lines.append("Answered within \(others.joined(separator: ", ")).")
    }
    if let curve = curves?.answered ?? curves?.caused {
      let times = [
        ("a quarter", curve.lowerQuartileSeconds), ("half", curve.medianSeconds),
        ("three quarters", curve.upperQuartileSeconds),
      ].map { name, seconds in
        seconds.map { "\(name) after \(Figure.plain(($0 * 10).rounded() / 10)) s" }
          ?? "\(name) never"
      }
      let what = curves?.answered == nil ? "Caused" : "Answered"
      lines.append("\(what): \(times.joined(separator: ", ")).")
    }
    if let allSilent {
      lines.append(
        "Of all \(Figure.grouped(allSilent.occasions)) silent occasions, pushed or not reachable: "
          + "answered \(Self.text(allSilent.answered)), caused \(Self.text(allSilent.caused)).")
    }
    return lines.joined(separator: "\n")
  }

  private static func text(_ ratio: Ratio?) -> String {
    guard let ratio else { return "—" }
    return "\(Figure.percent(ratio.value)) "
      + "(\(Figure.percent(ratio.low)) – \(Figure.percent(ratio.high)))"
  }
}
