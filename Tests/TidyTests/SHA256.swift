/// SHA-256 (FIPS 180-4), which splits the claims.
enum SHA256 {
  static func hex(_ text: String) -> String {
    digest(Array(text.utf8)).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }

  static func digest(_ message: [UInt8]) -> [UInt8] {
    var state = initial
    var bytes = message + [0x80]
    while bytes.count % 64 != 56 { bytes.append(0) }
    let bits = UInt64(message.count) * 8
    bytes += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) }
    for start in stride(from: 0, to: bytes.count, by: 64) {
      compress(Array(bytes[start..<(start + 64)]), &state)
    }
    return state.flatMap { word in
      (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) }
    }
  }

  private static func compress(_ block: [UInt8], _ state: inout [UInt32]) {
    var w = (0..<16).map { i in
      (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(block[4 * i + $1]) }
    }
    for i in 16..<64 {
      let a = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ (w[i - 15] >> 3)
      let b = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ (w[i - 2] >> 10)
      w.append(w[i - 16] &+ a &+ w[i - 7] &+ b)
    }
    var v = state
    for i in 0..<64 {
      let s1 = turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25)
      let choice = (v[4] & v[5]) ^ (~v[4] & v[6])
      let one = v[7] &+ s1 &+ choice &+ constants[i] &+ w[i]
      let s0 = turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)
      let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
      v = [one &+ s0 &+ majority, v[0], v[1], v[2], v[3] &+ one, v[4], v[5], v[6]]
    }
    for i in state.indices { state[i] = state[i] &+ v[i] }
  }

  private static func turned(_ word: UInt32, _ by: UInt32) -> UInt32 {
    word >> by | word << (32 - by)
  }

  private static let primes: [Double] = (2...311).filter { n in
    !(2..<n).contains { $0 * $0 <= n && n % $0 == 0 }
  }.map(Double.init)

  /// The first 32 bits of the fractions of the square roots of the first eight primes.
  private static let initial = primes.prefix(8).map { fraction($0.squareRoot()) }

  /// The same for the cube roots of the first 64.
  private static let constants = primes.map { prime in
    var root = Double(Int(prime.squareRoot()))
    for _ in 0..<60 { root -= (root * root * root - prime) / (3 * root * root) }
    return fraction(root)
  }

  private static func fraction(_ root: Double) -> UInt32 {
    UInt32((root - root.rounded(.down)) * 4_294_967_296)
  }
}
