package import Core

extension Segment {
  /// Returns the first instant in (t, end] at which the true position is farther than `radius`
  /// metres from `centre`; nil if the phone stays inside until `end`.
  package func exit(
    from centre: PlanePoint, radius: Double, after t: SimInstant
  ) -> SimInstant? {
    firstInstant(after: t, centre: centre, radius: radius, wantInside: false)
  }

  /// Returns the first instant in (t, end] at which the true position is within `radius` metres of
  /// `centre`; nil if there is none.
  package func entry(
    into centre: PlanePoint, radius: Double, after t: SimInstant
  ) -> SimInstant? {
    firstInstant(after: t, centre: centre, radius: radius, wantInside: true)
  }

  package func timeWithin(
    _ centre: PlanePoint, radius: Double, from: SimInstant, to: SimInstant
  ) -> SimDuration {
    let begin = max(from, start)
    let finish = min(to, end)
    guard begin < finish else { return .zero }
    if isOnePoint {
      return isInside(begin, centre: centre, radius: radius) ? finish - begin : .zero
    }
    switch geometry {
    case .streets(let leg):
      var scan = CircleScan(on: leg, of: self, centre: centre, radius: radius, from: begin)
      let distance = position(at: begin, &scan.leg, leg.grid).distance(to: centre)
      // In most cases the circle's edge is too far away to be reached, from outside or from inside.
      let reach = scan.leg.travel.speed * (finish - begin).seconds + 0.01
      if distance > radius + reach { return .zero }
      if distance < radius - reach { return finish - begin }
      return sum(of: begin, finish, isInside: isInside(begin, &scan, leg.grid)) {
        firstInstant(after: $0, &scan, leg.grid, wantInside: $1)
      }
    case .recorded:
      return sum(
        of: begin, finish, isInside: isInside(begin, centre: centre, radius: radius)
      ) { firstInstant(after: $0, centre: centre, radius: radius, wantInside: $1) }
    }
  }

  private func sum(
    of begin: SimInstant, _ finish: SimInstant, isInside: Bool,
    _ crossing: (SimInstant, _ wantInside: Bool) -> SimInstant?
  ) -> SimDuration {
    var sum = SimDuration.zero
    var cursor = begin
    var inside = isInside
    while cursor < finish {
      let border = min(crossing(cursor, !inside) ?? finish, finish)
      if inside { sum += border - cursor }
      cursor = border
      inside.toggle()
    }
    return sum
  }

  func isInside(_ instant: SimInstant, centre: PlanePoint, radius: Double) -> Bool {
    position(at: instant).distanceSquared(to: centre) <= radius * radius
  }

  private var isOnePoint: Bool {
    switch geometry {
    case .streets: !isMoving
    case .recorded(let run): run.isOnePoint
    }
  }

  private func firstInstant(
    after t: SimInstant, centre: PlanePoint, radius: Double, wantInside: Bool
  ) -> SimInstant? {
    let first = max(t, start - .microseconds(1)) + .microseconds(1)
    guard first <= end else { return nil }
    if isOnePoint {
      return isInside(first, centre: centre, radius: radius) == wantInside ? first : nil
    }
    switch geometry {
    case .streets(let leg):
      var scan = CircleScan(on: leg, of: self, centre: centre, radius: radius, from: first)
      return firstInstant(after: t, &scan, leg.grid, wantInside: wantInside)
    case .recorded(let run):
      return search(
        from: first,
        wanted: { self.isInside($0, centre: centre, radius: radius) == wantInside },
        crossing: { instant in
          run.crossing(
            from: instant, before: self.end, centre: centre, radius: radius,
            wantInside: wantInside)
        })
    }
  }

  private func isInside(
    _ instant: SimInstant, _ scan: inout CircleScan, _ grid: StreetGrid
  ) -> Bool {
    let here = position(at: instant, &scan.leg, grid)
    return here.distanceSquared(to: scan.place) <= scan.radius * scan.radius
  }

