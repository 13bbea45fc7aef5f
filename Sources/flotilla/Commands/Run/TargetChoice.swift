internal import Commands

/// The choice of a user's backend.
struct TargetChoice: Equatable {
  /// The target's name or file.
  var name: String?
  /// The URL in place of the file's URL.
  var url: String?
}

extension Option {
  static func target(_ path: WritableKeyPath<Options, TargetChoice>, _ help: String) -> [Option] {
    [
      .text("--target", "TARGET", path.appending(path: \.name), help),
      .text(
        "--target-url", "URL", path.appending(path: \.url),
        "URL of the target; overrides the target file."),
    ]
  }
}
