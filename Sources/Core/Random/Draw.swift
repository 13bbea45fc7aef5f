internal import Foundation

/// Random numbers keyed by identity, never by count, thread or order. A key is (seed, phone,
/// purpose, a, b), where `a` and `b` name the leg, push, attempt or time slot, so that policies
/// meet identical lives. SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) extends a key.
@frozen public struct Draw: RandomNumberGenerator, Sendable, BitwiseCopyable {
  /// The state of SplitMix64, which begins as the mixed key.
  public var state: UInt64

  @inlinable public init(
    seed: UInt64, phone: UInt32, _ purpose: Purpose, _ a: Int64 = 0, _ b: Int64 = 0
  ) {
    var h = Self.mix(seed ^ 0x9E37_79B9_7F4A_7C15)
    h = Self.mix(h ^ (UInt64(phone) << 32 | UInt64(purpose.rawValue)))
    h = Self.mix(h ^ UInt64(bitPattern: a))
    state = Self.mix(h ^ UInt64(bitPattern: b))
  }

  /// SplitMix64's finaliser: a bijection of 64 bits with full avalanche.
  @inlinable public static func mix(_ x: UInt64) -> UInt64 {
    var z = x &+ 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  @inlinable public mutating func next() -> UInt64 {
    defer { state &+= 0x9E37_79B9_7F4A_7C15 }
    return Self.mix(state)
  }

  @inlinable public mutating func uniform() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  @inlinable public mutating func uniform(_ low: Double, _ high: Double) -> Double {
    low + (high - low) * uniform()
  }

  /// Returns true with probability `p`; always from 1 on, and never at 0 or below.
  @inlinable public mutating func chance(_ p: Double) -> Bool { uniform() < p }

  /// Returns a standard normal number (Box–Muller, one of the pair).
  public mutating func normal() -> Double {
    let u = 1 - uniform()
    return (-2 * log(u)).squareRoot() * cos(2 * .pi * uniform())
  }

  public mutating func exponential(mean: Double) -> Double { -mean * log(1 - uniform()) }

  /// Returns a log-normal number; `sigma` is the standard deviation of its logarithm.
  public mutating func logNormal(median: Double, sigma: Double) -> Double {
    median * exp(sigma * normal())
  }

  /// Returns one person's share of a habit whose mean share over people is `mean`. The share is a
  /// power of a uniform number: uniform for a mean of one half, and the mean itself for 0 and 1.
  public mutating func ownShare(mean: Double) -> Double {
    mean <= 0 ? 0 : pow(uniform(), (1 - min(1, mean)) / mean)
  }
}
