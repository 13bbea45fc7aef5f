internal import Foundation
internal import TestSupport
internal import Testing
@testable internal import Capacity

@Suite("Elementary effects", .quick)
struct MorrisDesignTests {
  /// The effects of a function of the unit cube under the design.
  static func effects(
    stars: Int, dimensions: Int, seed: UInt64 = 1, _ function: ([Double]) -> Double
  ) -> [ElementaryEffects] {
    var effects = [ElementaryEffects](repeating: ElementaryEffects(), count: dimensions)
    for base in MorrisDesign(stars: stars, dimensions: dimensions, seed: seed).bases {
      for axis in base.indices {
        var moved = base
        moved[axis] = MorrisDesign.end(from: base[axis])
        effects[axis].add(
          from: base[axis], to: moved[axis], base: function(base), moved: function(moved))
      }
    }
    return effects
  }

  static func ranking(_ effects: [ElementaryEffects]) -> [Int] {
    effects.indices.sorted { (effects[$0].meanAbsolute ?? 0) > (effects[$1].meanAbsolute ?? 0) }
  }

  // MARK: The design

  @Test("base points have four levels of equal frequency", arguments: [4, 8, 12])
  func levels(stars: Int) {
    let design = MorrisDesign(stars: stars, dimensions: 30, seed: 5)
    #expect(design.bases.count == stars)
    for axis in 0..<30 {
      let column = design.bases.map { Int(($0[axis] * 3).rounded()) }
      for level in 0..<4 { #expect(column.count { $0 == level } == stars / 4) }
    }
  }

  @Test("with a number of stars that four does not divide, level counts differ by one at most")
  func unevenLevels() {
    let design = MorrisDesign(stars: 6, dimensions: 20, seed: 5)
    for axis in 0..<20 {
      let column = design.bases.map { Int(($0[axis] * 3).rounded()) }
      let counts = (0..<4).map { level in column.count { $0 == level } }
      #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 1)
    }
  }

  @Test("a star moves each parameter once, by two thirds of its range and within it")
  func steps() {
    for base in MorrisDesign(stars: 8, dimensions: 12, seed: 2).bases {
      for place in base {
        let end = MorrisDesign.end(from: place)
        #expect((0...1).contains(end))
        #expect(abs(abs(end - place) - MorrisDesign.step) < 1e-12)
        // A step and the step back have the same levels.
        #expect(abs(MorrisDesign.end(from: end) - place) < 1e-12)
      }
    }
    let effects = Self.effects(stars: 8, dimensions: 12) { $0.reduce(0, +) }
    #expect(effects.allSatisfy { $0.values.count == 8 })
  }

  @Test("between levels, a step goes as far as the range allows, and is never zero")
  func betweenLevels() {
    for place in [0.34, 0.4, 0.5, 0.51, 0.6, 0.66] {
      let end = MorrisDesign.end(from: place)
      #expect((0...1).contains(end) && abs(end - place) > 0.3)
    }
  }

  @Test(
    "equal seeds give equal designs, other seeds others; the base points farthest apart are chosen")
  func seeds() {
    let a = MorrisDesign(stars: 4, dimensions: 40, seed: 1)
    #expect(a == MorrisDesign(stars: 4, dimensions: 40, seed: 1))
    #expect(a != MorrisDesign(stars: 4, dimensions: 40, seed: 2))
    #expect(Set(a.bases).count == 4)
  }

  // MARK: Functions whose effects are known

  @Test("for a linear function μ* is each factor's size, μ has its sign, and σ is zero")
  func linear() throws {
    let factors = [3.0, -2, 0.5, 0]
    let effects = Self.effects(stars: 6, dimensions: 4) { x in
      7 + zip(factors, x).reduce(0) { $0 + $1.0 * $1.1 }
    }
    for (factor, effect) in zip(factors, effects) {
      #expect(abs(try #require(effect.meanAbsolute) - abs(factor)) < 1e-9)
      #expect(abs(try #require(effect.mean) - factor) < 1e-9)
      #expect(try #require(effect.deviation) < 1e-9)
    }
  }

  @Test("factors of Sobol's g-function are ranked as in the literature: smallest a first")
  func gFunction() {
    // The worked example of the JRC's handbook of sensitivity analysis, as PUQ's documentation
    // quotes it: μ* is 1.76 of x3, 1.19 of x4, 0.28 of x2, 0.10 of x6, 0.06 of x1, 0.04 of x5.
    let a = [78.0, 12, 0.5, 2, 97, 33]
    let effects = Self.effects(stars: 8, dimensions: 6) { x in
      zip(a, x).reduce(1) { $0 * (abs(4 * $1.1 - 2) + $1.0) / (1 + $1.0) }
    }
    #expect(Self.ranking(effects) == [2, 3, 1, 5, 0, 4])
    // Symmetric about the middle: signs cancel in μ and not in μ*.
    for effect in effects { #expect(abs(effect.mean ?? 1) < (effect.meanAbsolute ?? 0)) }
  }

  @Test("the second factor of Ishigami's function has μ near zero, and a large μ* and σ")
  func ishigami() throws {
    let effects = Self.effects(stars: 40, dimensions: 3) { x in
      let z = x.map { (2 * $0 - 1) * .pi }
      return sin(z[0]) + 7 * pow(sin(z[1]), 2) + 0.1 * pow(z[2], 4) * sin(z[0])
    }
    // sin² is 0 at the ends and 3/4 at the thirds of the range: 7 · 3/4 over 2/3.
    #expect(abs(try #require(effects[1].meanAbsolute) - 7.875) < 1e-9)
    #expect(abs(try #require(effects[1].mean)) < 1)
    #expect(try #require(effects[1].deviation) > 7)
    // The third acts through the first alone, so that its effect depends on the base point.
    #expect(try #require(effects[2].deviation) > 5)
    // Total indices 0.56, 0.44 and 0.24 (Saltelli et al. 2008): the third is the smallest.
    #expect(Self.ranking(effects).last == 2)
  }

  @Test("a step of zero has no effect, and no effects give no statistics")
  func blocked() {
    var effects = ElementaryEffects()
    effects.add(from: 0.5, to: 0.5, base: 1, moved: 2)
    #expect(effects.values.isEmpty && effects.meanAbsolute == nil && effects.mean == nil)
    effects.add(from: 0.5, to: 0, base: 1, moved: 2)
    #expect(effects.values == [-2] && effects.deviation == nil)
    #expect(SensitivityRecord.Effect(parameter: 0, ElementaryEffects()) == nil)
  }

  @Test("an effect has a direction if three quarters of its size have one sign")
  func direction() throws {
    func direction(_ values: [Double]) throws -> SensitivityRecord.Effect.Direction {
      var effects = ElementaryEffects()
      for value in values { effects.add(from: 0, to: 1, base: 0, moved: value) }
      return try #require(SensitivityRecord.Effect(parameter: 0, effects)).direction
    }
    #expect(try direction([1, 2, 3]) == .up)
    #expect(try direction([-1, -2, 0.5]) == .down)
    #expect(try direction([1, -1]) == .both)
    #expect(try direction([0, 0]) == .none)
  }
}
