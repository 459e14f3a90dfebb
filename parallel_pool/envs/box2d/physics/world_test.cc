// World's step and the solvers of islands, compared with Box2D's step and with each other.
#include "parallel_pool/envs/box2d/physics/world.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace parallel_pool::box2d {
namespace {

constexpr float kStep = static_cast<float>(1 / kFps);

// Four limbs on a trunk, with motors, over rough ground.
class Doll {
 public:
  // The ground has edges `edge` m long, up to `roughness` m above or below the mean.
  explicit Doll(unsigned seed, double edge = 0.5, double roughness = 0.15)
      : world_({0, -10}, nullptr), random_(seed) {
    MakeGround(edge, roughness);
    b2Body* trunk = AddBody({0, 4}, 1.0f, 0.3f);
    for (int i = 0; i < 4; ++i) {
      b2Body* parent = i % 2 == 0 ? trunk : bodies_.back();
      b2Body* limb = AddBody({0, i % 2 == 0 ? 3.5f : 2.7f}, 0.15f, 0.45f);
      motors_.push_back(world_.Add({.a = parent,
                                    .b = limb,
                                    .anchor_a = Vec(0, i % 2 == 0 ? -0.2 : -0.4),
                                    .anchor_b = Vec(0, 0.4),
                                    .torque = 60,
                                    .speed = 0,
                                    .lower = -0.8,
                                    .upper = 0.9}));
    }
  }

  World& world() { return world_; }

  void Act() {
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (b2RevoluteJoint* motor : motors_) motor->SetMotorSpeed(6 * uniform(random_));
    if (std::abs(bodies_[0]->GetPosition().x) > 8) bodies_[0]->ApplyForceToCenter({0, 150}, true);
  }

  std::vector<float> State() const {
    std::vector<float> state;
    for (const b2Body* body : bodies_) {
      state.insert(state.end(), {body->GetPosition().x, body->GetPosition().y, body->GetAngle(),
                                 body->GetLinearVelocity().x, body->GetLinearVelocity().y,
                                 body->GetAngularVelocity(), body->IsAwake() ? 1.0f : 0.0f});
    }
    for (const b2RevoluteJoint* motor : motors_) state.push_back(motor->GetMotorTorque(50));
    return state;
  }

 private:
  void MakeGround(double edge, double roughness) {
    std::uniform_real_distribution<double> height(-roughness, roughness);
    const b2BodyDef body;
    b2Body* ground = world_.box2d().CreateBody(&body);
    b2Vec2 last(-12, 6);
    for (double x = -10; x <= 10; x += edge) {
      const b2Vec2 next = Vec(x, height(random_));
      const b2EdgeShape shape = Edge(last, next);
      ground->CreateFixture(&shape, 0)->SetFriction(1.5f);
      last = next;
    }
    const b2EdgeShape wall = Edge(last, {12, 6});
    ground->CreateFixture(&wall, 0);
    const b2PolygonShape box = Polygon({{2, -1}, {3, -1}, {3, 0.6}, {2, 0.6}});
    ground->CreateFixture(&box, 0);
  }

  b2Body* AddBody(b2Vec2 at, float half_width, float half_height) {
    b2BodyDef body;
    body.type = b2_dynamicBody;
    body.position = at;
    bodies_.push_back(world_.box2d().CreateBody(&body));
    b2PolygonShape shape;
    shape.SetAsBox(half_width, half_height);
    b2FixtureDef fixture;
    fixture.shape = &shape;
    fixture.density = 1;
    fixture.restitution = 0.1f;
    fixture.filter.categoryBits = 2;
    fixture.filter.maskBits = 1;
    bodies_.back()->CreateFixture(&fixture);
    return bodies_.back();
  }