  private func firstInstant(
    after t: SimInstant, _ scan: inout CircleScan, _ grid: StreetGrid, wantInside: Bool
  ) -> SimInstant? {
    let first = max(t, start - .microseconds(1)) + .microseconds(1)
    guard first <= end else { return nil }
    scan.wantInside = wantInside
    return search(
      from: first,
      wanted: { isInside($0, &scan, grid) == wantInside },
      crossing: { instant in
        // Rounds up to the first whole microsecond that can be beyond the edge.
        scan.crossing(from: seconds(to: instant)).map {
          start + .microseconds(Int64(($0 * 1e6).rounded(.up)))
        }
      })
  }

  /// Returns the first wanted instant at or after `first`, found near floating-point crossings.
  private func search(
    from first: SimInstant, wanted: (SimInstant) -> Bool,
    crossing: (SimInstant) -> SimInstant?
  ) -> SimInstant? {
    if wanted(first) { return first }
    var now = first
    while let guess = crossing(now) {
      if let exact = settle(near: min(guess, end), above: first, wanted) { return exact }
      // After a touch shorter than a microsecond the search continues.
      now = max(guess, now) + .microseconds(2)
    }
    return wanted(end) ? end : nil
  }

  /// Returns the first wanted microsecond near a floating-point crossing; nil if there is none.
  private func settle(
    near guess: SimInstant, above first: SimInstant, _ wanted: (SimInstant) -> Bool
  ) -> SimInstant? {
    let step = SimDuration.microseconds(1)
    var instant = guess
    var holds = wanted(instant)
    for _ in 0..<4 where !holds && instant < end {
      instant += step
      holds = wanted(instant)
    }
    guard holds else { return nil }
    while instant - step > first, wanted(instant - step) { instant = instant - step }
    return instant
  }
}

/// Scans a leg's straight pieces for crossings of a circle.
struct CircleScan {
  var leg: LegReader
  let place: PlanePoint
  let centre: PlanePoint
  let radius: Double
  var wantInside = false

  init(
    on leg: StreetLeg, of segment: Segment, centre: PlanePoint, radius: Double,
    from instant: SimInstant
  ) {
    self.leg = LegReader(
      LegTravel(leg, segment.mode, segment.duration), at: segment.seconds(to: instant))
    place = centre
    self.centre = leg.grid.turned(centre)
    self.radius = radius
  }

  /// Returns the first crossing at or after `begin`, in seconds from the leg's start. At distance g
  /// from the circle's edge the scan jumps ahead by g / speed, to read fewer pieces.
  mutating func crossing(from begin: Double) -> Double? {
    var now = begin
    while now < leg.travel.duration {
      let progress = leg.progress(at: now)
      if progress.isStopped {
        now = max(progress.until, now + 1e-7)
        continue
      }
      let piece = leg.piece(at: progress.distance)
      let here = piece.point(at: progress.distance)
      let safe = now + abs(here.distance(to: centre) - radius) / leg.travel.speed
      let left = max(0, piece.end - progress.distance)
      let finish = min(now + left / leg.travel.speed, progress.until)
      if safe < finish {
        if let hit = crossing(from: here, toward: piece, starting: now, before: finish) {
          return hit
        }
      }
      // Steps slightly beyond the corner, so that rounding cannot stop the scan, or jumps slightly
      // short, so that rounding cannot carry the scan over the edge.
      now = max(finish + 1e-7, safe - 1e-6)
    }
    return nil
  }

  private func crossing(
    from here: PlanePoint, toward piece: LegPath.Piece, starting now: Double, before finish: Double
  ) -> Double? {
    let delta = piece.to - piece.from
    let span = abs(delta.x) + abs(delta.y)
    guard span > 0 else { return nil }
    let unit = delta * (1 / span)
    let off = here - centre
    let along = off.x * unit.x + off.y * unit.y
    let across = off.x * off.x + off.y * off.y - radius * radius
    let discriminant = along * along - across
    guard discriminant >= 0 else { return nil }
    let root = discriminant.squareRoot()
    // From inside the first root is in the past, and from outside the first root is the entry.
    let way = wantInside ? -along - root : -along + root
    guard way >= -1e-4 else { return nil }  // A tenth of a millimetre, for rounding.
    let hit = now + max(0, way) / leg.travel.speed
    return hit <= finish + 1e-7 ? hit : nil
  }
}
