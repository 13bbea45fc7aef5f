/// Daily motifs: a day as an unlabelled directed graph of its places. Counts the 15 motifs that
/// follow from the four rules of Schneider et al. (2013). Two irregular motifs, of which only
/// pictures exist, are omitted, so that shares are slightly low.
enum MovementMotif {
  static let placesMax = 6

  static func isCommon(_ places: [UInt16]) -> Bool {
    var names: [UInt16] = []
    var last = -1
    var edges: UInt64 = 0
    for place in places {
      if !names.contains(place) { names.append(place) }
      guard names.count <= placesMax, let here = names.firstIndex(of: place) else { return false }
      if last >= 0, last != here { edges |= bit(last, here) }
      last = here
    }
    return shapes.contains(canonical(edges, names.count))
  }

  private static func bit(_ from: Int, _ to: Int) -> UInt64 { 1 << UInt64(from * placesMax + to) }

  /// Returns the least bit pattern over all renamings of places, equal for isomorphic graphs.
  private static func canonical(_ edges: UInt64, _ count: Int) -> UInt64 {
    var best = UInt64.max
    for order in permutations[count] {
      var renamed: UInt64 = 0
      var left = edges
      while left != 0 {
        let at = left.trailingZeroBitCount
        left &= left - 1
        renamed |= bit(order[at / placesMax], order[at % placesMax])
      }
      best = min(best, renamed)
    }
    return best | UInt64(count) << 60
  }

  private static let permutations: [[[Int]]] = (0...placesMax).map { count in
    var all: [[Int]] = [[]]
    for next in 0..<count {
      all = all.flatMap { order in
        (0...order.count).map { at in
          var longer = order
          longer.insert(next, at: at)
          return longer
        }
      }
    }
    return all
  }

  private static let tours: [[Int]] = {
    var all: [[Int]] = [[], [1]]
    for places in 3...placesMax {
      all.append([places - 1])
      all.append([1, places - 2])
      if places >= 4 { all.append([1, 1, places - 3]) }
      if places >= 5 { all.append([2, places - 3]) }
    }
    return all
  }()

  private static let shapes: Set<UInt64> = Set(
    tours.map { tours in
      var edges: UInt64 = 0
      var next = 1
      for stops in tours {
        var here = 0
        for _ in 0..<stops {
          edges |= bit(here, next)
          here = next
          next += 1
        }
        edges |= bit(here, 0)
      }
      return canonical(edges, next)
    })
}
