/// A phone's operating system. The raw value is its name in records and reports.
package enum SystemKind: String, CaseIterable, Sendable, Codable, BitwiseCopyable {
  case iOS, android = "Android"
}
