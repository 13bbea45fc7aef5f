package import Core
internal import Foundation
internal import Scenarios

/// Thrown if a target cannot be used as its file says, as when a secret is missing.
package struct TargetError: Error, Equatable, CustomStringConvertible {
  /// The problem and its remedy, in a sentence without any secret.
  package let description: String

  package init(_ description: String) { self.description = description }
}

package struct TargetFiles: Sendable {
  static let secretBytesMax = 64 << 10
  /// The size limit of an identity file, enough for a million rows of 256 bytes.
  static let identityBytesMax = 256 << 20

  package let folder: String

  package init(of target: Target) { folder = target.folder }

  package func path(_ file: String) -> String {
    file.hasPrefix("/") ? file : "\(folder)/\(file)"
  }

  /// Reads a secret without leading and trailing whitespace.
  package func secret(_ source: SecretSource) throws(TargetError) -> String {
    let text: String
    switch source {
    case .environment(let name):
      guard let value = ProcessInfo.processInfo.environment[name] else {
        throw TargetError("the environment has no variable \(name) for a secret; set it.")
      }
      text = PlainText.repaired(Array(value.utf8))
    case .file(let file): text = try self.text(of: file, most: Self.secretBytesMax)
    }
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !trimmed.isEmpty else {
      throw TargetError("\(Self.name(source)) holds no secret: it is empty.")
    }
    guard !trimmed.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw TargetError("\(Self.name(source)) holds a control character, which no header may have.")
    }
    return trimmed
  }

  package func identities(
    _ columns: [TargetNames.Column]
  ) throws(TargetError) -> PhoneIdentities {
    var tables: [String: CSVTable] = [:]
    var read: [[String]] = []
    for column in columns {
      let table: CSVTable
      if let known = tables[column.file] {
        table = known
      } else {
        let text = try text(of: column.file, most: Self.identityBytesMax)
        table = try CSVTable(text, name: path(column.file))
        tables[column.file] = table
      }
      read.append(try table.column(column.title))
    }
    return PhoneIdentities(columns: read)
  }

  private static func name(_ source: SecretSource) -> String {
    switch source {
    case .file(let file): file
    case .environment(let name): "the environment's \(name)"
    }
  }

  private func text(of file: String, most: Int) throws(TargetError) -> String {
    let path = path(file)
    do throws(InputFileError) {
      return try InputFile(path, bytesMax: most, isRegular: false).text()
    } catch {
      throw TargetError("\(path): \(error.text)")
    }
  }
}

package struct PhoneIdentities: Sendable {
  package let columns: [[String]]

  /// The number of phones with identities; nil if no identity file limits the number.
  package var phones: Int? { columns.map(\.count).min() }

  package func row(of phone: UInt32) -> [String] {
    columns.compactMap { Int(phone) < $0.count ? $0[Int(phone)] : nil }
  }
}

/// A file of rows with titles in its first line (RFC 4180).
struct CSVTable {
  private let name: String
  private let titles: [String]
  private let rows: [[String]]

  init(_ text: String, name: String) throws(TargetError) {
    self.name = name
    var all = Self.rows(of: text)
    guard !all.isEmpty else { throw TargetError("\(name): is empty.") }
    titles = all.removeFirst()
    rows = all
    for (index, row) in rows.enumerated() where row.count != titles.count {
      throw TargetError(
        "\(name): row \(index + 2) has \(row.count) fields, the first \(titles.count)."
      )
    }
  }

  func column(_ title: String) throws(TargetError) -> [String] {
    guard let index = titles.firstIndex(of: title) else {
      throw TargetError(
        "\(name): has no column '\(title)'; it has \(titles.joined(separator: ", "))."
          + Spelling.hint(for: title, in: titles))
    }
    let column = rows.map { $0[index] }
    if let row = column.firstIndex(where: { $0.utf8.contains { $0 < 0x20 || $0 == 0x7F } }) {
      throw TargetError("\(name): row \(row + 2) has a control character in '\(title)'.")
    }
    return column
  }

  private static func rows(of text: String) -> [[String]] {
    var rows: [[String]] = []
    var row: [String] = []
    var field: [UInt8] = []
    var isQuoted = false
    var bytes = text.utf8.makeIterator()
    var next = bytes.next()
    func endField() {
      row.append(String(decoding: field, as: UTF8.self))
      field = []
    }
    func endRow() {
      endField()
      if row != [""] { rows.append(row) }
      row = []
    }
    while let byte = next {
      next = bytes.next()
      switch byte {
      case 0x22 where isQuoted && next == 0x22:
        field.append(byte)
        next = bytes.next()
      case 0x22 where isQuoted: isQuoted = false
      case 0x22 where field.allSatisfy { $0 == 0x20 }:
        // Blanks before a quote are no part of the field.
        field = []
        isQuoted = true
      case 0x2C where !isQuoted: endField()
      case 0x0A where !isQuoted: endRow()
      case _: field.append(byte)
      }
    }
    if !field.isEmpty || !row.isEmpty { endRow() }
    return rows
  }
}

extension Target {
  package var missingFiles: [String] {
    let files = TargetFiles(of: self)
    var paths = [tls.ca, identity.certificate?.ca ?? "", identity.certificate?.key ?? ""]
    if let schema { paths += [schema.proto, schema.descriptorSet] + schema.imports }
    paths += push?.keys ?? []
    for entry in identity.names {
      switch entry.value {
      case .column(let file, _, _): paths.append(file)
      case .secret(.file(let file)): paths.append(file)
      case .secret(.environment), .pattern: break
      }
    }
    return paths.filter { !$0.isEmpty }.map(files.path).filter {
      !FileManager.default.fileExists(atPath: $0)
    }
  }

  /// Returns a phone's values from the identity files; secret columns are masked, not read.
  package func shownIdentities(of phone: PhoneID) throws(TargetError) -> [String] {
    let columns = TargetPrograms(masked: self).names.columns
    let open = columns.filter { !$0.isSecret }
    let identities = try TargetFiles(of: self).identities(open)
    if let count = identities.phones, Int(phone.rawValue) >= count {
      throw TargetError(
        "\(open[0].file): has \(count) rows, and none for phone \(phone.rawValue); add rows.")
    }
    let row = identities.row(of: phone.rawValue)
    return columns.map { column in
      open.firstIndex(of: column).map { row[$0] } ?? TargetNames.mask
    }
  }
}
