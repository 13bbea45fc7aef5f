internal import Core
internal import Scenarios

extension LoadForecast {
  /// Forecasts the load of a plan's run, or takes it from the plan's cache.
  package init(_ plan: RunPlan) {
    let kept = Self.kept(plan)
    if let found = kept?.read(Self.self), found.isPlausible {
      self = found
      return
    }
    let began = plan.wall()
    self.init(plan.scenario, threads: plan.threads)
    guard let cache = plan.cache, (plan.wall() - began).seconds >= cache.worth else { return }
    kept?.keep(self)
  }

  static func kept(_ plan: RunPlan) -> KeptFile? {
    // The number of threads determines the size of a shard, and so the memory per phone.
    KeptFile(plan.cache, .forecast, ["\(plan.scenario.hash)", "\(plan.threads)"])
  }

  private var isPlausible: Bool {
    sample >= 0
      && [startPerSecond, peakPerSecond, bytesPerPhone].allSatisfy((0...1e12).contains)
  }
}
