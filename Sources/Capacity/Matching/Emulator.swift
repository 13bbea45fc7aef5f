internal import Foundation

/// A fast approximation of a simulated figure over the unit cube: ridge regression on a constant,
/// linear terms, squares and products of the inputs. More terms are used only if they make the
/// leave-one-out error clearly smaller. This error is also the emulator's variance.
package struct Emulator: Equatable, Sendable {
  /// The coordinates of a point that the figure depends on.
  package let inputs: [Int]
  /// The mean squared leave-one-out error, the noise of a simulation included; infinite with fewer
  /// than three values.
  package private(set) var variance = Double.infinity
  private var constant = 0.0
  private var linear: [Double]
  /// The weights of the products of input i with inputs i, i + 1, …, row by row.
  private var products: [Double]

  /// The tried penalties per value; the penalty of a fit is this times the number of values.
  private static let penalties = [1e-4, 1e-3, 1e-2, 0.1, 1]
  /// More terms, or a smaller penalty, must lower the error to less than this share.
  private static let gain = 0.95
  private static let valuesMin = 3

  /// - Parameter values: the figure at each point. Points whose figure is nil or not finite are
  ///   left out.
  package init(_ points: [[Double]], _ values: [Double?], inputs: [Int]) {
    self.inputs = inputs
    linear = [Double](repeating: 0, count: inputs.count)
    products = [Double](repeating: 0, count: inputs.count * (inputs.count + 1) / 2)
    var rows: [[Double]] = []
    var known: [Double] = []
    for (point, value) in zip(points, values) {
      guard let value, value.isFinite else { continue }
      rows.append(inputs.map { Self.centred(point[$0]) })
      known.append(value)
    }
    guard !known.isEmpty else { return }
    let count = Double(known.count)
    constant = known.reduce(0, +) / count
    guard known.count >= Self.valuesMin else { return }
    let scale = count / (count - 1)
    let mean = constant
    variance = known.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count * scale * scale
    guard variance > 0 else { return }
    let all = Term.all(inputs.count)
    for terms in [all.linear, all.linear + all.squares, all.linear + all.squares + all.products] {
      let design = RidgeDesign(rows, terms, known)
      for penalty in Self.penalties.reversed() {
        guard let fit = design.fit(penalty: penalty * count), fit.error < variance * Self.gain
        else { continue }
        variance = fit.error
        take(terms, fit.weights, fit.constant)
      }
    }
  }

  private static func centred(_ place: Double) -> Double { 2 * place - 1 }

  private mutating func take(_ terms: [Term], _ weights: [Double], _ constant: Double) {
    self.constant = constant
    for (term, weight) in zip(terms, weights) {
      if let other = term.other {
        products[productPlace(term.input, other)] = weight
      } else {
        linear[term.input] = weight
      }
    }
  }

  private func productPlace(_ i: Int, _ j: Int) -> Int {
    i * inputs.count - i * (i - 1) / 2 + j - i
  }

  package func mean(at point: [Double]) -> Double {
    var sum = constant
    var place = 0
    for i in inputs.indices {
      let u = Self.centred(point[inputs[i]])
      var slope = linear[i]
      for j in i..<inputs.count {
        slope += products[place] * Self.centred(point[inputs[j]])
        place += 1
      }
      sum += slope * u
    }
    return sum
  }
}

extension Emulator {
  /// Returns the inputs that a figure depends on, by forward selection: at each step the input that
  /// explains most of the rest of the figure, as long as this is more than chance explains.
  ///
  /// The limit is the expected largest correlation of as many columns of noise (Donoho and
  /// Johnstone, Biometrika 81, 1994).
  ///
  /// - Parameters:
  ///   - columns: the positions of each candidate at all points.
  ///   - values: the figure at each point. Points whose figure is nil or not finite are left out.
  /// - Returns: indices of `columns`, most important first, at most `most`.
  package static func inputs(
    of columns: [[Double]], _ values: [Double?], most: Int
  ) -> [Int] {
    let known = values.indices.filter { values[$0]?.isFinite ?? false }
    guard known.count >= valuesMin, !columns.isEmpty else { return [] }
    func centred(_ all: [Double]) -> [Double] {
      let mean = all.reduce(0, +) / Double(all.count)
      return all.map { $0 - mean }
    }
    func product(_ a: [Double], _ b: [Double]) -> Double {
      zip(a, b).reduce(0) { $0 + $1.0 * $1.1 }
    }
    var rest = centred(known.map { values[$0] ?? 0 })
    var columns = columns.map { column in centred(known.map { column[$0] }) }
    let limit = 2 * log(2 * Double(columns.count)) / Double(known.count)
    var found: [Int] = []
    while found.count < min(most, known.count / 4) {
      let left = product(rest, rest)
      guard left > 1e-18 else { break }
      /// The share of the rest that each column explains.
      let shares = columns.map { column in
        let own = product(column, column)
        let both = product(column, rest)
        return own > 1e-9 ? both * both / own / left : 0
      }
      guard let best = shares.indices.max(by: { shares[$0] < shares[$1] }), shares[best] > limit
      else { break }
      found.append(best)
      let chosen = columns[best]
      let own = product(chosen, chosen)
      func removed(_ all: [Double]) -> [Double] {
        let weight = product(chosen, all) / own
        return zip(all, chosen).map { $0 - weight * $1 }
      }
      rest = removed(rest)
      columns = columns.map(removed)
    }
    return found
  }
}

