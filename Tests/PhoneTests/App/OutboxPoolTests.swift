import Core
import TestSupport
import Testing
@testable import Phone

@Suite("Outbox pool", .quick)
struct OutboxPoolTests {
  @Test(
    "outboxes of many phones stay separate and in order under any operations",
    arguments: [1, 2, 3] as [UInt64])
  func arrayModel(seed: UInt64) {
    var draw = Draw(seed: seed, phone: 0, .appSample)
    var pool = OutboxPool()
    var boxes = Array(repeating: OutboxHandle(), count: 30)
    var model = Array(repeating: [Fix](), count: 30)
    for step in 0..<6_000 {
      let i = Int(draw.uniform() * 30)
      switch draw.uniform() {
      case ..<0.6:
        for n in 0..<Int(draw.exponential(mean: 4)) {
          let fix = Fix.at(Double(step), x: Double(n))
          pool.append(fix, to: &boxes[i])
          model[i].append(fix)
        }
      case ..<0.85:
        let n = Int(draw.uniform() * Double(model[i].count + 1))
        pool.dropFirst(n, from: &boxes[i])
        model[i].removeFirst(n)
      default:
        guard !model[i].isEmpty else { continue }
        let at = Int(draw.uniform() * Double(model[i].count))
        pool.remove(at: at, from: &boxes[i])
        model[i].remove(at: at)
      }
      #expect(Int(boxes[i].count) == model[i].count)
      #expect(pool.first(model[i].count, of: boxes[i]) == model[i])
    }
    for i in 0..<30 {
      let half = model[i].count / 2
      #expect(pool.first(half, of: boxes[i]) == Array(model[i].prefix(half)))
    }
  }

  @Test("an emptied outbox can be filled again")
  func emptied() {
    var pool = OutboxPool()
    var box = OutboxHandle()
    for round in 0..<5 {
      let fixes = (0..<(7 + round)).map { Fix.at(Double($0), x: Double(round)) }
      for fix in fixes { pool.append(fix, to: &box) }
      #expect(pool.first(fixes.count, of: box) == fixes)
      pool.dropFirst(fixes.count, from: &box)
      #expect(box.count == 0 && pool.first(0, of: box).isEmpty)
    }
  }
}

extension OutboxPool {
  fileprivate func first(_ n: Int, of box: OutboxHandle) -> [Fix] {
    var fixes: [Fix] = []
    forEach(first: n, of: box) { fixes.append($0) }
    return fixes
  }
}
