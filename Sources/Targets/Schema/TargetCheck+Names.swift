internal import Scenarios

extension TargetCheck {
  /// Checks names even after other mistakes, unless a mistake may have hidden a name's definition.
  static func checkNames(_ target: Target, from node: YAMLNode, _ reading: inout Reading) {
    guard !reading.diagnostics.isEmpty, case .map(let entries) = node.content else { return }
    let known = TargetSchema.target.names
    let origins = ["identity", "register"]
    for entry in entries {
      var apart = Reading()
      switch entry.key {
      case "identity": _ = IdentitySchema.identity.read(entry.value, &apart)
      case "register": _ = RequestSchema.register.read(entry.value, into: Registration(), &apart)
      case _ where known.contains(entry.key): continue
      case _:
        let isMeant = origins.contains { Spelling.nearest(to: entry.key, in: [$0]) != nil }
        guard isMeant else { continue }
        return
      }
      guard apart.diagnostics.isEmpty else { return }
    }
    var names = Reading()
    checkNames(target, &names)
    for found in names.diagnostics where !reading.diagnostics.contains(found) {
      reading.note(found.origin, found.text)
    }
  }

  static func checkNames(_ target: Target, _ reading: inout Reading) {
    let names = TargetNames(
      target.identity.names, kept: target.register?.keep.map(\.name) ?? [],
      secret: { _ in TargetNames.mask })
    for text in target.texts {
      if let diagnostic = names.diagnostic(of: text) {
        reading.note(diagnostic.origin, diagnostic.text)
      }
      if let name = names.nameWithoutBraces(in: text) {
        reading.note(
          text.origin,
          "'$\(name)' is a value only on its own; within a text it would be sent "
            + "literally; write {\(name)}.")
      }
    }
    var others = target
    others.readback = nil
    others.events?.readback = nil
    others.view = nil
    for text in others.texts {
      for case .value(let reference) in text.parts
      where reference.source?.isOfReadback == true {
        reading.note(text.origin, "'\(reference.name)' is a value only in the readback.")
      }
    }
    others = target
    others.events = nil
    for text in others.texts {
      for case .value(let reference) in text.parts where reference.source?.isOfEvent == true {
        reading.note(text.origin, "'\(reference.name)' is a value only in 'events'.")
      }
    }
    for entry in target.register?.keep ?? [] where names.isTakenTwice(entry.name) {
      reading.note(entry.origin, "'\(entry.name)' is already a name; use another.")
    }
  }
}

extension Target {
  var texts: [ValueText] {
    var texts = [mqtt.client, mqtt.user, mqtt.password] + websocket.request.texts
    texts += websocket.open.flatMap(\.request.texts)
    if let name = identity.certificate?.name { texts.append(name) }
    if let will = mqtt.will {
      texts.append(will.topic)
      will.message?.forEachValue { texts.append($0.text) }
    }
    texts += upload.request.texts
    texts += upload.backlog?.request.texts ?? []
    texts += register?.request.texts ?? []
    texts += events?.request.texts ?? []
    texts += events?.readback?.request.texts ?? []
    texts += readback?.request.texts ?? []
    if let readback { texts.append(readback.postgres) }
    texts += view?.request.texts ?? []
    texts += view?.open.flatMap(\.request.texts) ?? []
    // A text that a backlog inherits from its upload counts once.
    var seen: Set<ValueText> = []
    return texts.filter { seen.insert($0).inserted }
  }
}

extension Readback {
  package func asksFor(_ source: ValueSource) -> Bool {
    (request.texts + [postgres]).contains { text in
      text.parts.contains { part in
        if case .value(let reference) = part { reference.source == source } else { false }
      }
    }
  }
}

extension RequestForm {
  fileprivate var texts: [ValueText] {
    var texts = [path, topic] + headers.flatMap(\.value.texts)
    if let basic { texts += [basic.user, basic.password] }
    if let text { texts.append(text) }
    for node in [query, message, form] { node?.forEachValue { texts.append($0.text) } }
    return texts
  }
}
