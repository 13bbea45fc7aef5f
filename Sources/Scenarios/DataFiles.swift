internal import Foundation

/// A file of a policy or a profile, whether a scenario uses it or not.
package struct DataFile: Equatable, Sendable {
  let kind: FileKind
  /// The name that scenarios use: the file's name without `.yaml`.
  package let name: String
  package let path: String

  /// The kind in words, such as "policy" or "OS profile".
  package var noun: String { kind.noun }
}

package struct DataFileOutline: Equatable, Sendable {
  package let description: String
  package let remarks: [String]
}

extension ScenarioLibrary {
  /// Every policy and profile, by kind and name. The first folder with a file of the name counts.
  package var dataFiles: [DataFile] {
    let library = FileLibrary(folders: folders)
    return FileKind.allCases.flatMap { kind in
      library.names(of: kind).compactMap { name in
        library.path(of: name, kind).map { DataFile(kind: kind, name: name, path: $0) }
      }
    }
  }

  package var policyNames: [String] { FileLibrary(folders: folders).names(of: .policy) }

  /// Returns the file of a name or path; nil for a scenario, or if no file has the name.
  package func dataFile(_ text: String) -> DataFile? {
    if isPath(text) {
      return kind(of: text).map { DataFile(kind: $0, name: Self.stem(text), path: text) }
    }
    return names.contains(text) ? nil : dataFiles.first { $0.name == text }
  }

  package func check(_ file: DataFile) throws(ScenarioError) -> DataFileOutline {
    switch file.kind {
    case .policy:
      let policy = try read(file, Kind.policy)
      return DataFileOutline(
        description: policy.description, remarks: policy.remarks(on: systems))
    case .os:
      return DataFileOutline(description: try read(file, Kind.os).description, remarks: [])
    case .significantChange:
      let read = try read(file, Kind.significantChange)
      return DataFileOutline(description: read.description, remarks: [])
    case .energy:
      return DataFileOutline(description: try read(file, Kind.energy).description, remarks: [])
    case .sensors:
      return DataFileOutline(description: try read(file, Kind.sensors).description, remarks: [])
    case .people:
      var reading = Reading(library: FileLibrary(folders: Self.around(file) + folders))
      let people = reading.people(at: file.path, named: file.name)
      guard reading.diagnostics.isEmpty, let people else {
        throw ScenarioError(reading.diagnostics)
      }
      return DataFileOutline(description: people.description, remarks: [])
    }
  }

  private func read<Item>(_ file: DataFile, _ kind: Kind<Item>) throws(ScenarioError) -> Item {
    var reading = Reading(library: FileLibrary(folders: Self.around(file) + folders))
    let item = reading.file(at: file.path, named: file.name, kind)
    guard reading.diagnostics.isEmpty, let item else { throw ScenarioError(reading.diagnostics) }
    return item
  }

  /// The OS profiles that can be read. A broken profile is reported by the scenarios that use it.
  private var systems: [Named<OSProfile>] {
    FileLibrary(folders: folders).names(of: .os).compactMap { name in
      do throws(ScenarioError) { return try osProfile(name) } catch { return nil }
    }
  }

  private static func around(_ file: DataFile) -> [String] {
    let end = "/\(file.kind.folder)/\(file.name).yaml"
    let path = file.path.hasPrefix("/") ? file.path : "./\(file.path)"
    return path.hasSuffix(end) ? [String(path.dropLast(end.count))] : []
  }

  private static func stem(_ path: String) -> String {
    let last = path.split(separator: "/").last.map(String.init) ?? path
    return last.hasSuffix(".yaml") ? String(last.dropLast(5)) : last
  }

  private func kind(of path: String) -> FileKind? {
    let folder = "/" + path.split(separator: "/").dropLast().joined(separator: "/")
    if let kind = FileKind.allCases.first(where: { folder.hasSuffix("/\($0.folder)") }) {
      return kind
    }
    var ignored: [Diagnostic] = []
    guard let tree = try? Reading.tree(of: path, &ignored), case .map(let entries) = tree.content
    else { return nil }
    let keys = Set(entries.map(\.key))
    // Returns the kind that shares most keys with the file, unless a key belongs to scenarios only.
    if keys.contains("scenario") || keys.contains("fleet") { return nil }
    let common = FileKind.allCases.map { ($0, keys.intersection($0.keys).count) }
    guard let best = common.max(by: { $0.1 < $1.1 }), best.1 > 0 else { return nil }
    return best.0
  }
}

extension FileKind {
  fileprivate var keys: [String] {
    switch self {
    case .policy: Kind.policy.object.names
    case .os: Kind.os.object.names
    case .significantChange: Kind.significantChange.object.names
    case .energy: Kind.energy.object.names
    case .people: PeopleSchema.people.names
    case .sensors: Kind.sensors.object.names
    }
  }
}
