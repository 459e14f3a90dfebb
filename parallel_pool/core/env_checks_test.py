"""An env with a mistake is a short and readable compiler error."""

import os
import pathlib
import subprocess

import pytest

from parallel_pool.testing.form import some

ENV = """
#include "parallel_pool/core/env.h"
using namespace parallel_pool;
class Coin {
 public:
  struct Config { double bias = 0.5; };
  struct Action { View<const int32_t> guess; };
  struct State { View<float> obs; };
  static Options<Config> Describe() { return {Option<&Config::bias>("bias", "chance of 1")}; }
  static void Complete(Config&) {}
  static EnvSpec<Action, State> Describe(const Config&) {
    return {.action = {Array<&Action::guess>("action", Discrete(2))},
            .state = {Array<&State::obs>("obs", Box({1}, {0}, {1}))}};
  }
  Coin(const Config& config, Rng& rng) : config_(config), rng_(rng) {}
  void Reset() { side_ = 0; }
  Outcome Step(const Action& action) {
    side_ = rng_.Random() < config_.bias;
    return {*action.guess == side_ ? 1.0 : 0.0};
  }
  void Observe(const State& state) const { state.obs.Assign(side_); }
  bool Continue() { return false; }
  void Seed(uint64_t) {}
  static bool IsDeterministic(const Config&) { return false; }
  static std::string Remark(const Config&) { return {}; }
  int NumPlayers() const { return 1; }
  auto Saved() { return std::tie(side_); }
  static ImageSize RenderSize(const Config&) { return {1, 1}; }
  void Render(View<uint8_t> rgb) const { rgb.Assign(side_, 0, 0); }
  static int RenderFps(const Config&) { return 4; }
  void GetBodies(bool, BodyReceiver&) const {}
  static int GoalSize(const Config&) { return 1; }
  static Outcome JudgeGoal(const Config&, const double* achieved, const double* desired) {
    return {*achieved == *desired ? 1.0 : 0.0};
  }
  static constexpr bool kTurnBased = true;
  std::string RenderText() const { return side_ ? "heads" : "tails"; }

 private:
  const Config config_;
  Rng& rng_;
  int side_ = 0;
};
PARALLEL_POOL_FAMILY(registry) { registry.Add<Coin>("Coin-v0", {.max_episode_steps = 10}); }
"""


CHUNKS = """  static void StepChunk(Chunk<Coin>&) {}
  static void ResetChunk(Chunk<Coin>&) {}
  static int ChunkSize(const Config&) { return 8; }
"""


