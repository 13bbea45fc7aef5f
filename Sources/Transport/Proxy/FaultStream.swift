internal import Core
internal import Foundation

/// The faults of one direction of a connection, without clock or socket. Decisions depend on seed,
/// connection, fault, direction and a byte's position, but not on how reads split the bytes.
struct FaultStream {
  enum Direction: Int64, CaseIterable { case forward, backward }

  struct Ruling: Equatable {
    var passes: Int
    var at: WallDuration
    var cuts = false
  }

  private struct Part {
    let fault: WireFault
    let key: Int64
    var seen = 0
    /// The position of the next affected byte among the bytes that `seen` counts.
    var next = Int.max
    var draws: Int64 = 0
  }

  private let seed: UInt64
  private let connection: UInt32
  private var parts: [Part] = []
  private var last = WallDuration.zero
  private var free = WallDuration.zero
  private var isSwallowing = false
  private(set) var counters = ProxyCounters()

  init(_ plan: FaultPlan, connection: UInt32, _ direction: Direction) {
    seed = plan.seed
    self.connection = connection
    adopt(plan, direction)
  }

  mutating func adopt(_ plan: FaultPlan, _ direction: Direction) {
    parts = []
    for (index, fault) in plan.faults.enumerated() {
      var draw = Draw(seed: seed, phone: connection, .wireFault, Int64(index) * 4 + 2)
      guard draw.chance(fault.share) else { continue }
      let chosen: Direction = draw.chance(0.5) ? .forward : .backward
      var part = Part(fault: fault, key: Int64(index) * 4 + direction.rawValue)
      switch fault.kind {
      case .delay, .stall, .throttle: break
      case .halfOpen: if chosen != direction { continue }
      case .cut(let within):
        if chosen != direction { continue }
        part.next = Int(draw.uniform() * Double(max(1, within)))
      case .flip(let probability): Self.findNextFlip(&part, probability, seed, connection)
      }
      parts.append(part)
    }
  }

  /// Changes bytes of `piece` in place. Returns what else happens to the piece.
  mutating func rule(
    on piece: UnsafeMutableRawBufferPointer, at now: WallDuration
  ) -> Ruling {
    var ruling = Ruling(passes: piece.count, at: now)
    counters.bytes += piece.count
    for index in parts.indices where parts[index].fault.isActive(at: now) {
      switch parts[index].fault.kind {
      case .delay(let latency, let jitter):
        counters.delayed += 1
        parts[index].draws += 1
        var draw = draw(parts[index])
        ruling.at += latency + WallDuration(seconds: jitter.seconds * draw.uniform())
      case .stall:
        counters.stalled += 1
        ruling.at = max(ruling.at, parts[index].fault.until)
      case .throttle(let rate):
        counters.throttled += 1
        free = max(ruling.at, free) + WallDuration(seconds: Double(piece.count) / rate)
        ruling.at = free
      case .cut:
        if parts[index].next < parts[index].seen + piece.count {
          ruling.passes = min(ruling.passes, max(0, parts[index].next - parts[index].seen))
          ruling.cuts = true
        }
      case .halfOpen:
        if !isSwallowing { counters.halfOpen += 1 }
        isSwallowing = true
      case .flip(let probability): flip(piece, index, probability)
      }
      parts[index].seen += piece.count
    }
    if ruling.cuts { counters.cut += 1 }
    // After dropped data all further data is dropped, since data after a gap is useless.
    if isSwallowing { ruling.passes = 0 }
    ruling.at = max(ruling.at, last)
    last = ruling.at
    return ruling
  }

  private func draw(_ part: Part) -> Draw {
    Draw(seed: seed, phone: connection, .wireFault, part.key, part.draws)
  }

  private mutating func flip(
    _ piece: UnsafeMutableRawBufferPointer, _ index: Int, _ probability: Double
  ) {
    while parts[index].next < parts[index].seen + piece.count {
      var draw = draw(parts[index])
      // The XOR with 1 ... 255 gives any value but the old one.
      let change = UInt8(1 + draw.next() % 255)
      piece[parts[index].next - parts[index].seen] ^= change
      counters.flipped += 1
      Self.findNextFlip(&parts[index], probability, seed, connection)
    }
  }

  /// Draws the position of the next changed byte. Gaps are geometric, with one draw per change.
  private static func findNextFlip(
    _ part: inout Part, _ probability: Double, _ seed: UInt64, _ connection: UInt32
  ) {
    part.draws += 1
    guard probability > 0 else { return }
    var draw = Draw(seed: seed, phone: connection, .wireFault, part.key, -part.draws)
    let gap = probability < 1 ? log(1 - draw.uniform()) / log(1 - probability) : 0
    // The first byte may be changed, but two changes never hit the same byte.
    let first = part.next == .max ? 0 : part.next + 1
    part.next = gap < 1e15 ? first + Int(gap) : .max - 1
  }
}
