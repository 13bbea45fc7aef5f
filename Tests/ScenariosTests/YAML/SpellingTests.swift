internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("Did you mean", .quick)
struct SpellingTests {
  @Test(
    "a misspelling finds its word, and another word finds none",
    arguments: [
      ("phoens", "phones"), ("phone", "phones"), ("Duration", "duration"), ("sede", "seed"),
      ("banana", nil), ("x", nil), ("", nil),
    ] as [(String, String?)])
  func nearest(word: String, expected: String?) {
    #expect(Spelling.nearest(to: word, in: ["phones", "duration", "seed"]) == expected)
  }

  @Test("two swapped neighbours are one misspelling")
  func swaps() {
    #expect(Spelling.distance("seed", "sede") == 1)
    #expect(Spelling.distance("", "abc") == 3)
  }
}
