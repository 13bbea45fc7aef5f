internal import Foundation
internal import Scenarios
internal import TestSupport
internal import Testing

/// Phone code contains no model parameters: a parameter has a key, a source and a range.
@Suite("Model parameters", .quick)
struct ModelFigureTests {
  /// An allowed number in a file of Phone, with the reason why it is not a model parameter.
  struct Allowed {
    let file: String
    let numbers: Set<String>
    let reason: String
  }

  /// Neutral elements, halves, doubles and unit factors.
  static let everywhere: Set<String> = [
    "0", "1", "2", "0.5", "1_000", "3_600", "1_000_000",
  ]

  static let allowed = [
    Allowed(file: "Battery", numbers: ["24", "100"], reason: "hours of a day; per cent"),
    Allowed(
      file: "BatteryConditions",
      numbers: [
        "8", "9", "10", "12", "24", "100", "240", "365", "990", "65_535", "1e4", "1e8",
        "3_600_000_000",
      ],
      reason: """
        bits of a draw, and how many; days of a week; how near the end of a charge is looked for, \
        and how far ahead; the evening of a night, hours of a day, days of a year; units; full but for a hundredth; limits
        """),
    Allowed(
      file: "Consent", numbers: ["24", "30", "365"],
      reason: "hours of a day, days of a month and a year; how many months are looked through"),
    Allowed(
      file: "Device", numbers: ["50"],
      reason: "the accuracy of a likely fix, to which packed phones are compared"),
    Allowed(
      file: "Device+Events", numbers: ["9", "24"],
      reason: "the tag of an event in the hash; hours of a day, for which a crossing is looked up"),
    Allowed(
      file: "Device+Android", numbers: ["5", "24"],
      reason: "the priority of a push that is not urgent; hours of a day"),
    Allowed(
      file: "Device+HeldRequest", numbers: ["24"],
      reason: "hours of a day, which a search looks ahead"),
    Allowed(
      file: "Device+Service", numbers: ["24"],
      reason: "hours of a day, over which the time of a service counts"),
    Allowed(file: "Device+App", numbers: ["32", "48"], reason: "bits of a word of the digest"),
    Allowed(file: "Device+Endings", numbers: ["6"], reason: "the kind of an entry of the digest"),
    Allowed(
      file: "Device+Refresh", numbers: ["7", "24"],
      reason: "the week of use that the system's header states for processing tasks"),
    Allowed(file: "Device+Services", numbers: ["5"], reason: "the kind of an entry of the digest"),
    Allowed(
      file: "Device+Upload", numbers: ["16"],
      reason: "bits of a word of the digest"),
    Allowed(
      file: "DeviceContext", numbers: ["10"],
      reason: "how many minutes of positions a phone evaluates at once"),
    Allowed(file: "DueSlots", numbers: ["30"], reason: "entries on a phone's calendar"),
    Allowed(
      file: "Effects", numbers: ["8", "4_096"],
      reason: "how much room for uploads is kept after a burst"),
    Allowed(file: "Energy", numbers: ["8"], reason: "bits of a byte"),
    Allowed(
      file: "EnergyPrices", numbers: ["3", "4", "5", "6", "7", "8", "9", "10"],
      reason: "places of the components in a bill; bits of a byte"),
    Allowed(
      file: "FixMaker", numbers: ["0x9E37_79B9", "10", "360"],
      reason: "spreads numbers of phones; decimetres of a metre; degrees of a circle"),
    Allowed(
      file: "Habits", numbers: ["24", "60", "400", "1e-6"],
      reason: """
        hours of a day; how many slots and days ahead are looked through; no slot is shorter than a \
        minute, and no rate is zero
        """),
    Allowed(file: "SystemRules+Pushes", numbers: ["10"], reason: "apns-priority 10"),
    Allowed(file: "OSCommand", numbers: ["24"], reason: "commands that one list holds"),
    Allowed(file: "PlaceWatch", numbers: ["32"], reason: "places that fit into a set of bits"),
    Allowed(
      file: "MemoryConditions", numbers: ["64"], reason: "how many hours ahead are looked through"),
    Allowed(
      file: "PhoneClock", numbers: ["24", "100", "365", "10_000"],
      reason: "hours of a day, days of a year; hundredths of a second, in microseconds"),
    Allowed(file: "PhoneUse", numbers: ["16"], reason: "bits of a draw's key"),
    Allowed(
      file: "PositionError",
      numbers: [
        "3", "8", "10", "16", "32", "48", "0xFFFF", "65_536", "131_070", "1.7320508075688772",
        "1.5096",
      ],
      reason: "the sum of four even draws as a normal; keys of draws; a normal law's 68 % radius"),
    Allowed(
      file: "PositionError+Rest", numbers: ["0x9E37_79B9", "0x1_0000", "5"],
      reason: "keys of draws; after five times its constant an exponential is over"),
    Allowed(
      file: "PhoneUse", numbers: ["48"], reason: "hours of two days, which a search looks ahead"),
    Allowed(
      file: "PowerHabits", numbers: ["12", "24"],
      reason: "hours of a day; a night belongs to the day on whose evening it begins"),
    Allowed(
      file: "PushBudget", numbers: ["7", "24", "1e-5"],
      reason: "how far ahead a grant is looked for; rounding of 32-bit floats"),
    Allowed(
      file: "PushState", numbers: ["7", "24"],
      reason: "a phone in `unopened` has not been opened for a week, as its key says"),
    Allowed(
      file: "RegionWatch", numbers: ["24"], reason: "hours of a day, which a search looks ahead"),
    Allowed(
      file: "ReinstallHabits", numbers: ["5", "24", "30", "64", "365"],
      reason: """
        hours of a day, days of a month and a year; how finely time is cut, and how far ahead it \
        is looked through
        """),
    Allowed(
      file: "StandardService", numbers: ["10", "100", "3_000", "1e9"],
      reason: "metres of Apple's classes of accuracy; CLLocationDistanceMax, of all on Earth"),
    Allowed(
      file: "UpdateHabits", numbers: ["24", "64", "365"],
      reason: "hours of a day, days of a year; how many versions ahead are looked through"),
  ]

