internal import Testing

/// A banned text, with its replacement.
struct BannedToken: Sendable, CustomTestStringConvertible {
  let token: String
  let instead: String
  /// Modules that may contain it.
  var allowedIn: [String] = []
  /// A line that also contains this is allowed.
  var unless: String?
  var isFineInTests = false

  var testDescription: String { token }

  /// Modules with access to argv, the console and the clock.
  static let programs = ["flotilla", "flotilla-lab", "Commands"]

  static let all = [
    BannedToken(
      token: "Date(", instead: "an instant that comes in through init",
      allowedIn: programs),
    BannedToken(
      token: ".random(", instead: "`using:` a Draw", unless: "using:"),
    BannedToken(
      token: ".randomElement()", instead: "`randomElement(using:)` with a Draw"),
    BannedToken(token: ".shuffled()", instead: "`shuffled(using:)` with a Draw"),
    BannedToken(
      token: "print(", instead: "a value that the command line prints", allowedIn: programs),
    BannedToken(token: "fatalError(\"not implemented", instead: "an implementation, or no case"),
    BannedToken(token: "TO" + "DO", instead: "the work, or an issue"),
    BannedToken(token: "FIX" + "ME", instead: "the fix"),
    BannedToken(
      token: "usleep(", instead: "a Waiter, which an event wakes", isFineInTests: true),
    BannedToken(
      token: "sleep(", instead: "a Waiter, which an event wakes", isFineInTests: true),
    BannedToken(token: "try!", instead: "a typed error, or a guard that says why it cannot fail"),
  ]

  /// Returns whether `line` contains the token, not as the end of a longer name.
  func isBroken(by line: Substring, in file: SourceTree.File) -> Bool {
    if allowedIn.contains(file.room) || isFineInTests && file.isTest { return false }
    if let unless, line.contains(unless) { return false }
    guard let first = token.first else { return false }
    var rest = line[...]
    while let found = rest.firstRange(of: token) {
      let before = line[..<found.lowerBound].last
      let continuesAName = before.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
      if !(first.isLetter && continuesAName) { return true }
      rest = rest[found.upperBound...]
    }
    return false
  }
}
