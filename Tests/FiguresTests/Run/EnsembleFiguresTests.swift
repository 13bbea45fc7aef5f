import Core
import Figures
import TestSupport
import Testing

@Suite("Figures over sets of parameters", .quick)
struct EnsembleFiguresTests {
  static func figures(_ count: Int, of sets: Int) -> EnsembleFigures? {
    let values = (0..<count).map { ($0, ["answered": Double($0)]) }
    return EnsembleFigures(sets: sets, phones: 300, Dictionary(uniqueKeysWithValues: values))
  }

  @Test("an interval contains another set's value with the stated probability")
  func intervals() throws {
    // Of 39 draws, the 2nd and the 38th enclose another one in 36 of 40 cases.
    let many = try #require(Self.figures(39, of: 39))
    #expect(many.coverage == 0.9)
    let one = try #require(many.figures["answered"])
    #expect(abs(one.low - 1) < 1e-9 && one.value == 19 && abs(one.high - 37) < 1e-9)
    #expect(
      many.sentence
        == "90 % intervals over the model’s parameters: 39 sets of 300 phones")
    let few = try #require(Self.figures(8, of: 32))
    #expect(few.coverage == 7.0 / 9)
    #expect(few.figures["answered"] == Ratio(value: 3.5, low: 0, high: 7))
    #expect(
      few.sentence
        == "78 % intervals over the model’s parameters: 8 of 32 sets of 300 phones")
    #expect(Self.figures(3, of: 32) == nil)
  }

  @Test("a figure that a tenth of the sets lack has no interval")
  func missing() throws {
    func figures(lacking: Int) -> EnsembleFigures? {
      let values = (0..<20).map { ($0, $0 < lacking ? [:] : ["answered": 1.0]) }
      return EnsembleFigures(sets: 20, phones: 1, Dictionary(uniqueKeysWithValues: values))
    }
    #expect(try #require(figures(lacking: 2)).figures.count == 1)
    #expect(try #require(figures(lacking: 3)).figures.isEmpty)
  }

  @Test("a difference is taken at each set")
  func differences() throws {
    let base = Dictionary(uniqueKeysWithValues: (0..<20).map { ($0, ["a": Double($0 * $0)]) })
    let other = base.mapValues { ["a": ($0["a"] ?? 0) + 2, "only here": 1] }
    let figures = try #require(EnsembleFigures(sets: 20, phones: 1, other, from: base))
    #expect(figures.differences == ["a": Ratio(value: 2, low: 2, high: 2)])
  }
}
