internal import Core

extension GrowthRecord {
  static func parts(_ input: GrowthInput) -> [Part] {
    let lived = """
      \(Figure.grouped(input.demand.phones)) simulated phones, \
      \(Figure.quantity(input.demand.seconds / 3_600)) h
      """
    return [
      Part(
        "batches/s per phone, busiest minute", input.peakPerPhone, "batches/s", .simulated,
        lived),
      Part(
        "batches per phone-day", input.demand.batchesPerPhoneDay, "batches", .simulated, lived),
      Part("bytes per batch", input.demand.bytesPerBatch, "bytes", .simulated, lived),
      Part(
        "memory per phone", input.bytesPerPhone, "bytes", .measured,
        "allocated by a simulated fleet on this machine"),
      Part(
        "memory of a rank without phones", input.bytesPerRank, "bytes", .measured,
        "this process before the simulation, without MPI"),
      Part(
        "simulating a phone for 1 s", input.livingSeconds * 1e6, "µs of a core", .measured,
        "CPU time of \(lived)"),
      Part(
        "sending a batch", input.sendingSeconds.map { $0 * 1e6 }, "µs of a core", .measured,
        "the largest sustained full trial, with pre-encoded batches"),
      Part(
        "merging 1 s of a rank", input.reduceSeconds * 1e6, "µs of a core", .measured,
        "measured as in 'bench reduce'"),
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
      "overhead sent per batch", "received per batch", "stored per batch",
      "memory per phone at collectors",
    ]
    return zip(used, names).map { name, words in
      let one = input.sizing.assumptions[name.rawValue]
      let isStored = name == .bytesStored && input.capacity.storedBytesPerBatch != nil
      return Part(words, one.value, one.unit, isStored ? .measured : .assumed, one.source)
    } + [
      Part(
        "ports of a rank per collector", portsPerAddress, "connections", .assumed,
        "Linux's ip_local_port_range, 32768 to 60999")
    ]
  }

  static func open(_ input: GrowthInput) -> [String] {
    var open = [
      """
      Several machines: ranks, collectors and databases are assumed to scale linearly; the network \
      between them is not measured.
      """,
      """
      Peaks within the busiest minute: its batches are assumed to be evenly spread.
      """,
      "Encoding and journal of a rank; threads and memory of MPI.",
    ]
    if input.sendingSeconds == nil {
      open.append(
        "Cost of sending: omit --capacity and --curve to run trials.")
    }
    if input.capacity.database == nil {
      open.append("Capacity of a PostgreSQL server: use --store postgresql.")
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
