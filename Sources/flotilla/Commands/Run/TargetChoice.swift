internal import Commands
internal import Core
internal import Scenarios

/// A user's backend.
struct TargetChoice: Equatable {
  /// A name or a file.
  var name: String?
  /// Replaces the file's.
  var url: String?
  var rateLimit: Rate?
}

extension Option {
  static func target(_ path: WritableKeyPath<Options, TargetChoice>, _ help: String) -> [Option] {
    [
      .text("--target", "TARGET", path.appending(path: \.name), help),
      .text(
        "--target-url", "URL", path.appending(path: \.url),
        "Its address, in the place of the file's."),
      Option(
        "--rate-limit", "RATE", "Ask it no more than this of requests, such as 500/s.",
        wanted: "requests a second, such as 500/s", { ArgumentText.rate($0) },
        set: { $1[keyPath: path].rateLimit = $0 }),
    ]
  }
}
