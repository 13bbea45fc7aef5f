import TestSupport
import Testing

/// Suites that need an idle machine: they check times, performance verdicts or CPU use. They run
/// one at a time, after all others.
@Suite(.live, .timeLimit(.minutes(10))) enum Alone {}
