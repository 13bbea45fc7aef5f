extension PhoneFleet {
  package var bytesPerPhone: Double {
    var bytes = 0
    var phones = 0
    inOrder {
      bytes += $0.bytes
      phones += $0.count
    }
    return Double(bytes) / Double(max(1, phones))
  }
}
