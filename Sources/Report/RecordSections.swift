/// Holds the record of a benchmark and the page that shows it; each record's sections stand beside
/// its page.
struct RecordSections<Record> {
  let record: Record
  let page: Page

  init(_ record: Record, _ page: Page) {
    self.record = record
    self.page = page
  }
}
