/// Which page of a read-back is asked for.
package final class ReadbackPage: Sendable {
  /// The page's number, from 1.
  package let number: Int
  /// Counts the rows of the pages before it.
  package let offset: Int
  /// The cursor that the page before named; nil: it is the first, or pages go by another way.
  package let cursor: String?
  /// The address that the page before named; nil: as the request writes it.
  package let address: String?

  /// The first page.
  package static let first = ReadbackPage(number: 1, offset: 0, cursor: nil, address: nil)

  /// Creates a page.
  package init(number: Int, offset: Int, cursor: String?, address: String?) {
    self.number = number
    self.offset = offset
    self.cursor = cursor
    self.address = address
  }
}
