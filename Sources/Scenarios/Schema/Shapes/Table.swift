package struct TableEntry<Value> {
  package let name: String
  package let origin: Origin
  package let value: Value

  package init(name: String, origin: Origin, value: Value) {
    self.name = name
    self.origin = origin
    self.value = value
  }
}

extension TableEntry: Sendable where Value: Sendable {}

extension TableEntry: Equatable where Value: Equatable {}

extension Shape {
  /// A map whose keys the author chooses, in the order written; `what` names the entries.
  package static func table<Item>(
    of item: Shape<Item>, _ what: String, most: Int
  ) -> Shape<[TableEntry<Item>]> where Value == [TableEntry<Item>] {
    let allowed = "a map of at most \(most) \(what), each \(item.allowed)"
    return Shape<[TableEntry<Item>]>(
      allowed: allowed, form: .table(of: item.form, allowed: allowed),
      read: { node, reading in
        guard case .map(let entries) = node.content, entries.count <= most else {
          var found = node.kind
          if case .map(let entries) = node.content { found = "a map of \(entries.count)" }
          reading.diagnose(node.origin, "there is \(found); write \(allowed).")
          return nil
        }
        return entries.compactMap { entry in
          reading.inside(key: entry.key) { item.read(entry.value, &$0) }.map {
            TableEntry(name: entry.key, origin: entry.keyOrigin, value: $0)
          }
        }
      },
      show: { entries, scenario in
        .map(entries.map { ($0.name, item.show($0.value, scenario)) })
      })
  }

  package static func oneOrMore<Item>(
    of item: Shape<Item>, most: Int
  ) -> Shape<[Item]> where Value == [Item] {
    let list = Shape<[Item]>.list(of: item, count: 1...most)
    return Shape<[Item]>(
      allowed: "\(item.allowed), or a list of such", form: .either([item.form, list.form]),
      read: { node, reading in
        if case .list = node.content { return list.read(node, &reading) }
        return item.read(node, &reading).map { [$0] }
      },
      show: { values, scenario in
        values.count == 1 ? item.show(values[0], scenario) : list.show(values, scenario)
      })
  }
}
