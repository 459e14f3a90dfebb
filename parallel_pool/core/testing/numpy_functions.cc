// NumpyFunctions-v0: observes the functions of NumpyArithmetic() at x and y, the numbers of the
// action. Three of them are a product: the matrix has x * (i + j) in row i and column j. Ten are of
// a matrix of 6 rows and 4 columns, sin(x + i * j + y * i): the solution of (m @ m.T +
// identity) x = m @ (1, y, y^2, y^3), then m.T @ x of it.
#include "parallel_pool/core/env.h"

namespace parallel_pool::testing {
namespace {

class NumpyFunctions {
 public:
  struct Config {};
  struct Action { View<const double> numbers; };
  struct State { View<double> obs; };

  static EnvSpec<Action, State> Describe(const Config&) {
    return {.action = {Array<&Action::numbers>("action", Box({2}, {-kInf}, {kInf}))},
            .state = {Array<&State::obs>("obs", Box({28}, {-kInf}, {kInf}))}};
  }
  NumpyFunctions(const Config&, Rng&) {}

  void Reset() { x_ = y_ = 0; }
  Outcome Step(const Action& action) {
    x_ = action.numbers[0];
    y_ = action.numbers[1];
    return {};
  }
  void Observe(const State& state) const {
    const Arithmetic& numpy = NumpyArithmetic();
    double matrix[3][kColumns], numbers[kColumns], product[3];
    for (int j = 0; j < kColumns; ++j) {
      numbers[j] = y_ + j;
      for (int i = 0; i < 3; ++i) matrix[i][j] = x_ * (i + j);
    }
    numpy.matmul(matrix[0], numbers, 3, kColumns, product);
    const View<double> first = {state.obs.begin(), 14};
    first.Assign(numpy.exp(x_), numpy.log1p(x_), numpy.arcsinh(x_), numpy.tanh(x_),
                 numpy.arctan2(y_, x_), numpy.fuses_dot, numpy.fuses_matmul, product[0], product[1],
                 product[2], numpy.log(x_), numpy.arccos(y_), numpy.sin(x_), numpy.cos(y_));
    Solve(numpy, state.obs.begin() + 14);
    const View<double> last = {state.obs.begin() + 24, 4};
    last.Assign(numpy.tan(y_), numpy.arcsin(y_), numpy.arctan(y_), numpy.power(x_, y_));
  }

 private:
  static constexpr int kColumns = 21;

  // Writes 10 numbers.
  void Solve(const Arithmetic& numpy, double* out) const {
    double m[6][4], squares[6][6], given[6];
    const double powers[] = {1, y_, y_ * y_, y_ * y_ * y_};
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 4; ++j) m[i][j] = numpy.sin(x_ + i * j + y_ * i);
    }
    numpy.gram(m[0], 6, 4, squares[0]);
    for (int i = 0; i < 6; ++i) squares[i][i] += 1;
    numpy.matmul(m[0], powers, 6, 4, given);
    numpy.solve(squares[0], given, 6, out);
    numpy.matmul_transposed(m[0], out, 6, 4, out + 6);
  }

  double x_ = 0, y_ = 0;
};

PARALLEL_POOL_FAMILY(registry) {
  registry.Add<NumpyFunctions>("NumpyFunctions-v0", {});
}

}  // namespace
}  // namespace parallel_pool::testing
