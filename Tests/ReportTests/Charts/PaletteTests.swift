import Foundation
import TestSupport
import Testing
@testable import Report

/// Computed from the definitions of WCAG 2.1 (contrast), CIE 1976 (distance) and Machado, Oliveira
/// and Fernandes 2009 (what a reader without red or green cones sees).
@Suite("Colours of a page", .quick)
struct PaletteTests {
  enum Scheme: CaseIterable {
    case light, dark

    func callAsFunction(_ ink: Ink) -> Colour { self(ink.tone) }
    func callAsFunction(_ tone: Ink.Tone) -> Colour {
      Colour(self == .light ? tone.light : tone.dark)
    }
  }

  enum Vision: CaseIterable {
    case normal, protanopia, deuteranopia

    var matrix: [[Double]] {
      switch self {
      case .normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
      case .protanopia:
        [
          [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
          [-0.003882, -0.048116, 1.051998],
        ]
      case .deuteranopia:
        [
          [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
          [-0.011820, 0.042940, 0.968881],
        ]
      }
    }
  }

  /// Linear sRGB.
  struct Colour {
    var parts: [Double]

    init(_ hex: String) {
      let number = Int(hex.dropFirst(), radix: 16) ?? 0
      parts = [16, 8, 0].map { shift in
        let part = Double(number >> shift & 0xFF) / 255
        return part <= 0.040_45 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
      }
    }

    private static func product(_ matrix: [[Double]], _ vector: [Double]) -> [Double] {
      matrix.map { zip($0, vector).reduce(0) { $0 + $1.0 * $1.1 } }
    }

    func contrast(_ other: Colour) -> Double {
      func luminance(_ one: Colour) -> Double {
        zip([0.2126, 0.7152, 0.0722], one.parts).reduce(0) { $0 + $1.0 * $1.1 }
      }
      let (a, b) = (luminance(self), luminance(other))
      return (max(a, b) + 0.05) / (min(a, b) + 0.05)
    }

    func lab(_ vision: Vision) -> [Double] {
      let seen = Self.product(vision.matrix, parts).map { min(1, max(0, $0)) }
      let xyz = Self.product(
        [
          [0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
          [0.0193339, 0.1191920, 0.9503041],
        ], seen)
      let f = zip(xyz, [0.95047, 1, 1.08883]).map { value, white -> Double in
        let t = value / white
        return t > 216.0 / 24_389 ? cbrt(t) : (24_389.0 / 27 * t + 16) / 116
      }
      return [116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])]
    }

    func distance(_ other: Colour, _ vision: Vision) -> Double {
      zip(lab(vision), other.lab(vision)).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        .squareRoot()
    }
  }

  @Test("black on white has the contrast of the standard's example, and grey keeps its lightness")
  func definitions() {
    let (black, white) = (Colour("#000000"), Colour("#ffffff"))
    #expect(abs(black.contrast(white) - 21) < 0.01)
    for vision in Vision.allCases {
      #expect(abs(black.distance(white, vision) - 100) < 0.1)
    }
    let (red, green) = (Colour("#ff0000"), Colour("#00ff00"))
    #expect(red.distance(green, .normal) > 160)
    #expect(red.distance(green, .deuteranopia) < 70)
  }

  @Test(
    "curves have a contrast of 3 : 1, and text one of 4.5 : 1, with page and panel",
    arguments: Scheme.allCases)
  func contrast(scheme: Scheme) {
    for ground in [scheme(Ink.paper), scheme(Ink.panel)] {
      for ink in Ink.curves { #expect(scheme(ink).contrast(ground) >= 3, "\(ink)") }
      for tone in [Ink.quiet, Ink.good, Ink.bad] { #expect(scheme(tone).contrast(ground) >= 4.5) }
      #expect(scheme(Ink.text).contrast(ground) >= 7)
      // The words of a badge.
      for tone in [Ink.quiet, Ink.good, Ink.bad] {
        #expect(scheme(tone).contrast(scheme(Ink.paper)) >= 4.5)
      }
    }
  }

  @Test(
    "no two curves look alike, whatever cones a reader has, and none has another's dashes",
    arguments: Scheme.allCases, Vision.allCases)
  func distances(scheme: Scheme, vision: Vision) {
    for (place, ink) in Ink.curves.enumerated() {
      for other in Ink.curves.dropFirst(place + 1) {
        let distance = scheme(ink).distance(scheme(other), vision)
        #expect(distance >= 15, "\(ink), \(other): \(distance)")
        #expect(ink.dash != other.dash)
      }
    }
    #expect(scheme(Ink.good).distance(scheme(Ink.bad), vision) >= 15)
  }

  @Test(
    "the shades of a map differ in lightness, in one direction, and their numbers can be read",
    arguments: Scheme.allCases, Vision.allCases)
  func shades(scheme: Scheme, vision: Vision) {
    let inks: [Ink] = [.share0, .share1, .share2, .share3, .share4]
    let steps = inks.map { scheme($0).lab(vision)[0] }
    let sign = scheme == .light ? -1.0 : 1
    for (a, b) in zip(steps, steps.dropFirst()) { #expect(sign * (b - a) >= 8, "\(steps)") }
    let texts = [
      scheme(Ink.text), scheme(Ink.text), Colour("#16181c"), scheme(Ink.paper), scheme(Ink.paper),
    ]
    for (ink, text) in zip(inks, texts) { #expect(scheme(ink).contrast(text) >= 4.5, "\(ink)") }
  }
}