  World world_;
  std::mt19937 random_;
  std::vector<b2Body*> bodies_;
  std::vector<b2RevoluteJoint*> motors_;
};

TEST(World, StepsAsBox2D) {
  int contacts = 0;
  for (unsigned seed = 0; seed < 8; ++seed) {
    Doll doll(seed), reference(seed);
    for (int i = 0; i < 600; ++i) {
      // A pause in which the doll falls asleep.
      if (i % 300 < 200) {
        doll.Act();
        reference.Act();
      }
      doll.world().Step();
      reference.world().box2d().Step(kStep, kVelocityIterations, 60);
      ASSERT_EQ(doll.State(), reference.State()) << "seed " << seed << ", step " << i;
      contacts += doll.world().island().num_contacts;
    }
  }
  EXPECT_GT(contacts, 1000);
}

// More contacts than an Island holds.
TEST(World, StepsAsBox2DOnFineGround) {
  Doll doll(3, 0.1, 0), reference(3, 0.1, 0);
  int too_many = 0;
  for (int i = 0; i < 500; ++i) {
    doll.Act();
    reference.Act();
    doll.world().Begin();
    Island* const island = &doll.world().island();
    too_many += island->num_bodies == 0;
    SolveVelocities({&island, 1}, kVelocityIterations);
    doll.world().Finish();
    reference.world().box2d().Step(kStep, kVelocityIterations, 60);
    ASSERT_EQ(doll.State(), reference.State()) << "step " << i;
  }
  EXPECT_GT(too_many, 5);
}

// The numbers of an island, to compare: -0 equals 0.
std::vector<float> Numbers(const Island& island) {
  std::vector<float> numbers;
  const auto add = [&](const auto& part) {
    const auto* first = reinterpret_cast<const float*>(&part);
    numbers.insert(numbers.end(), first, first + sizeof(part) / sizeof(float));
  };
  for (int i = 0; i < island.num_bodies; ++i) add(island.bodies[i]);
  for (int i = 0; i < island.num_joints; ++i) add(island.joints[i].numbers);
  for (int i = 0; i < island.num_contacts; ++i) add(island.contacts[i].numbers);
  return numbers;
}

std::vector<Island*> Pointers(std::vector<Island>& islands) {
  std::vector<Island*> pointers;
  for (Island& island : islands) pointers.push_back(&island);
  return pointers;
}

class Solvers : public testing::TestWithParam<int> {};

// Islands of 40 dolls, in groups of every size.
TEST_P(Solvers, EqualTheSolverOfOneLane) {
  const Solver& one = box2d::Solvers()[0];
  const Solver& solver = box2d::Solvers()[GetParam()];
  if (!solver.can_run) GTEST_SKIP() << "this processor has no " << solver.name;
  std::vector<std::unique_ptr<Doll>> dolls;
  for (unsigned i = 0; i < 40; ++i) dolls.push_back(std::make_unique<Doll>(i));
  for (int step = 0; step < 250; ++step) {
    std::vector<Island> islands;
    for (const auto& doll : dolls) {
      doll->Act();
      doll->world().Begin();
      islands.push_back(doll->world().island());
    }
    std::vector<Island> wanted = islands;
    const std::vector<Island*> found_at = Pointers(islands), wanted_at = Pointers(wanted);
    const int n = 1 + step % solver.most;
    solver.solve(found_at.data(), n, kVelocityIterations);
    for (int i = 0; i < n; ++i) {
      one.solve(&wanted_at[i], 1, kVelocityIterations);
      ASSERT_EQ(Numbers(islands[i]), Numbers(wanted[i]))
          << solver.name << ", step " << step << ", island " << i << " of " << n;
    }
    for (const auto& doll : dolls) {
      Island* const island = &doll->world().island();
      SolveVelocities({&island, 1}, kVelocityIterations);
      doll->world().Finish();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Solvers, testing::Range(1, static_cast<int>(box2d::Solvers().size())),
                         [](const auto& info) { return "Solver" + std::to_string(info.param); });

// Islands that cannot be solved together are solved apart.
TEST(SolveVelocities, TakesIslandsOfSeveralForms) {
  Doll a(1), b(2);
  for (Doll* doll : {&a, &b}) {
    doll->Act();
    doll->world().Begin();
  }
  std::vector<Island> islands{a.world().island(), b.world().island(), a.world().island(), Island(),
                              b.world().island()};
  islands[2].num_joints = 2;
  std::vector<Island> wanted = islands;
  const std::vector<Island*> found_at = Pointers(islands);
  SolveVelocities(found_at, 10);
  for (size_t i = 0; i < wanted.size(); ++i) {
    Island* const island = &wanted[i];
    box2d::Solvers()[0].solve(&island, 1, 10);
    EXPECT_EQ(Numbers(islands[i]), Numbers(wanted[i])) << i;
  }
  for (Doll* doll : {&a, &b}) doll->world().Finish();
}

}  // namespace
}  // namespace parallel_pool::box2d
