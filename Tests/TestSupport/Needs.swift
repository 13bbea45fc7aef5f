package import Testing

/// Why a test fails that CI cannot run.
package struct MissingOracleError: Error, Equatable, CustomStringConvertible {
  package let absence: String
  package var description: String { "\(absence); CI has to have it" }
}

/// Whether a test that asks somebody else can be run.
package enum OracleRule {
  /// - Returns: whether the oracle is there; a test without it skips.
  /// - Throws: where CI runs and the oracle is not there.
  package static func mayRun(_ oracle: Oracle, isCI: Bool = Machine.isCI) throws -> Bool {
    if oracle.isThere { return true }
    if isCI { throw MissingOracleError(absence: oracle.absence) }
    return false
  }
}

extension Trait where Self == ConditionTrait {
  /// The test asks `oracle`. Without it the test is skipped and says so, or fails where CI runs.
  package static func needs(_ oracle: Oracle) -> Self {
    .enabled("\(oracle.absence)") { try OracleRule.mayRun(oracle) }
  }

  /// The test looks at data that lie beside the repository. Where they are absent it is skipped,
  /// of any user.
  package static func needsData(_ isThere: Bool, _ absence: String) -> Self {
    .enabled(if: isThere, Comment(rawValue: absence))
  }
}
