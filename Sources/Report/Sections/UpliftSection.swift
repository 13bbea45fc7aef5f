internal import Core
internal import Figures

extension RunSections {
  var uplift: HTML? {
    guard wake.requested > 0, wake.uplift != nil || wake.allSilent != nil else { return nil }
    let sides = (wake.knownBy ?? [:]).sorted { $0.key < $1.key }
      .map { [$0.key, Self.side($0.value)] }
    return page.section(
      "uplift", "Uplift of pushing", sentence,
      tables: [
        wake.uplift.map { _ in .facts("Uplift as a table", methods) },
        wake.allSilent.map { .facts("Reachable and all silent phones as a table", silent($0)) },
        sides.isEmpty
          ? nil
          : .facts(
            "Who can know each figure, by the figure’s key in run.json",
            Table(head: ["key in wake", "known to"], rows: sides)),
      ], notes: notes)
  }

  private static func side(_ side: RunRecord.Wake.Side) -> String {
    switch side {
    case .server: "a real server"
    case .simulator: "the simulator only"
    }
  }

  private var sentence: HTML {
    var parts: [HTML] = []
    if let uplift = wake.uplift, let answered = wake.answered {
      let without = Words.share(wake.answeredWithout)
      let verdict: HTML =
        uplift.low <= 0 && uplift.high >= 0
        ? " (not significant: the interval includes 0)" : ""
      parts.append(
        """
        Uplift: \(Words.points(uplift)) percentage points\(verdict). \(Words.share(answered)) of \
        the occasions were answered with pushes, \(without) without.
        """)
    }
    if let all = wake.allSilent {
      parts.append(
        """
        Including unreachable phones (\(Figure.grouped(all.unreachable)) of \
        \(Figure.grouped(all.occasions)) occasions), \(Words.share(all.answered)) were answered \
        and \(Words.share(all.caused)) were caused by a push.
        """)
    }
    return parts.joined(" ")
  }

  private var methods: Table {
    var table = Table(head: ["method", "points", "known to"])
    if let method = wake.upliftMethod {
      table.rows.append([
        Self.name(method), Words.points(wake.uplift),
        Self.side(wake.knownBy?["uplift"] ?? (method == .paired ? .simulator : .server)),
      ])
    } else {
      table.rows.append(["—", Words.points(wake.uplift), "—"])
    }
    if wake.upliftMethod == .paired, let holdout = wake.upliftHoldout {
      table.rows.append([
        Self.name(.holdout), Words.points(holdout), Self.side(.server),
      ])
    }
    return table
  }

  private static func name(_ method: UpliftMethod) -> String {
    switch method {
    case .paired: "paired: the same push withheld"
    case .holdout: "holdout: other pushes withheld"
    }
  }

  private func silent(_ all: RunRecord.Wake.AllSilent) -> Table {
    Table(
      head: ["silent phones", "occasions", "answered", "caused"],
      rows: [
        [
          "reachable, pushed", Figure.grouped(wake.eligible), Words.ratio(wake.answered),
          Words.ratio(wake.caused),
        ],
        [
          "all", Figure.grouped(all.occasions), Words.ratio(all.answered),
          Words.ratio(all.caused),
        ],
      ])
  }

  private var notes: [HTML] {
    var notes: [HTML] = []
    switch wake.upliftMethod {
    case .paired?:
      notes.append(
        """
        Paired: each push is simulated twice with the same phone and random numbers, once with \
        this push withheld. The interval resamples phones.
        """)
    case .holdout?:
      notes.append(
        """
        Holdout: \(Figure.grouped(wake.withheld)) pushes were withheld at random; their phones are \
        the control group. A real server can withhold pushes, too.
        """)
    case nil: break
    }
    return notes
  }
}
