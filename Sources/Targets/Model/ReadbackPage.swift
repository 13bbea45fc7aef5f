package final class ReadbackPage: Sendable {
  package let number: Int
  /// The number of rows on all earlier pages.
  package let offset: Int
  /// The cursor from the previous page; nil for the first page, or for paging without a cursor.
  package let cursor: String?
  /// The address of this page as the previous page gave it; nil for the request's own address.
  package let address: String?

  package static let first = ReadbackPage(number: 1, offset: 0, cursor: nil, address: nil)

  package init(number: Int, offset: Int, cursor: String?, address: String?) {
    self.number = number
    self.offset = offset
    self.cursor = cursor
    self.address = address
  }
}
