internal import Foundation

extension Encodable {
  /// Returns JSON with sorted keys and unescaped slashes, on one line unless `isPretty`.
  package func jsonText(isPretty: Bool = false) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}
