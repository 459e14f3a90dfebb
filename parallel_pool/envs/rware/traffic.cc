#include "parallel_pool/envs/rware/traffic.h"

#include <algorithm>

namespace parallel_pool::rware {

Traffic::Traffic(const Layout& floor, int num_agents)
    : columns_(floor.columns),
      node_of_(floor.num_cells(), kNone),
      found_(2 * num_agents),
      kept_(2 * num_agents) {
  for (std::vector<int32_t>* const list : {&part_, &lines_}) list->reserve(2 * num_agents);
  nodes_.reserve(2 * num_agents);
}

void Traffic::Decide(std::span<const Wish> wishes, std::span<uint8_t> moves) {
  std::ranges::fill(moves, 0);
  MakeGraph(wishes);
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].is_seen) continue;
    FindPart(static_cast<int32_t>(i));
    const int32_t end = EndOf(static_cast<int32_t>(i));
    if (nodes_[end].next == kNone) {
      MoveLine(end, moves);
    } else {
      TurnCircle(end, moves);
    }
  }
}

int32_t Traffic::NodeOf(Cell cell) {
  int32_t& node = node_of_[cell.y * columns_ + cell.x];
  if (node == kNone) {
    node = static_cast<int32_t>(nodes_.size());
    nodes_.push_back({.cell = cell});
  }
  return node;
}

void Traffic::MakeGraph(std::span<const Wish> wishes) {
  nodes_.clear();
  for (size_t agent = 0; agent < wishes.size(); ++agent) {
    const int32_t from = NodeOf(wishes[agent].from), to = NodeOf(wishes[agent].to);
    nodes_[from].agent = static_cast<int32_t>(agent);
    nodes_[from].next = to;
    Node& target = nodes_[to];
    (target.first == kNone ? target.first : nodes_[target.last].sibling) = from;
    target.last = from;
  }
  for (const Node& node : nodes_) node_of_[node.cell.y * columns_ + node.cell.x] = kNone;
}

// Sets part_ to the nodes that hang together with `node`.
void Traffic::FindPart(int32_t node) {
  part_.clear();
  const auto add = [&](int32_t found) {
    if (found == kNone || nodes_[found].is_seen) return;
    nodes_[found].is_seen = true;
    part_.push_back(found);
  };
  add(node);
  for (size_t i = 0; i < part_.size(); ++i) {
    const Node& current = nodes_[part_[i]];
    add(current.next);
    for (int32_t k = current.first; k != kNone; k = nodes_[k].sibling) add(k);
  }
}

// Where the wishes lead from a node of the part: to its free cell, or to a node of its circle.
int32_t Traffic::EndOf(int32_t node) const {
  for (size_t i = 0; i < part_.size() && nodes_[node].next != kNone; ++i) node = nodes_[node].next;
  return node;
}

void Traffic::TurnCircle(int32_t node, std::span<uint8_t> moves) const {
  const int32_t next = nodes_[node].next;
  const bool is_swap = next != node && nodes_[next].next == node;
  if (is_swap) return;
  int32_t current = node;
  do {
    moves[nodes_[current].agent] = 1;
    current = nodes_[current].next;
  } while (current != node);
}

void Traffic::MoveLine(int32_t free_node, std::span<uint8_t> moves) {
  lines_.assign(1, free_node);
  for (size_t i = 0; i < lines_.size(); ++i) {
    for (int32_t k = nodes_[lines_[i]].first; k != kNone; k = nodes_[k].sibling) {
      lines_.push_back(k);
    }
  }
  for (size_t i = lines_.size(); i-- > 1;) {  // the ends of lines first
    Node& next = nodes_[nodes_[lines_[i]].next];
    next.length = std::max(next.length, nodes_[lines_[i]].length + 1);
  }
  bool is_ranked = false;
  for (int32_t node = free_node; nodes_[node].length > 0;) {
    int32_t best = kNone;
    for (int32_t k = nodes_[node].first; k != kNone; k = nodes_[k].sibling) {
      if (nodes_[k].length + 1 != nodes_[node].length) continue;
      if (best != kNone && !is_ranked) {
        Rank();
        is_ranked = true;
      }
      if (best == kNone || nodes_[k].rank < nodes_[best].rank) best = k;
    }
    moves[nodes_[best].agent] = 1;
    node = best;
  }
}

// Sets the ranks of the part's nodes in the copy that networkx makes of a part: the order of the
// whole graph, and for a part of less than half of the nodes the order of a set. That set is made
// of another, into which the nodes came breadth first.
void Traffic::Rank() {
  if (2 * part_.size() >= nodes_.size()) {
    for (const int32_t node : part_) nodes_[node].rank = node;
    return;
  }
  found_.Clear();
  for (const int32_t node : part_) found_.Add(nodes_[node].cell.x, nodes_[node].cell.y, node);
  kept_.Clear();
  found_.ForEach([&](int32_t node) { kept_.Add(nodes_[node].cell.x, nodes_[node].cell.y, node); });
  int32_t rank = 0;
  kept_.ForEach([&](int32_t node) { nodes_[node].rank = rank++; });
}

}  // namespace parallel_pool::rware
