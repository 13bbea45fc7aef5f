package import Testing

/// Why a test fails that CI cannot run.
package struct MissingOracleError: Error, Equatable, CustomStringConvertible {
  package let absence: String
  package var description: String { "\(absence); CI has to have it" }
}

/// Whether a test that needs an oracle can run.
package enum OracleRule {
  /// - Returns: whether the oracle is there; a test without it skips.
  /// - Throws: if CI runs and the oracle is missing.
  package static func mayRun(_ oracle: Oracle, isCI: Bool = Machine.isCI) throws -> Bool {
    if oracle.isThere { return true }
    if isCI { throw MissingOracleError(absence: oracle.absence) }
    return false
  }
}

extension Trait where Self == ConditionTrait {
  /// The test uses `oracle`. Without it the test is skipped with a message, or fails in CI.
  package static func needs(_ oracle: Oracle) -> Self {
    .enabled("\(oracle.absence)") { try OracleRule.mayRun(oracle) }
  }

  /// The test reads data next to the repository. Without them it is skipped, for any user.
  package static func needsData(_ isThere: Bool, _ absence: String) -> Self {
    .enabled(if: isThere, Comment(rawValue: absence))
  }
}
