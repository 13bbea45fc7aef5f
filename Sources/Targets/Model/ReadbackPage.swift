package final class ReadbackPage: Sendable {
  package let number: Int
  /// The number of rows of the pages before it.
  package let offset: Int
  /// The cursor from the page before; nil on the first page, or for other paging.
  package let cursor: String?
  /// The address from the page before; nil for that of the request.
  package let address: String?

  package static let first = ReadbackPage(number: 1, offset: 0, cursor: nil, address: nil)

  package init(number: Int, offset: Int, cursor: String?, address: String?) {
    self.number = number
    self.offset = offset
    self.cursor = cursor
    self.address = address
  }
}