def complaints(code: str, folder: pathlib.Path) -> list[str]:
    """The compiler's error lines."""
    (folder / "coin.cc").write_text(code)
    command = ["g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    command += ["-fdiagnostics-color=never", f"-I{pathlib.Path.cwd()}", "coin.cc"]
    env = os.environ | {"LC_ALL": "C"}  # English, plain quotes
    run = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    lines = [line for line in run.stderr.splitlines() if "error: " in line]
    assert bool(lines) == (run.returncode != 0), run.stderr
    return lines


def with_chunks() -> str:
    """The same env, stepped and reset in chunks."""
    code = ENV.replace("\n private:", f"{CHUNKS}\n private:")
    return code.replace("void Reset() { side_ = 0; }", "").replace("Outcome Step", "Outcome Toss")


@pytest.mark.parametrize("code", [ENV, with_chunks()])
def test_the_model_has_no_mistake(code: str, tmp_path: pathlib.Path) -> None:
    assert complaints(code, tmp_path) == []


MISTAKES = [
    ("void Observe", "void Obsrve", "needs `void Observe(const State&) const`"),
    ("state) const {", "state) {", "needs `void Observe(const State&) const`"),
    ("void Reset()", "void Rest()", "needs `void Reset()`"),
    ("Outcome Step", "double Step", "needs `Outcome Step(const Action&)`"),
    ("Coin(const Config& config, Rng& rng)", "Coin(Rng& rng, Config config)", "a constructor"),
    ("public:", "private:", "needs public structs `Action` and `State`"),
    (
        "EnvSpec<Action, State> Describe",
        "EnvSpec<Action, State> Descrbe",
        "needs `static EnvSpec<Action, State>",
    ),
    ("EnvSpec<Action, State>", "EnvSpec<State, Action>", ".action takes Array<&Action::...>"),
    ("<&State::obs>", "<&Action::guess>", ".state takes Array<&State::...>"),
    ("<&State::obs>", "<&State::obz>", "'obz' is not a member of 'Coin::State'"),
    ("<&Config::bias>", "<&Config::bais>", "'bais' is not a member of 'Coin::Config'"),
    ("View<float> obs", "float obs[1]", "an array is kept in a View<T>"),
    ("<const int32_t> guess", "<const unsigned> guess", "an array is kept in a View<T>"),
    (
        "View<float> obs; };",
        "View<float> obs; std::string note; };",
        "`Action` and `State` hold Views",
    ),
    ("View<float> obs; };", "View<float> obs; int n; };", "`Action` and `State` hold Views"),
    ("Options<Config> Describe", "auto Describe", "Describe() must be `static Options<Config>"),
    (
        "void Complete(Config&)",
        "void Complete(Config)",
        "Complete must be `static void Complete(Config&)`",
    ),
    ("bool Continue() {", "int Continue() {", "Continue must be `bool Continue()`"),
    ("static bool IsDet", "bool IsDet", "must be `static bool IsDeterministic(const Config&)`"),
    ("std::string Remark", "int Remark", "must be `static std::string Remark(const Config&)`"),
    ("void Seed(uint64_t)", "void Seed()", "Seed must be `void Seed(uint64_t)`"),
    (
        "void Reset() {",
        "struct ResetOptions {}; void Reset(const ResetOptions&) {",
        "ResetOptions needs `static Options<ResetOptions> Describe()`",
    ),
    (
        "void Reset() {",
        "struct ResetOptions { static Options<ResetOptions> Describe(); }; void Reset() {",
        "an env with ResetOptions needs `void Reset(const ResetOptions&)`",
    ),
    ("auto Saved()", "auto Saved() const", "Saved must be `auto Saved() {"),
    ("NumPlayers() const", "NumPlayers()", "must be `int NumPlayers() const`"),
    ("rgb) const {", "rgb) {", "Render must be `void Render(View<uint8_t>) const`"),
    ("View<uint8_t> rgb", "uint8_t* rgb", "Render must be `void Render(View<uint8_t>) const`"),
    ("ImageSize RenderSize", "int RnderSize", "next to `static ImageSize RenderSize("),
    ("void Render(", "void Rnder(", "RenderSize needs `void Render(View<uint8_t>) const`"),
    ("RenderText() const", "RenderText()", "must be `std::string RenderText() const`"),
    ("BodyReceiver&) const", "BodyReceiver&)", "must be `void GetBodies(bool, BodyReceiver&) con"),
    ("static int RenderFps", "int RenderFps", "must be `static int RenderFps(const Config&)`"),
    (
        "constexpr bool kTurn",
        "constexpr int kTurn",
        "must be `static constexpr bool kTurnBased`",
    ),
    ("int GoalSize(", "int GolSize(", "needs `static int GoalSize(const Config&)`"),
    ("Outcome JudgeGoal(", "double JudgeGoal(", "needs `static int GoalSize(const Config&)`"),
    ("int NumPlayers()", "size_t NumPlayers()", "must be `int NumPlayers() const`"),
]


@pytest.mark.parametrize(("right", "wrong", "words"), some(MISTAKES, 6))
def test_a_mistake_is_named(right: str, wrong: str, words: str, tmp_path: pathlib.Path) -> None:
    assert ENV.count(right) == 1
    code = ENV.replace(right, wrong)
    if "RnderSize" in wrong:
        code = code.replace("return {1, 1}", "return 1")
    if "auto Describe" in wrong:
        code = code.replace('{Option<&Config::bias>("bias", "chance of 1")}', "1")
    lines = complaints(code, tmp_path)
    assert any(words in line for line in lines[:2]), lines
    assert len(lines) <= 4, lines


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        (
            "void StepChunk(Chunk<Coin>&)",
            "int StepChunk(Chunk<Coin>&)",
            "StepChunk must be `static void StepChunk(Chunk<Env>&)`",
        ),
        (
            "static void StepChunk(Chunk<Coin>&) {}",
            "",
            "ChunkSize needs `static void StepChunk(Chunk<Env>&)`",
        ),
        (
            "ResetChunk(Chunk<Coin>&)",
            "ResetChunk(Chunk<Coin>)",
            "ResetChunk must be `static void ResetChunk(Chunk<Env>&)`",
        ),
        (
            "ChunkSize(const Config&)",
            "ChunkSize()",
            "ChunkSize must be `static int ChunkSize(const Config&)`",
        ),
    ],
)
def test_a_mistake_in_chunks_is_named(
    right: str, wrong: str, words: str, tmp_path: pathlib.Path
) -> None:
    code = with_chunks()
    assert code.count(right) == 1
    lines = complaints(code.replace(right, wrong), tmp_path)
    assert any(words in line for line in lines[:2]), lines
    assert len(lines) <= 4, lines
