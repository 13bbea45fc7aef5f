internal import Core

extension GrowthRecord {
  static func parts(_ input: GrowthInput) -> [Part] {
    let lived = """
      \(Figure.grouped(input.demand.phones)) phones in virtual time, \
      \(Figure.quantity(input.demand.seconds / 3_600)) h
      """
    return [
      Part(
        "batches a second and phone, busiest minute", input.peakPerPhone, "batches/s", .simulated,
        lived),
      Part(
        "batches a phone and day", input.demand.batchesPerPhoneDay, "batches", .simulated, lived),
      Part("bytes of a batch", input.demand.bytesPerBatch, "bytes", .simulated, lived),
      Part(
        "memory of a phone", input.bytesPerPhone, "bytes", .measured,
        "what a fleet that has lived here has allocated"),
      Part(
        "memory of a rank without phones", input.bytesPerRank, "bytes", .measured,
        "this process before any phone lived, without MPI"),
      Part(
        "living of a phone, a second", input.livingSeconds * 1e6, "µs of a core", .measured,
        "processor time of \(lived)"),
      Part(
        "sending of a batch", input.sendingSeconds.map { $0 * 1e6 }, "µs of a core", .measured,
        "the largest full trial that was carried; its batches were encoded beforehand"),
      Part(
        "adding of a rank's second", input.reduceSeconds * 1e6, "µs of a core", .measured,
        "as 'bench reduce' does, here"),
    ] + backend(input) + assumed(input)
  }

  private static func backend(_ input: GrowthInput) -> [Part] {
    let capacity = input.capacity
    let isGiven = capacity.source != .measured
    let perCore = capacity.perCore.low > 0 ? capacity.perCore.low : nil
    return [
      Part(
        "a core of collectors", perCore, "batches/s", isGiven ? .given : .measured,
        isGiven ? "--capacity or --curve" : "searches here, \(capacity.store)"),
      Part(
        "a PostgreSQL server", capacity.database?.carried.low, "batches/s", .measured,
        capacity.database == nil ? "only with --store postgresql" : "the same searches"),
    ]
  }

  private static func assumed(_ input: GrowthInput) -> [Part] {
    let used: [SizingInput.Name] = [.overheadIn, .bytesOut, .bytesStored, .bytesPerPhone]
    let names = [
      "sent beside a batch", "received for a batch", "stored of a batch", "at collectors",
    ]
    return zip(used, names).map { name, words in
      let one = input.sizing.assumptions[name.rawValue]
      let isStored = name == .bytesStored && input.capacity.storedBytesPerBatch != nil
      let text = words == "at collectors" ? "memory of a phone at collectors" : words
      return Part(text, one.value, one.unit, isStored ? .measured : .assumed, one.source)
    } + [
      Part(
        "ports of a rank towards a collector", portsPerAddress, "connections", .assumed,
        "Linux's ip_local_port_range, 32768 to 60999")
    ]
  }

  static func open(_ input: GrowthInput) -> [String] {
    var open = [
      """
      More than this machine: ranks, collectors and databases are taken to grow in proportion, and \
      nothing of the network between them was measured.
      """,
      """
      Seconds within the busiest minute: what all phones do in one second is spread over its minute.
      """,
      "Encoding and journal of a rank, and MPI's own threads and memory.",
    ]
    if input.sendingSeconds == nil {
      open.append(
        "What sending costs a rank: leave out --capacity and --curve, so that trials run.")
    }
    if input.capacity.database == nil {
      open.append("What a PostgreSQL server carries: --store postgresql measures one.")
    }
    return open
  }
}

extension GrowthRecord.Part {
  fileprivate init(
    _ name: String, _ value: Double?, _ unit: String, _ basis: GrowthRecord.Basis, _ source: String
  ) {
    self.name = name
    self.unit = unit
    self.basis = basis
    self.source = source
    self.value = value
  }
}