  /// The numbers in a line of code, without comments, texts, raw values and members of tuples.
  static func numbers(in line: Substring) -> [String] {
    let code = line.replacing(#/"[^"]*"/#, with: "").split(
      separator: "//", maxSplits: 1, omittingEmptySubsequences: false)[0]
    return code.replacing(#/rawValue: \w+/#, with: "")
      .matches(of: #/(?:^|[^\w$.])(0x[0-9A-Fa-f_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:e-?\d+)?)/#)
      .map { String($0.1) }
  }

  @Test("the numbers of a line are its literals only")
  func literals() {
    #expect(Self.numbers(in: "let a = x1.0 + $0 * 4.5 // 7") == ["4.5"])
    #expect(Self.numbers(in: "case a = Purpose(rawValue: 230), 0x1F, 1e-5") == ["0x1F", "1e-5"])
    #expect(Self.numbers(in: #"diagnose("at 30 m", .seconds(15))"#) == ["15"])
  }

  @Test("phone code has no model parameters and no unused exceptions")
  func phone() {
    var unused = Self.allowed.flatMap { allowed in
      allowed.numbers.map { "\(allowed.file): \($0)" }
    }
    // The app models nothing, and a person's movement is not part of the phone.
    for file in SourceTree.swiftFiles
    where file.path.hasPrefix("Sources/Phone/")
      && !["App", "Mobility"].contains(file.path.split(separator: "/")[2])
    {
      let name = file.path.split(separator: "/").last.map { String($0.dropLast(6)) } ?? ""
      let own = Self.allowed.filter { $0.file == name }
      for (index, line) in file.lines.enumerated() {
        for number in Self.numbers(in: line) {
          let value = number.hasSuffix(".0") ? String(number.dropLast(2)) : number
          if Self.everywhere.contains(value) { continue }
          if own.contains(where: { $0.numbers.contains(value) }) {
            unused.removeAll { $0 == "\(name): \(value)" }
          } else {
            Issue.record(
              """
              \(file):\(index + 1): \(number); make it a key of a profile with its evidence, or \
              allow it here and say why
              """)
          }
        }
      }
    }
    #expect(unused.isEmpty, "nobody needs these any more")
  }
}
