// Blackjack against a dealer, with an infinite deck (Sutton & Barto 2018, example 5.1), as in
// Gymnasium 1.4's Blackjack-v1.
#pragma once

#include <algorithm>
#include <string>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/toy_text/pictures.h"

namespace parallel_pool::toy_text {

class Blackjack {
 public:
  struct Config {
    bool natural = false;
    bool sab = true;
  };
  struct Action { View<const int32_t> hit; };
  struct State { View<int32_t> obs; };  // the player's sum, the dealer's card (1: ace), usable ace

  static Options<Config> Describe() {
    return {Option<&Config::natural>("natural", "ace and ten at once win 1.5; not with sab"),
            Option<&Config::sab>("sab", "the rules of Sutton and Barto's book")};
  }
  static EnvSpec<Action, State> Describe(const Config&) {
    return {.action = {Array<&Action::hit>("action", Discrete({"STICK", "HIT"}))},
            .state = {Array<&State::obs>("obs", Box({3}, {0, 0, 0}, {31, 10, 1}))}};
  }

  Blackjack(const Config& config, Rng& rng) : config_(config), rng_(rng) {}

  void Reset() {
    dealer_ = player_ = {};
    shown_ = Draw();
    dealer_.Add(shown_);
    dealer_.Add(Draw());
    for (int i = 0; i < 2; ++i) player_.Add(Draw());
    suit_ = static_cast<int>(rng_.Integers(0, 4));
    if (shown_ == 10) face_ = static_cast<int>(rng_.Integers(0, 3));
  }

  Outcome Step(const Action& action) {
    if (*action.hit == 1) {
      player_.Add(Draw());
      return player_.IsBust() ? Outcome{.reward = -1.0, .terminated = true} : Outcome{};
    }
    while (dealer_.Sum() < 17) dealer_.Add(Draw());
    return {.reward = Payout(), .terminated = true};
  }

  auto Saved() { return std::tie(dealer_, player_, shown_, suit_, face_); }
  void Observe(const State& state) const {
    state.obs.Assign(player_.Sum(), shown_, player_.HasUsableAce());
  }

  static ImageSize RenderSize(const Config&) { return kTableSize; }
  void Render(View<uint8_t> rgb) const {
    DrawBlackjack(rgb, {.player_sum = player_.Sum(),
                        .has_usable_ace = player_.HasUsableAce(),
                        .dealer_card = shown_,
                        .dealer_rank = Rank(),
                        .suit = "CDHS"[suit_]});
  }
  static constexpr bool kTurnBased = true;
  static int RenderFps(const Config&) { return 4; }
  std::string RenderText() const {
    return "player " + std::to_string(player_.Sum()) +
           (player_.HasUsableAce() ? " with a usable ace" : "") + ", dealer " + Rank() +
           "CDHS"[suit_] + "\n";
  }

 private:
  struct Hand {
    int points = 0, cards = 0;  // an ace counts 1
    bool has_ace = false;

    void Add(int card) {
      points += card;
      ++cards;
      has_ace |= card == 1;
    }
    bool HasUsableAce() const { return has_ace && points + 10 <= 21; }
    int Sum() const { return points + (HasUsableAce() ? 10 : 0); }
    bool IsBust() const { return Sum() > 21; }
    int Score() const { return IsBust() ? 0 : Sum(); }
    bool IsNatural() const { return cards == 2 && has_ace && points == 11; }
  };

  // Draws a card: 1 is an ace, 10 a ten or a face.
  int Draw() { return std::min(static_cast<int>(rng_.Integers(0, 13)) + 1, 10); }

  char Rank() const { return shown_ == 10 ? "JQK"[face_] : "A23456789"[shown_ - 1]; }

  double Payout() const {
    const int player = player_.Score(), dealer = dealer_.Score();
    if (config_.sab && player_.IsNatural() && !dealer_.IsNatural()) return 1.0;
    if (player <= dealer) return player < dealer ? -1.0 : 0.0;
    return !config_.sab && config_.natural && player_.IsNatural() ? 1.5 : 1.0;
  }

  const Config config_;
  Rng& rng_;
  Hand dealer_, player_;
  int shown_;     // the dealer's first card
  int suit_ = 0;  // its suit: clubs, diamonds, hearts, spades
  int face_ = 0;  // if it is a 10: jack, queen or king
};

}  // namespace parallel_pool::toy_text
