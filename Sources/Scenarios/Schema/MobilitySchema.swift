internal import Core

extension Shape<CohortMobility> {
  static var mobility: Shape {
    let agenda = Shape<MobilityKind>.word(MobilityKind.self)
    let replay = Self.replay
    let names = MobilityKind.allCases.map(\.rawValue)
    return Shape(
      allowed: "one of \(names.joined(separator: ", ")), or { gpx: FILES, … }",
      keys: replay.keys, form: .either([agenda.form, replay.form]),
      read: { node, reading in
        switch node.content {
        case .scalar("gpx"):
          reading.diagnose(node.origin, "'gpx' needs its files; write { gpx: FILES }.")
          return nil
        case .scalar: return agenda.read(node, &reading).map { .agenda($0) }
        case .map, .list:
          let before = reading.diagnostics.count
          guard var read = replay.read(node, into: .standard, &reading),
            reading.diagnostics.count == before
          else { return nil }
          read.recordings = reading.recordings(read, at: node)
          return .recorded(read)
        }
      },
      show: { value, scenario in
        switch value {
        case .agenda(let kind): agenda.show(kind, scenario)
        case .recorded(let value): replay.show(value, scenario)
        }
      })
  }

  private static var replay: ObjectShape<Replay> {
    ObjectShape(fields: [
      Field("gpx", \.gpx, .recordingPaths, required: true, "Paths and globs of GPX files."),
      Field(
        "split", \.split, .word(Replay.Split.self),
        "Whether a file is one person's journey, or each of its tracks is."),
      Field(
        "align", \.align, .word(Replay.Alignment.self),
        "Whether recordings begin at the scenario's start or keep their time of day."),
      Field(
        "speed", \.speed, .speed(0.1, 300),
        "Replay speed of a file without times, where its points have no speed."),
    ])
  }
}

extension Shape<[String]> {
  static var recordingPaths: Shape {
    let item = Shape<String>.path("a path or glob")
    return Shape(
      allowed: "a path or glob of GPX files, or a list of them",
      form: .either([item.form, .list(of: item.form, count: 1...RecordingFiles.filesMax)]),
      read: { node, reading in
        let nodes: [YAMLNode]
        switch node.content {
        case .scalar, .map: nodes = [node]
        case .list(let items): nodes = items
        }
        var paths: [String] = []
        for node in nodes {
          if let path = item.read(node, &reading) { paths.append(path) }
        }
        if nodes.isEmpty { reading.diagnose(node.origin, "there is no file; write one or more.") }
        return paths.count == nodes.count && !paths.isEmpty ? paths : nil
      },
      show: { paths, _ in paths.count == 1 ? .scalar(paths[0]) : .list(paths.map { .scalar($0) }) })
  }
}

extension Shape<Speed> {
  static func speed(_ from: Double, _ to: Double) -> Shape {
    let low = Quantity.text(from, Quantity.speeds)
    let high = Quantity.text(to, Quantity.speeds)
    return .scalar(
      "a speed from \(low) to \(high) with its unit: km/h or m/s",
      parse: { (text, _) throws(ValueError) in
        let (number, unit) = try Quantity.parse(text, Quantity.speeds)
        let speed = number * unit.worth
        guard (from...to).contains(speed) else { throw ValueError("'\(text)' is out of range") }
        return Speed(metersPerSecond: speed)
      },
      show: { value, _ in Quantity.text(value.metersPerSecond, Quantity.speeds) })
  }
}

extension Reading {
  fileprivate mutating func recordings(_ replay: Replay, at node: YAMLNode) -> [Int] {
    let origin = node.value(of: "gpx")?.origin ?? node.origin
    var indices: [Int] = []
    for pattern in replay.gpx {
      do throws(GPXError) {
        for path in try RecordingFiles.files(pattern) {
          do throws(GPXError) {
            indices += try recordings(path, replay)
          } catch {
            inside(key: "gpx") {
              $0.diagnose(origin, error.sentence(RecordingFiles.shown(path)))
            }
          }
        }
      } catch {
        inside(key: "gpx") {
          $0.diagnose(origin, error.sentence(RecordingFiles.shown(pattern)))
        }
      }
    }
    return indices
  }

  /// Returns the indices of a file's recordings, which cohorts with the same file and speed share.
  private mutating func recordings(_ path: String, _ replay: Replay) throws(GPXError) -> [Int] {
    let read = try RecordingFiles.read(
      path, speed: replay.speed, splitsTracks: replay.split == .track, progress: library.progress)
    var indices: [Int] = []
    for recording in read { indices.append(try index(of: recording)) }
    return indices
  }

  private mutating func index(of recording: Recording) throws(GPXError) -> Int {
    if let index = recordings.firstIndex(of: recording) { return index }
    let total = recordings.reduce(recording.points.count) { $0 + $1.points.count }
    guard total <= Self.recordedPointsMax else {
      throw .tooLarge("makes more than \(Self.recordedPointsMax) points in total; name fewer files")
    }
    recordings.append(recording)
    return recordings.count - 1
  }

  /// The limit for all recordings together. Reading them takes 240 MB, and replaying as much again.
  private static var recordedPointsMax: Int { 10_000_000 }
}
