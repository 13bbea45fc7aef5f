import Core
import Figures
import TestSupport
import Testing
@testable import Capacity

@Suite("Goals and bounds on the command line", .quick)
struct TuneBoundTextTests {
  @Test("bounds are read with either sign and the unit of the figure")
  func bounds() throws {
    let right: [(String, String, Double, Bool)] = [
      ("battery<=2%/day", "battery", 2, true), ("battery≤2 %/day", "battery", 2, true),
      ("pushes<=4/day", "pushes", 4, true), ("pushes ≤ 4", "pushes", 4, true),
      ("fresh>=60%", "fresh", 0.6, false), ("fresh≥0.6", "fresh", 0.6, false),
      ("error-mean<=1.5km", "error-mean", 1_500, true), ("bytes<=30kB/day", "bytes", 30_000, true),
    ]
    for (text, key, limit, isUpper) in right {
      let bound = try TuneBoundText(text)
      #expect(bound.figure.key == key && bound.limit == limit && bound.isUpper == isUpper)
    }
    #expect(try TuneBoundText("battery<=2%/day").text == "battery ≤ 2 %/day")
    for figure in StudyFigure.searched {
      let written = figure.unit.bound(0.5)
      #expect(figure.unit.value(of: written) == 0.5, "\(figure.key): \(written)")
      #expect(StudyFigure(key: figure.key) == figure)
    }
  }

  @Test("an error names the mistake in a bound, and what to write")
  func wrong() {
    let wrong: [(String, String)] = [
      ("battery=2", "has no bound"), ("freshness>=60%", "no figure 'freshness'"),
      ("battery<=2m", "is not a value of battery"), ("fresh>=much", "such as"),
      ("fresh>=-3%", "is not a value"), ("<=3", "no figure ''"),
    ]
    for (text, sentence) in wrong {
      let error = #expect(throws: TuneTextError.self) { try TuneBoundText(text) }
      #expect(
        error?.description.contains(sentence) == true, "\(text): \(String(describing: error))")
    }
  }
}
