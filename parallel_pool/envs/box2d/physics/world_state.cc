// The state of a World as bytes: what moves, the contacts, and the tree of the broad phase as it
// is, because its order decides the order of later contacts.
#include <ranges>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "parallel_pool/core/save.h"
#include "parallel_pool/envs/box2d/physics/world.h"

namespace parallel_pool::box2d {
namespace {

struct ContactState {
  int32_t fixture_a, fixture_b;
  uint32_t flags;
  b2Manifold manifold;
};

struct TreeState { int32_t root, num_nodes, capacity, free_list, insertions; };

// A b2TreeNode with the number of its fixture in place of a pointer; -1: it has none.
struct NodeState {
  b2AABB box;
  int32_t fixture, parent, child1, child2, height;
};

// All fixtures in the order of Box2D's lists. A number in it stands for a fixture in saved states.
std::vector<b2Fixture*> FixturesOf(b2Body* bodies) {
  std::vector<b2Fixture*> fixtures;
  for (b2Body* body = bodies; body != nullptr; body = body->GetNext()) {
    for (b2Fixture* f = body->GetFixtureList(); f != nullptr; f = f->GetNext()) {
      fixtures.push_back(f);
    }
  }
  return fixtures;
}

}  // namespace

// Calls visit(tie of members) for all that moves.
template <class Visit>
bool World::VisitMoving(const Visit& visit) const {
  for (b2Body* body = world_.m_bodyList; body != nullptr; body = body->m_next) {
    if (body->m_type != b2_dynamicBody) continue;
    if (!visit(std::tie(body->m_xf, body->m_sweep, body->m_linearVelocity, body->m_angularVelocity,
                        body->m_force, body->m_torque, body->m_sleepTime, body->m_flags))) {
      return false;
    }
  }
  for (b2Joint* j = world_.m_jointList; j != nullptr; j = j->m_next) {
    auto& joint = static_cast<b2RevoluteJoint&>(*j);
    if (!visit(std::tie(joint.m_impulse, joint.m_motorImpulse, joint.m_limitState,
                        joint.m_motorSpeed, joint.m_maxMotorTorque))) {
      return false;
    }
  }
  return true;
}

void World::Save(Writer& writer) const {
  const std::vector<b2Fixture*> fixtures = FixturesOf(world_.m_bodyList);
  std::unordered_map<const b2Fixture*, int32_t> numbers;
  for (size_t i = 0; i < fixtures.size(); ++i) numbers[fixtures[i]] = static_cast<int32_t>(i);

  std::vector<ContactState> contacts;
  for (b2Contact* c = world_.m_contactManager.m_contactList; c != nullptr; c = c->m_next) {
    contacts.push_back({numbers[c->m_fixtureA], numbers[c->m_fixtureB], c->m_flags, c->m_manifold});
  }
  const b2DynamicTree& tree = world_.m_contactManager.m_broadPhase.m_tree;
  TreeState shape{tree.m_root, tree.m_nodeCount, tree.m_nodeCapacity, tree.m_freeList,
                  tree.m_insertionCount};
  std::vector<NodeState> nodes;
  for (int i = 0; i < tree.m_nodeCapacity; ++i) {
    const b2TreeNode& n = tree.m_nodes[i];
    const bool is_leaf = n.height == 0;
    const b2Fixture* fixture =
        is_leaf ? static_cast<b2FixtureProxy*>(n.userData)->fixture : nullptr;
    nodes.push_back(
        {n.aabb, is_leaf ? numbers[fixture] : -1, n.parent, n.child1, n.child2, n.height});
  }
  float inv_dt0 = world_.m_inv_dt0;
  WriteAll(writer, std::tie(inv_dt0, shape, nodes, contacts));
  VisitMoving([&](const auto& members) {
    WriteAll(writer, members);
    return true;
  });
}

bool World::Load(Reader& reader) {
  TreeState shape;
  std::vector<NodeState> nodes;
  std::vector<ContactState> contacts;
  if (!ReadAll(reader, std::tie(world_.m_inv_dt0, shape, nodes, contacts))) return false;
  const std::vector<b2Fixture*> fixtures = FixturesOf(world_.m_bodyList);
  const auto size = static_cast<int32_t>(fixtures.size());
  const auto is_number = [&](int32_t n) { return 0 <= n && n < size; };

  b2BroadPhase& broad_phase = world_.m_contactManager.m_broadPhase;
  b2DynamicTree& tree = broad_phase.m_tree;
  b2Free(tree.m_nodes);
  tree.m_nodes = static_cast<b2TreeNode*>(b2Alloc(nodes.size() * sizeof(b2TreeNode)));
  tree.m_root = shape.root;
  tree.m_nodeCount = shape.num_nodes;
  tree.m_nodeCapacity = static_cast<int32_t>(nodes.size());
  tree.m_freeList = shape.free_list;
  tree.m_insertionCount = shape.insertions;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const NodeState& from = nodes[i];
    b2TreeNode& to = tree.m_nodes[i];
    to.aabb = from.box;
    to.parent = from.parent;
    to.child1 = from.child1;
    to.child2 = from.child2;
    to.height = from.height;
    to.userData = nullptr;
    if (!is_number(from.fixture)) continue;
    b2FixtureProxy& proxy = fixtures[from.fixture]->m_proxies[0];
    proxy.proxyId = static_cast<int32_t>(i);
    to.userData = &proxy;
  }
  // New fixtures have made entries in these.
  broad_phase.m_moveCount = 0;
  world_.m_flags &= ~b2World::e_newFixture;

  // Each contact comes to the front of all lists.
  for (const ContactState& from : contacts | std::views::reverse) {
    if (!is_number(from.fixture_a) || !is_number(from.fixture_b)) return false;
    world_.m_contactManager.AddPair(&fixtures[from.fixture_a]->m_proxies[0],
                                    &fixtures[from.fixture_b]->m_proxies[0]);
    b2Contact& to = *world_.m_contactManager.m_contactList;
    to.m_flags = from.flags;
    to.m_manifold = from.manifold;
  }
  return VisitMoving([&](const auto& members) { return ReadAll(reader, members); });
}

}  // namespace parallel_pool::box2d
