package import Core

extension CollectorLedger.Column {
  package func copy(into account: inout Account) {
    account.received = Int(received)
    account.distinct = Int(distinct)
    account.duplicate = Int(duplicate)
    account.rejectedBy = [:]
    for reason in Rejection.allCases where rejected[Int(reason.rawValue)] > 0 {
      account.reject(Int(rejected[Int(reason.rawValue)]), reason: "\(reason)")
    }
  }
}
