#include "parallel_pool/envs/box2d/lander_picture.h"

#include <deque>

#include "parallel_pool/drawing/pygame/aaline.h"
#include "parallel_pool/drawing/pygame/draw.h"
#include "parallel_pool/envs/box2d/physics/world.h"

namespace parallel_pool::box2d {
namespace {

using drawing::pygame::Surface;
using drawing::pygame::SurfaceBrush;

constexpr double kScale = 30.0;  // pixels per m
constexpr double kWidth = 600 / kScale, kHeight = 400 / kScale;

struct Glow {
  b2Body* body;
  double left;  // of its power; below 0 it has gone out
};

// Moves the sparks as Gymnasium does, in a world of their own. They touch nothing but the ground.
class Sparks {
 public:
  explicit Sparks(const LanderScene& scene) : world_(Vec(0, scene.gravity)) {
    AddMoon(world_, scene.ground);
    for (const Exhaust::Step& step : scene.exhaust.steps) {
      for (const Spark& spark : step) {
        if (spark.power > 0) Add(spark);
      }
      world_.Step(static_cast<float>(1 / kFps), kVelocityIterations, 60);
      for (Glow& glow : glows_) glow.left -= 0.15;
      Clean();
    }
  }

  void Draw(Surface& surface, const auto& after_each) const {
    for (const auto& [body, left] : glows_) {
      const auto level = [](double x) { return static_cast<uint8_t>(std::max(0.2, x) * 255); };
      const uint8_t dark = level(0.5 * left);
      SurfaceBrush brush(surface, {level(0.15 + left), dark, dark});
      const b2Vec2 at = kPixelsPerMeter * body->GetPosition();
      drawing::pygame::draw::Circle(brush, drawing::pygame::ToPixel({at.x, at.y}), 2);
      after_each();
    }
  }

 private:
  void Add(const Spark& spark) {
    b2BodyDef def;
    def.type = b2_dynamicBody;
    def.position = spark.place;
    b2Body* const body = world_.CreateBody(&def);
    b2CircleShape shape;
    shape.m_radius = static_cast<float>(2 / kScale);
    b2FixtureDef fixture;
    fixture.shape = &shape;
    fixture.density = spark.density;
    fixture.friction = 0.1f;
    fixture.restitution = 0.3f;
    fixture.filter.categoryBits = 0x100;
    fixture.filter.maskBits = 0x1;
    body->CreateFixture(&fixture);
    glows_.push_back({body, spark.power});
    Clean();
    body->ApplyLinearImpulse(spark.impulse, spark.place, true);
  }

  // A spark that has gone out stays until all older ones have.
  void Clean() {
    while (!glows_.empty() && glows_.front().left < 0) {
      world_.DestroyBody(glows_.front().body);
      glows_.pop_front();
    }
  }

  b2World world_;
  std::deque<Glow> glows_;
};

// Gymnasium draws the flags after each body.
void DrawFlags(Surface& surface) {
  for (const int i : {4, 6}) {
    const double x = kWidth / (LanderScene::kPoints - 1) * i * kScale;
    const double low = kHeight / 4 * kScale, top = low + 50;
    SurfaceBrush white(surface, {255, 255, 255});
    drawing::pygame::draw::Line(white, drawing::pygame::ToPixel({x, low}),
                                drawing::pygame::ToPixel({x, top}));
    FillSmoothly(surface, {204, 204, 0},
                 std::array<Point, 3>{{{x, top}, {x, top - 10}, {x + 25, top - 5}}});
  }
}

}  // namespace

void AddMoon(b2World& world, const LanderScene::Ground& ground) {
  const b2BodyDef def;
  b2Body* const moon = world.CreateBody(&def);
  const b2EdgeShape floor = Edge(Vec(0, 0), Vec(kWidth, 0));
  moon->CreateFixture(&floor, 0);
  for (size_t i = 0; i + 1 < ground.size(); ++i) {
    const Point &from = ground[i], &to = ground[i + 1];
    const b2EdgeShape slope = Edge(Vec(from.x, from.y), Vec(to.x, to.y));
    b2FixtureDef fixture;
    fixture.shape = &slope;
    fixture.friction = 0.1f;
    moon->CreateFixture(&fixture);
  }
}

void DrawLanderPicture(const LanderScene& scene, uint8_t* rgb) {
  Surface surface(kLanderSize);
  surface.Fill({255, 255, 255});
  for (size_t i = 0; i + 1 < scene.ground.size(); ++i) {
    const Point &a = scene.ground[i], &b = scene.ground[i + 1];
    FillSmoothly(surface, {0, 0, 0},
                 std::array<Point, 4>{{{a.x * kScale, a.y * kScale},
                                       {b.x * kScale, b.y * kScale},
                                       {b.x * kScale, kHeight * kScale},
                                       {a.x * kScale, kHeight * kScale}}});
  }
  Sparks(scene).Draw(surface, [&] { DrawFlags(surface); });
  for (const ShownBody& body : scene.bodies) {
    FillSmoothly(surface, body.inside, body.span());
    SurfaceBrush brush(surface, body.outline);
    drawing::pygame::draw::AaLines(brush, body.span(), /*is_closed=*/true);
    DrawFlags(surface);
  }
  surface.FlipRows();
  std::copy_n(surface.Row(0), 3 * kLanderSize.height * kLanderSize.width, rgb);
}

}  // namespace parallel_pool::box2d