/// An input, or the product of two inputs.
private struct Term {
  let input: Int
  var other: Int?

  func value(_ row: [Double]) -> Double { row[input] * (other.map { row[$0] } ?? 1) }

  static func all(_ count: Int) -> (linear: [Term], squares: [Term], products: [Term]) {
    let inputs = 0..<count
    return (
      inputs.map { Term(input: $0) }, inputs.map { Term(input: $0, other: $0) },
      inputs.flatMap { i in (i..<count).dropFirst().map { Term(input: i, other: $0) } }
    )
  }
}

/// The terms of a regression at each point, standardised to mean 0 and deviation 1.
private struct RidgeDesign {
  private let count: Int
  private let terms: Int
  /// The values of the terms, a row per point.
  private var cells: [Double]
  private var means: [Double] = []
  private var deviations: [Double] = []
  private let mean: Double
  private let centred: [Double]
  /// Sums over the points: of the products of two terms (lower half), and of term times value.
  private var gram: [Double]
  private var moments: [Double]

  init(_ rows: [[Double]], _ terms: [Term], _ values: [Double]) {
    count = rows.count
    self.terms = terms.count
    let mean = values.reduce(0, +) / Double(values.count)
    self.mean = mean
    centred = values.map { $0 - mean }
    cells = [Double](repeating: 0, count: rows.count * terms.count)
    gram = [Double](repeating: 0, count: terms.count * terms.count)
    moments = [Double](repeating: 0, count: terms.count)
    for (column, term) in terms.enumerated() {
      let raw = rows.map(term.value)
      let mean = raw.reduce(0, +) / Double(count)
      let square = raw.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)
      // A term that is the same everywhere gets no weight.
      let deviation = square > 1e-18 ? square.squareRoot() : .infinity
      means.append(mean)
      deviations.append(deviation)
      for row in 0..<count { cells[row * self.terms + column] = (raw[row] - mean) / deviation }
    }
    for row in 0..<count {
      let start = row * self.terms
      for i in 0..<self.terms {
        let cell = cells[start + i]
        moments[i] += cell * centred[row]
        for j in 0...i { gram[i * self.terms + j] += cell * cells[start + j] }
      }
    }
  }

  struct Fit {
    /// The weights of the terms before they were standardised.
    var weights: [Double]
    var constant: Double
    /// The mean squared leave-one-out error.
    var error: Double
  }

  /// Returns the regression; nil if the equations cannot be solved in double precision.
  func fit(penalty: Double) -> Fit? {
    var matrix = gram
    for i in 0..<terms { matrix[i * terms + i] += penalty }
    guard let factor = Cholesky(matrix, size: terms) else { return nil }
    let standard = factor.solve(moments)
    var error = 0.0
    for row in 0..<count {
      let cells = Array(self.cells[(row * terms)..<((row + 1) * terms)])
      let half = factor.forward(cells)
      let leverage = half.reduce(1 / Double(count)) { $0 + $1 * $1 }
      let fitted = zip(cells, standard).reduce(0) { $0 + $1.0 * $1.1 }
      let left = (centred[row] - fitted) / max(1 - leverage, 1e-6)
      error += left * left
    }
    error /= Double(count)
    let weights = zip(standard, deviations).map { $0 / $1 }
    let constant = zip(weights, means).reduce(mean) { $0 - $1.0 * $1.1 }
    guard error.isFinite, constant.isFinite else { return nil }
    return Fit(weights: weights, constant: constant, error: error)
  }
}

/// The lower factor L of a positive definite matrix L Lᵀ, row by row.
private struct Cholesky {
  private var factor: [Double]
  private let size: Int

  init?(_ matrix: [Double], size: Int) {
    factor = matrix
    self.size = size
    for i in 0..<size {
      for j in 0...i {
        var sum = factor[i * size + j]
        for k in 0..<j { sum -= factor[i * size + k] * factor[j * size + k] }
        if i == j {
          guard sum > 0 else { return nil }
          factor[i * size + i] = sum.squareRoot()
        } else {
          factor[i * size + j] = sum / factor[j * size + j]
        }
      }
    }
  }

  /// Solves L x = b.
  func forward(_ b: [Double]) -> [Double] {
    var x = b
    for i in 0..<size {
      var sum = x[i]
      for k in 0..<i { sum -= factor[i * size + k] * x[k] }
      x[i] = sum / factor[i * size + i]
    }
    return x
  }

  /// Solves L Lᵀ x = b.
  func solve(_ b: [Double]) -> [Double] {
    var x = forward(b)
    for i in (0..<size).reversed() {
      var sum = x[i]
      for k in (i + 1)..<max(size, i + 1) { sum -= factor[k * size + i] * x[k] }
      x[i] = sum / factor[i * size + i]
    }
    return x
  }
}
