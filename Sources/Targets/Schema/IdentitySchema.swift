internal import Scenarios

enum IdentitySchema {
  static var identity: Shape<Identity> {
    let names = Shape<[TableEntry<IdentitySource>]>.table(of: source, "names", most: 32)
    let allowed = "a map of names such as id and token, and certificate"
    return Shape(
      allowed: allowed,
      form: .table(of: .either([source.form, certificate.form]), allowed: allowed),
      read: { node, reading in
        guard case .map(let entries) = node.content else {
          reading.diagnose(node.origin, "there is \(node.kind); write \(allowed).")
          return nil
        }
        var others = node
        others.content = .map(entries.filter { $0.key != "certificate" })
        guard let read = names.read(others, &reading) else { return nil }
        for entry in read { check(entry, &reading) }
        var identity = Identity(names: read)
        if let node = node.value(of: "certificate") {
          identity.certificate = reading.inside(key: "certificate") {
            certificate.read(node, into: CertificateSource(), &$0)
          }
        }
        return identity
      },
      show: { identity, scenario in names.show(identity.names, scenario) })
  }

  private static func check(_ entry: TableEntry<IdentitySource>, _ reading: inout Reading) {
    if ValueSource.builtIn.contains(where: { $0.name == entry.name }) {
      reading.diagnose(entry.origin, "'\(entry.name)' is a built-in value; rename it.")
    }
    guard case .pattern(let text) = entry.value else { return }
    for case .value(let reference) in text.parts {
      switch reference.source {
      case .phone?, .epoch?: break
      case .literal?, .sequence?, .count?, .index?, .batch?, .uuid?, .traceparent?, .number?,
        .now?, .from?, .to?, .offset?, .page?, .cursor?, .latitude?, .longitude?, .accuracy?,
        .altitude?, .speed?,
        .course?, .time?, .battery?, .charging?, .motion?, .trigger?, .policy?, .os?, .pushToken?,
        .pushService?, .event?, .column?, .kept?, nil:
        reading.note(
          text.origin,
          "'\(reference.name)' cannot identify a phone; write {phone}, {phone:07} or {epoch}.")
      }
    }
  }

  private static var source: Shape<IdentitySource> {
    let pattern = Shape<ValueText>.valueText
    let column = ObjectShape<Column>(fields: [
      Field("csv", \.file, .path, required: true, "CSV file with a row per phone."),
      Field("column", \.title, .text, required: true, "Title of the column in the first line."),
      Field("secret", \.isSecret, .yesNo, "Whether all output masks the values."),
    ])
    let allowed =
      "a text such as a{phone:07}, { csv: FILE, column: TITLE }, { file: FILE } or "
      + "{ env: NAME }"
    return Shape(
      allowed: allowed, form: .either([pattern.form, column.form, SecretSchema.secret.form]),
      read: { node, reading in
        guard case .map(let entries) = node.content else {
          return pattern.read(node, &reading).map { .pattern($0) }
        }
        guard entries.contains(where: { $0.key == "csv" || $0.key == "column" }) else {
          return SecretSchema.secret.read(node, &reading).map { .secret($0) }
        }
        return column.read(node, into: Column(), &reading).map {
          .column(file: $0.file, title: $0.title, isSecret: $0.isSecret)
        }
      },
      show: { value, scenario in
        switch value {
        case .pattern(let text): .scalar(text.written)
        case .column(let file, let title, let isSecret):
          column.show(Column(file: file, title: title, isSecret: isSecret), scenario)
        case .secret(let secret): SecretSchema.secret.show(secret, scenario)
        }
      })
  }

  private struct Column {
    var file = ""
    var title = ""
    /// Columns are secret unless declared otherwise.
    var isSecret = true
  }

  private static var certificate: ObjectShape<CertificateSource> {
    ObjectShape(fields: [
      Field("ca", \.ca, .path, required: true, "CA certificate that signs (PEM)."),
      Field("key", \.key, .path, required: true, "Key of the CA (PEM)."),
      Field("name", \.name, .valueText, "Common name of a phone's certificate."),
    ])
  }
}

enum SecretSchema {
  static var secret: Shape<SecretSource> {
    Shape.oneOf([
      .map(
        "file", Shape<String>.path, { .file($0) },
        { if case .file(let path) = $0 { path } else { nil } }),
      .map(
        "env", Shape<String>.text, { .environment($0) },
        { if case .environment(let name) = $0 { name } else { nil } }),
    ])
  }
}

extension Shape<String> {
  /// The path of a file, relative to the folder of the target's file.
  static var path: Shape {
    .scalar(
      "the path of a file, relative to this file's folder",
      parse: { (text, _) throws(ValueError) in text }, show: { value, _ in value })
  }

  static var text: Shape {
    .scalar("a text", parse: { (text, _) throws(ValueError) in text }, show: { value, _ in value })
  }
}

extension Shape<Bool> {
  static var yesNo: Shape {
    .word(
      [("yes", true), ("no", false), ("true", true), ("false", false)],
      name: { $0 ? "yes" : "no" })
  }
}
