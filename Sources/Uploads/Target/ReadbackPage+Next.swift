package import Targets
extension ReadbackPage {
  private static let pagesMax = 1_000

  /// Returns the next page; nil after the last page. `before` has the rows of the previous page.
  package func next(
    after rows: ReadbackRows, before: ReadbackRows?, _ readback: Readback
  ) throws(ReadbackError) -> ReadbackPage? {
    let count = rows.rows.count + rows.unreadable
    if readback.next != nil || readback.cursor != nil {
      guard let next = rows.next else { return nil }
      guard next != cursor ?? address else {
        throw ReadbackError(description: "a page that links to itself as the next")
      }
      return try after(
        count, cursor: readback.cursor == nil ? nil : next,
        address: readback.cursor == nil ? next : nil)
    }
    guard count > 0, readback.asksFor(.offset) || readback.asksFor(.page) else { return nil }
    guard rows != before else {
      throw ReadbackError(description: "the same rows on one page and the next")
    }
    return try after(count, cursor: nil, address: nil)
  }

  private func after(
    _ count: Int, cursor: String?, address: String?
  ) throws(ReadbackError) -> ReadbackPage {
    guard number < Self.pagesMax else {
      throw ReadbackError(description: "more than \(Self.pagesMax) pages")
    }
    return ReadbackPage(
      number: number + 1, offset: offset + count, cursor: cursor, address: address)
  }
}
