// The agents that move in a step. Each wants to be in a cell, its own or a neighbor, and agents
// move at the same time: into free cells, behind each other, and around in a circle.
//
// Cells are the nodes of a graph, and each agent is an edge from its cell to the one that it wants.
// A part of the graph whose cells hang together has one of these forms:
//
//   an agent that stays      it stays, and all who want its cell, one behind another, wait
//   two that want to swap    all of the part wait
//   a circle of three        the circle turns, and the others wait
//   a free cell              the longest line of agents that leads to it moves; the others wait
//
// Lines of the same length are told apart as networkx does: by the order of its nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "parallel_pool/envs/rware/layout.h"
#include "parallel_pool/envs/rware/python_set.h"

namespace parallel_pool::rware {

struct Wish { Cell from, to; };

class Traffic {
 public:
  // For agents on the floor. Later calls do not allocate.
  Traffic(const Layout& floor, int num_agents);

  // Sets `moves` of each agent: 1 if it gets its wish. Agents are in different cells.
  void Decide(std::span<const Wish> wishes, std::span<uint8_t> moves);

 private:
  static constexpr int32_t kNone = -1;
  struct Node {
    Cell cell;
    int32_t agent = kNone;                // that is there
    int32_t next = kNone;                 // the node that the agent wants
    int32_t first = kNone, last = kNone;  // of the nodes whose agents want this one
    int32_t sibling = kNone;              // the next of the nodes that want the same one
    int32_t length = 0;                   // of the longest line that leads here, in edges
    int32_t rank = 0;                     // in the part's order
    bool is_seen = false;
  };

  int32_t NodeOf(Cell cell);
  void MakeGraph(std::span<const Wish> wishes);
  void FindPart(int32_t node);
  int32_t EndOf(int32_t node) const;
  void TurnCircle(int32_t node, std::span<uint8_t> moves) const;
  void MoveLine(int32_t free_node, std::span<uint8_t> moves);
  void Rank();

  const int32_t columns_;
  std::vector<int32_t> node_of_;  // of each cell; kNone between calls
  std::vector<Node> nodes_;       // in the order in which agents name them
  std::vector<int32_t> part_;     // nodes of a part, breadth first
  std::vector<int32_t> lines_;    // nodes that lead to a free one, breadth first
  PythonSet found_, kept_;
};

}  // namespace parallel_pool::rware
