import Testing

/// The suites that need the machine for themselves: they look at times, at verdicts of a run's
/// performance, or at what the processors do. They run one at a time, after all others.
@Suite(.timeLimit(.minutes(10))) enum Alone {}
