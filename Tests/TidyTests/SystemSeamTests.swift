import TestSupport
import Testing

/// The extension points for a second phone system or push service: only they distinguish between
/// kinds.
@Suite("Platform abstraction", .quick)
struct SystemSeamTests {
  /// The names of one kind, and the files and folders that may use them.
  struct Seam: CustomStringConvertible, Sendable {
    let kind: String
    let names: Set<String>
    let places: [String]
    var description: String { kind }
  }

  static let seams = [
    Seam(
      kind: "Android", names: [".isAndroid", "AndroidRules"],
      places: [
        "Sources/Scenarios/Systems/", "Sources/Scenarios/Shipped.swift",
        "Sources/Phone/Android/", "Sources/Phone/Device/",
      ]),
    Seam(
      kind: "APNs", names: [".apns", "APNs"],
      places: [
        "Sources/Scenarios/Systems/PhoneSystem.swift", "Sources/Push/Delivery/PushRefusal.swift",
        "Sources/Push/Delivery/APNs.swift", "Sources/Push/Endpoint/",
      ]),
    Seam(
      kind: "FCM", names: [".fcm", "FCM"],
      places: [
        "Sources/Scenarios/Systems/PhoneSystem.swift", "Sources/Push/Delivery/PushRefusal.swift",
        "Sources/Push/Delivery/FCM.swift",
        "Sources/Push/Endpoint/",
      ]),
  ]

  /// The words of a line of code, without comments and strings; a member keeps its dot.
  static func words(in line: Substring) -> Set<String> {
    let code = line.replacing(#/"[^"]*"/#, with: "").split(
      separator: "//", maxSplits: 1, omittingEmptySubsequences: false)[0]
    return Set(code.matches(of: #/\.?[A-Za-z_]\w*/#).map { String($0.output) })
  }

  @Test("the words of a line exclude comments and strings")
  func words() {
    #expect(Self.words(in: #"  case .ios(let rules): rules.a("APNs")  // .apns"#).contains(".ios"))
    #expect(Self.words(in: #"  let a = "APNs .ios"  // SystemRules"#) == ["let", "a"])
  }

  @Test("platform names appear only in their allowed files", arguments: seams)
  func named(seam: Seam) {
    var unused = Set(seam.places)
    for file in SourceTree.swiftFiles where !file.isTest {
      let places = seam.places.filter { file.path.hasPrefix($0) }
      for (index, line) in file.lines.enumerated() {
        // Most lines contain no such name and are not parsed.
        guard seam.names.contains(where: line.contains) else { continue }
        guard !Self.words(in: line).isDisjoint(with: seam.names) else { continue }
        unused.subtract(places)
        if places.isEmpty {
          Issue.record(
            "\(file):\(index + 1) names what is \(seam.kind)'s own; ask at the seam instead")
        }
      }
    }
    #expect(unused.isEmpty, "these places do not name it any more")
  }
}
