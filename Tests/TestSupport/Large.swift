internal import Foundation

/// The size of a test that finds more the more it tries: as much as finds what it was written for,
/// and far more if `FLOTILLA_LARGE` is 1, as in CI.
package enum Large {
  package static let isAsked = ProcessInfo.processInfo.environment["FLOTILLA_LARGE"] == "1"

  package static func count(_ count: Int, large: Int) -> Int { isAsked ? large : count }
}
