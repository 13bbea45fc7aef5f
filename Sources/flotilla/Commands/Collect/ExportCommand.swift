internal import Collector
internal import Commands
internal import Core
internal import Foundation

struct ExportOptions: Equatable {
  var store = ""
  var format = StoreExport.Format.csv
  var phone: PhoneID?
  /// The output path; nil for standard output.
  var out: String?
  var dictionary: String?
}

enum ExportCommand {
  static var command: Command {
    Command(
      "export", "Export the fixes of a collector's store as CSV, GPX or GeoJSON.",
      positionals: [
        Positional(name: "STORE", help: "Path of the SQLite file, or URL of the database.") {
          $1.store = $0
        }
      ],
      options: [
        .word("--format", \.format, "Output format; default csv."),
        Option(
          "--phone", "ID", "Export this phone only.", wanted: "the number of a phone, such as 17",
          { UInt32($0).map { PhoneID(rawValue: $0) } }, set: { $1.phone = $0 }),
        .text(
          "--dictionary", "FILE", \.dictionary,
          "zstd dictionary of the collector."),
        .text("--out", "FILE", \.out, "Output file; default standard output."),
      ],
      examples: [
        "flotilla export collector.sqlite --format csv | head",
        "flotilla export collector.sqlite --format gpx --phone 17 --out phone-17.gpx",
        "flotilla export collector.sqlite --format geojson --out fleet.geojson",
      ],
      start: ExportOptions(), body: run)
  }

  private static func run(_ options: ExportOptions, _ console: Console) throws -> ExitCode {
    let file = options.out.map(OutputFile.init)
    let dictionary = try options.dictionary.map(DictionaryFile.read)
    let outcome = try StoreExport.run(
      StoreAddress(named: options.store), format: options.format, phone: options.phone,
      dictionary: dictionary
    ) { bytes in
      guard let file else { return console.write(bytes) }
      return file.write(bytes)
    }
    if let reason = file?.problem {
      throw CommandError(
        exit: .cannotListenOrWrite,
        message: "\(file?.path ?? ""): cannot be written (\(reason)); choose another --out.")
    }
    if outcome.damaged > 0 {
      throw CommandError(
        exit: .loss,
        message: "\(options.store): \(Figure.grouped(outcome.damaged)) damaged batches "
          + "skipped; 'flotilla verify' lists them.")
    }
    if file != nil {
      console.printError(
        "\(Figure.grouped(outcome.fixes)) fixes of \(Figure.grouped(outcome.batches)) batches")
    }
    return .pass
  }
}

private final class OutputFile {
  let path: String
  private var descriptor: Int32?
  private(set) var problem: String?

  init(_ path: String) { self.path = path }

  func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    do throws(FileOutput.WriteError) {
      if descriptor == nil { descriptor = try FileOutput.open(path) }
      guard let descriptor else { return false }
      try FileOutput.write(bytes, to: descriptor, named: path)
      return true
    } catch {
      problem = error.reason
      return false
    }
  }

  deinit { if let descriptor { close(descriptor) } }
}
