// Models that are stepped in lanes, and the reasons for which others are not.
#include "parallel_pool/envs/mujoco/engine/flat_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "parallel_pool/envs/mujoco/lanes/flatten.h"

namespace parallel_pool::mujoco {
namespace {

using testing::HasSubstr;

// A model with a body on a hinge; `inside` goes into the body, `more` into <mujoco>.
Model Load(const std::string& inside, const std::string& more = "") {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/model.xml";
  std::ofstream(path) << "<mujoco><worldbody><geom type='plane' size='5 5 1'/><site name='s'/>"
                      << "<body name='b' pos='0 0 1'>" << inside << "</body></worldbody>" << more
                      << "</mujoco>";
  return LoadModel(path);
}
constexpr char kBall[] = "<joint name='j' type='hinge' axis='0 1 0'/><geom name='g' size='0.1'/>";

std::string WhyNot(const mjModel& model) {
  std::string why_not = "covered";
  lanes::Flatten(model, &why_not);
  return why_not;
}

TEST(FlatModelTest, AModelOfTheSubsetIsCovered) {
  EXPECT_EQ(WhyNot(*Load(kBall, "<actuator><motor joint='j'/></actuator>")), "covered");
}

TEST(FlatModelTest, TheReasonIsSaid) {
  const auto why = [](const std::string& more) { return WhyNot(*Load(kBall, more)); };
  EXPECT_EQ(why("<option solver='CG'/>"), "the CG solver");
  EXPECT_EQ(why("<option integrator='implicit'/>"), "its integrator");
  EXPECT_EQ(why("<option jacobian='sparse' cone='elliptic'/>"),
            "elliptic friction cones with a sparse Jacobian");
  EXPECT_EQ(why("<option wind='1 0 0' density='1'/>"), "wind");
  EXPECT_EQ(why("<option><flag limit='disable'/></option>"), "a flag of its options");
  EXPECT_EQ(why("<actuator><general joint='j' gaintype='affine'/></actuator>"),
            "actuators that are neither motors nor servos");
  EXPECT_EQ(why("<equality><connect body1='b' anchor='0 0 0'/></equality>"),
            "equality constraints other than welds and couplings");
  EXPECT_EQ(why("<option cone='elliptic' noslip_iterations='3'/>"),
            "the noslip solver with elliptic friction cones or without Newton's method");
  EXPECT_EQ(why("<tendon><fixed damping='1'><joint joint='j' coef='1'/></fixed></tendon>"),
            "tendons with damping, friction or armature, or with springs that are not linear");
}

TEST(FlatModelTest, ATendonInSpaceIsCoveredUnlessItIsRead) {
  const std::string spatial = "<spatial name='t'><site site='s'/><site site='s2'/></spatial>";
  const Model model =
      Load(std::string(kBall) + "<site name='s2'/>", "<tendon>" + spatial + "</tendon>");
  EXPECT_EQ(WhyNot(*model), "covered");
  EXPECT_THAT(FlatModelOf(model, lanes::kTendons)->why_not, HasSubstr("only mj_step computes"));
  const Model pulled =
      Load(std::string(kBall) + "<site name='s2'/>",
           "<tendon>" + spatial + "</tendon><actuator><motor tendon='t'/></actuator>");
  EXPECT_EQ(WhyNot(*pulled), "motors of free joints or of tendons in space");
  const std::string three =
      "<spatial range='0 1'><site site='s'/><site site='s2'/><site site='s3'/></spatial>";
  const Model bent = Load(std::string(kBall) + "<site name='s2'/><site name='s3' pos='0 0 1'/>",
                          "<tendon>" + three + "</tendon>");
  EXPECT_EQ(WhyNot(*bent), "limits of tendons in space that are not between two sites");
}

TEST(FlatModelTest, SensorsAreCoveredUnlessOneThatLanesLackIsRead) {
  const auto why = [](const std::string& sensors) {
    const Model model = Load(kBall, "<sensor>" + sensors + "</sensor>");
    EXPECT_EQ(WhyNot(*model), "covered");
    return FlatModelOf(model, lanes::kEverySensor)->why_not;
  };
  const std::string position = "<jointpos joint='j'/>";
  std::string many;
  for (int i = 0; i <= lanes::kMaxSensors; ++i) many += position;
  EXPECT_EQ(why(position + "<framepos objtype='site' objname='s'/>"), "");
  EXPECT_THAT(why(many), HasSubstr("only mj_step computes"));
  EXPECT_THAT(why("<jointpos joint='j' cutoff='1'/>"), HasSubstr("only mj_step computes"));
  EXPECT_THAT(why("<rangefinder site='s'/>"), HasSubstr("only mj_step computes"));
}

TEST(FlatModelTest, GaussSeidelIsCoveredForOneTree) {
  const std::string option = "<option solver='PGS'/>";
  EXPECT_EQ(WhyNot(*Load(kBall, option)), "covered");
  const std::string other =
      "<worldbody><body pos='1 0 1'><joint/><geom size='.1'/></body></worldbody>";
  EXPECT_THAT(WhyNot(*Load(kBall, option + other)), HasSubstr("several trees"));
  EXPECT_EQ(WhyNot(*Load(kBall, other)), "covered");
}

TEST(FlatModelTest, TheReasonMayBeABody) {
  const auto why = [](const std::string& inside) { return WhyNot(*Load(inside)); };
  EXPECT_EQ(why("<joint type='ball'/><geom size='0.1'/>"), "ball joints");
  EXPECT_EQ(why("<joint stiffness='1 2 3'/><geom size='0.1'/>"), "springs that are not linear");
}

// Models with constraints of other kinds than limits and simple contacts.
TEST(FlatModelTest, GeneralModelsAreCovered) {
  const auto is_general = [](const std::string& inside, const std::string& more = "") {
    std::string why_not;
    const auto flat = lanes::Flatten(*Load(inside, more), &why_not);
    EXPECT_EQ(why_not, "");
    return flat != nullptr && flat->is_general;
  };
  EXPECT_FALSE(is_general(kBall));
  EXPECT_TRUE(is_general(kBall, "<actuator><position joint='j'/></actuator>"));
  EXPECT_TRUE(is_general(kBall, "<option cone='elliptic'/>"));
  EXPECT_TRUE(is_general(kBall, "<equality><joint joint1='j'/></equality>"));
  EXPECT_TRUE(
      is_general(kBall, "<tendon><fixed range='0 1'><joint joint='j' coef='1'/></fixed></tendon>"));
  EXPECT_TRUE(is_general("<joint frictionloss='1'/><geom size='0.1'/>"));
  EXPECT_TRUE(is_general("<joint/><geom type='box' size='0.1 0.1 0.1'/>"));
  EXPECT_TRUE(is_general("<joint/><geom size='0.1' condim='4'/>"));
  EXPECT_TRUE(is_general(kBall, "<option noslip_iterations='3'/>"));
  EXPECT_TRUE(is_general("<joint/><geom type='ellipsoid' size='.1 .1 .1' fluidshape='ellipsoid'/>",
                         "<option density='1'/>"));
}

TEST(FlatModelTest, AGeomThatOutgrowsItsBoundingVolumeIsNotCovered) {
  const Model model = Load(kBall);
  const std::unique_ptr<mjModel, decltype(&mj_deleteModel)> changed(
      mj_copyModel(nullptr, model.get()), &mj_deleteModel);
  changed->geom_size[3] = 0.2;
  EXPECT_THAT(WhyNot(*changed), HasSubstr("bounding volumes"));
  changed->geom_size[3] = 0.1;
  changed->geom_pos[3] = 0.5;
  EXPECT_THAT(WhyNot(*changed), HasSubstr("bounding volumes"));
}

TEST(FlatModelTest, SoIsACylinder) {
  const Model model = Load("<joint/><geom type='cylinder' size='0.1 0.1'/>");
  EXPECT_EQ(WhyNot(*model), "covered");
  const std::unique_ptr<mjModel, decltype(&mj_deleteModel)> changed(
      mj_copyModel(nullptr, model.get()), &mj_deleteModel);
  changed->geom_rbound[1] = 0.14;  // its corners are at 0.1414
  EXPECT_THAT(WhyNot(*changed), HasSubstr("bounding volumes"));
}

TEST(FlatModelTest, SoIsAWall) {
  const Model model =
      Load("<geom type='box' size='.1 .2 .3'/></body><body><joint/><geom size='.1'/>");
  EXPECT_EQ(WhyNot(*model), "covered");
  const std::unique_ptr<mjModel, decltype(&mj_deleteModel)> changed(
      mj_copyModel(nullptr, model.get()), &mj_deleteModel);
  changed->geom_size[3] = 0.2;
  EXPECT_THAT(WhyNot(*changed), HasSubstr("bounding volumes"));
}

TEST(FlatModelTest, EnvsOfAModelShareItsForm) {
  const Model model = Load(kBall), other = Load(kBall);
  const auto flat = FlatModelOf(model, lanes::kNothing);
  EXPECT_EQ(flat, FlatModelOf(model, lanes::kNothing));
  EXPECT_NE(flat, FlatModelOf(other, lanes::kNothing));
}

}  // namespace
}  // namespace parallel_pool::mujoco
