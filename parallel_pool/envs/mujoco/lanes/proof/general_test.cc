// Steps of general models in lanes equal mj_step: contacts by libmujoco's functions, welds,
// friction pyramids and cones, islands that differ between the lanes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "parallel_pool/envs/mujoco/lanes/proof/lanes_fixture.h"

namespace parallel_pool::mujoco::lanes {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class GeneralTest : public LanesFixture {
 protected:
  void SetUp() override {
#if !defined(__linux__) || !defined(__x86_64__)
    GTEST_SKIP() << "general models are stepped in lanes on Linux on x86-64 only";
#endif
    LanesFixture::SetUp();
  }
};

void ExpectNotCovered(const mjModel& model, const std::string& why) {
  std::string why_not;
  EXPECT_EQ(Flatten(model, &why_not), nullptr);
  EXPECT_EQ(why_not, why);
}

TEST_P(GeneralTest, EachNumberIsThatOfLibmujoco) {
  const Model model = TaskModel(GetParam());
  ExpectEqual(model, GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Models, GeneralTest,
    testing::Values("robotics/fetch/reach", "robotics/fetch/push", "robotics/fetch/slide",
                    "robotics/fetch/pick_and_place", "robotics/hand/reach",
                    "robotics/hand/manipulate_block", "robotics/hand/manipulate_egg",
                    "robotics/hand/manipulate_pen", "robotics/hand/manipulate_block_touch_sensors",
                    "robotics/kitchen_franka/kitchen_assets/kitchen_env_model", "dm_control/finger",
                    "dm_control/stack_2", "dm_control/stack_4", "dm_control/bring_ball",
                    "dm_control/insert_peg", "robotics/adroit_hand/adroit_door",
                    "robotics/adroit_hand/adroit_hammer", "robotics/adroit_hand/adroit_pen",
                    "robotics/adroit_hand/adroit_relocate", "dm_control/fish",
                    "dm_control/ball_in_cup", "dm_control/quadruped_run",
                    "dm_control/quadruped_fetch", "dm_control/humanoid_CMU", "dm_control/dog_run",
                    "dm_control/dog_fetch"));

std::string Loose(const std::string& geoms, const std::string& pos) {
  return "<body pos='" + pos + "'><freejoint/>" + geoms + "</body>";
}

// Bodies of each type of geom fall on each other, on a hinged plate, and around a body that a mocap
// body pulls. So islands of one to four trees come and go. The plate has actuators with
// activations, and sensors. `cone`: pyramidal or elliptic.
std::string Heap(const std::string& cone, int most_dimensions) {
  const std::string rolling = std::to_string(most_dimensions);
  return "<mujoco><option cone='" + cone + "' impratio='" + (cone == "elliptic" ? "3" : "1") +
         "'/><compiler angle='radian'/><default><geom margin='.002' solimp='.9 .95 .01 .4 3'/>"
         "</default><worldbody><geom name='floor' type='plane' size='5 5 1'/>"
         "<site name='still' euler='.3 .2 .1'/><body name='hand' mocap='true' pos='0 0 .3'><geom "
         "type='box' size='.02 .02 .02' "
         "contype='0' conaffinity='0'/></body>"
         "<body name='pulled' pos='0 0 .3'><freejoint/><geom type='box' size='.06 .05 .04'/>"
         "<body name='hook' pos='.01 0 .02'/></body>"
         "<body pos='.3 0 .1'><joint name='plate' axis='0 1 0' limited='true' range='-.3 .3'/>"
         "<site name='edge' pos='.1 .05 .01' euler='.1 .2 .3'/>"
         "<geom type='box' size='.1 .2 .01' condim='1'/></body>" +
         Loose("<geom type='sphere' size='.06' condim='" + rolling + "' gap='.001'/>", ".1 0 .2") +
         Loose("<geom type='capsule' size='.04 .08' priority='1' solref='-900 -20'/>", "0 .1 .5") +
         Loose("<geom name='can' type='cylinder' size='.06 .05' condim='4'/>", ".25 0 .3") +
         "</worldbody><contact><pair geom1='floor' geom2='can' condim='3' "
         "solreffriction='.03 1.2'/><exclude body1='hand' body2='pulled'/></contact>"
         "<equality><weld body1='hand' body2='hook' torquescale='.7' anchor='.01 .02 0'/>"
         "</equality><actuator><position joint='plate' kp='5' kv='.2'/>"
         "<general joint='plate' dyntype='filterexact' dynprm='.05' gainprm='2' actlimited='true' "
         "actrange='-.3 .4' actearly='true'/><general joint='plate' dyntype='filter' dynprm='.1'/>"
         "<intvelocity joint='plate' kp='.5' actrange='-.02 .03'/></actuator>"
         "<sensor><accelerometer site='edge'/><accelerometer site='still'/><force "
         "site='edge'/><torque site='edge'/>"
         "<gyro site='edge'/><framepos objtype='site' objname='edge'/>"
         "<framepos objtype='xbody' objname='pulled'/><jointpos joint='plate'/>"
         "<jointvel joint='plate'/><subtreecom body='pulled'/></sensor></mujoco>";
}

TEST_F(GeneralTest, SoAreThoseOfAHeap) {
  ExpectEqual(FromText(Heap("pyramidal", 6)), "heap with pyramids");
}
TEST_F(GeneralTest, SoAreThoseOfAHeapWithCones) {
  ExpectEqual(FromText(Heap("elliptic", 3)), "heap with cones");
}

TEST_F(GeneralTest, SoAreThoseOfAHeapWithSparseRows) {
  const Model heap = FromText(Heap("pyramidal' jacobian='sparse", 6));
  ExpectEqual(heap, "heap with sparse rows");
  ExpectEqual(FromText(Heap("pyramidal' jacobian='sparse' noslip_iterations='9", 6)),
              "heap with sparse rows without slip");
}

// A ball that rolls, a hinged body that kicks it, and one that falls on both, by Runge-Kutta.
TEST_F(GeneralTest, SoAreThoseOfTheOtherIntegrator) {
  ExpectEqual(
      FromText(
          "<mujoco><option integrator='RK4' timestep='.01'/><default><joint armature='.1'/>"
          "<geom margin='.01'/></default><worldbody><geom type='plane' size='9 9 1'/>"
          "<geom type='box' size='.1 1 .5' pos='.9 0 .5'/>" +
          Loose("<geom size='.25' priority='1' condim='6' friction='.7 .05 .01'/>", ".2 0 .3") +
          "<body pos='-.3 0 .5'><joint name='kick' type='hinge' axis='0 1 0'/>"
          "<geom type='capsule' fromto='0 0 0 0 0 -.4' size='.05'/></body>" +
          Loose("<geom type='box' size='.1 .15 .1'/><geom type='sphere' size='.1' pos='0 0 .2'/>",
                "0 .1 .9") +
          "</worldbody><actuator><motor joint='kick' gear='9' ctrlrange='-1 1'/></actuator>"
          "</mujoco>"),
      "Runge-Kutta");
}

TEST_F(GeneralTest, SoAreThoseOfAHeapWithoutSlip) {
  ExpectEqual(FromText(Heap("pyramidal' noslip_iterations='9", 6)), "heap without slip");
}
TEST_F(GeneralTest, SoAreThoseOfAHeapWithoutContacts) {
  const std::string heap = Heap("pyramidal", 6);
  for (const char* const flag : {"contact", "constraint"}) {
    const std::string option = "<option><flag " + std::string(flag) + "='disable'/></option>";
    ExpectEqual(FromText("<mujoco>" + option + heap.substr(heap.find('>') + 1)), flag);
  }
}

// Bodies of several shapes in a fluid, with springs and a limit of tendons. A step needs a geom
// that touches nothing, and an empty body.
constexpr char kSwimmers[] =
    "<mujoco><option density='900' viscosity='.3'/><worldbody><site name='anchor' pos='0 0 1'/>"
    "<body pos='0 0 .6'><freejoint/><geom type='ellipsoid' size='.1 .05 .03' "
    "fluidshape='ellipsoid' fluidcoef='.4 .3 1.4 1.1 .9'/><body pos='.1 0 0'><site "
    "name='tail'/></body>"
    "<body pos='-.1 0 0'><joint name='a' axis='0 1 0'/><geom type='box' size='.05 .02 .01' "
    "pos='-.06 0 0' contype='0' conaffinity='0' fluidshape='ellipsoid'/><geom type='capsule' "
    "size='.01 .03' pos='-.1 0 0' "
    "fluidshape='ellipsoid'/><body pos='-.12 0 0'><joint name='b' axis='0 0 1'/>"
    "<geom type='cylinder' size='.02 .03' pos='-.03 0 0'/></body></body></body></worldbody>"
    "<tendon><fixed stiffness='3' springlength='-.1 .1'><joint joint='a' coef='.5'/>"
    "<joint joint='b' coef='-.7'/></fixed><spatial limited='true' range='.2 .45' margin='.01'>"
    "<site site='anchor'/><site site='tail'/></spatial></tendon>"
    "</mujoco>";

TEST_F(GeneralTest, SoAreThoseOfSwimmers) {
  ExpectEqual(FromText(kSwimmers), "swimmers");
}

// A chain whose tendons list many joints, not in their order.
constexpr char kChain[] =
    "<mujoco><worldbody><body><joint name='a' axis='0 1 0'/><geom size='.03'/>"
    "<body pos='.1 0 0'><joint name='b' axis='0 0 1'/><geom size='.03'/>"
    "<body pos='.1 0 0'><joint name='c' axis='0 1 0'/><geom size='.03'/>"
    "<body pos='.1 0 0'><joint name='d' axis='1 0 1'/><geom size='.03'/>"
    "<body pos='.1 0 0'><joint name='e' axis='0 1 0'/><geom size='.03'/>"
    "</body></body></body></body></body></worldbody>"
    "<tendon><fixed name='all' limited='true' range='-.2 .3'><joint joint='d' coef='.7'/>"
    "<joint joint='a' coef='.3'/><joint joint='e' coef='-.9'/><joint joint='c' coef='1.1'/>"
    "<joint joint='b' coef='.2'/></fixed><fixed name='some' stiffness='2'>"
    "<joint joint='c' coef='.5'/><joint joint='b' coef='.3'/><joint joint='a' coef='.9'/></fixed>"
    "</tendon><actuator><position tendon='all' kp='3' kv='.4' gear='1.3'/>"
    "<position tendon='some' kp='2' kv='.3'/></actuator></mujoco>";

TEST_F(GeneralTest, SoAreThoseOfAChain) {
  ExpectEqual(FromText(kChain), "chain");
}

TEST_F(GeneralTest, SomeConesAreNotCovered) {
  ExpectNotCovered(*FromText(Heap("elliptic", 6)), "elliptic friction cones with rolling friction");
  ExpectNotCovered(*FromText(Heap("elliptic' jacobian='sparse", 3)),
                   "elliptic friction cones with a sparse Jacobian");
}

// Each of these changes is small, and is seen.
class PlantedTest : public GeneralTest {
 protected:
  PlantedTest() : model_(FromText(Heap("elliptic", 3))), flat_(*Flat(*model_)) {}

  std::string FirstDifference() { return LanesFixture::FirstDifference(model_, flat_); }

  const Model model_;
  StepModel flat_;
};

TEST_F(PlantedTest, NothingIsSeenWithoutAFault) {
  EXPECT_EQ(FirstDifference(), "");
}
TEST_F(PlantedTest, IslandsThatAreNotLinkedAreSeen) {
  for (Body& body : flat_.bodies) body.tree &= 1;
  EXPECT_THAT(FirstDifference(), HasSubstr(" in step "));
}
TEST_F(PlantedTest, IslandsThatAreOneAreSeen) {
  for (Body& body : flat_.bodies) body.tree = body.tree == 0 ? 0 : 63;
  EXPECT_THAT(FirstDifference(), HasSubstr(" in step "));
}
TEST_F(PlantedTest, OneBitOfAWeldIsSeen) {
  flat_.welds[0].torque_scale = std::nextafter(flat_.welds[0].torque_scale, 1);
  EXPECT_THAT(FirstDifference(), HasSubstr(" in step "));
}
TEST_F(PlantedTest, OneBitOfABodysWeightIsSeen) {
  for (Body& body : flat_.bodies) body.inverse_weight[0] *= 1 + 1e-15;
  EXPECT_THAT(FirstDifference(), HasSubstr(" in step "));
}
TEST_F(PlantedTest, OneBitOfTheConesIsSeen) {
  flat_.impratio = std::nextafter(flat_.impratio, 4);
  EXPECT_THAT(FirstDifference(), HasSubstr(" in step "));
}
TEST_F(PlantedTest, OneBitOfAnActivationIsSeen) {
  for (Actuator& actuator : flat_.actuators) {
    actuator.time_constant = std::nextafter(actuator.time_constant, 1);
  }
  EXPECT_THAT(FirstDifference(), HasSubstr(" in step "));
}
TEST_F(PlantedTest, AForceThatIsATorqueIsSeen) {
  flat_.force_sensors[1].type = mjSENS_TORQUE;
  EXPECT_THAT(FirstDifference(), HasSubstr("force sensors in step "));
}
TEST_F(PlantedTest, OneBitOfAnEllipsoidOrOfASpringIsSeen) {
  const Model swimmers = FromText(kSwimmers);
  StepModel flat = *Flat(*swimmers);
  EXPECT_EQ(LanesFixture::FirstDifference(swimmers, flat), "");
  flat.ellipsoids[1].blunt = std::nextafter(flat.ellipsoids[1].blunt, 1);
  EXPECT_THAT(LanesFixture::FirstDifference(swimmers, flat), HasSubstr("qfrc_passive in step "));
  flat = *Flat(*swimmers);
  flat.tendons[0].stiffness = std::nextafter(flat.tendons[0].stiffness, 4);
  // A step with rows tells of their forces first.
  EXPECT_THAT(LanesFixture::FirstDifference(swimmers, flat),
              AnyOf(HasSubstr("qfrc_spring in step "), HasSubstr("efc_force in step ")));
}
TEST_F(PlantedTest, ASweepMoreAgainstSlipIsSeen) {
  const Model heap = FromText(Heap("pyramidal' noslip_iterations='2' noslip_tolerance='0", 6));
  StepModel flat = *Flat(*heap);
  EXPECT_EQ(LanesFixture::FirstDifference(heap, flat), "");
  ++flat.noslip_iterations;
  EXPECT_THAT(LanesFixture::FirstDifference(heap, flat), HasSubstr(" in step "));
}
TEST_F(PlantedTest, SumsOfDenseRowsInPlaceOfSparseOnesAreSeen) {
  for (const char* const more : {"", "' noslip_iterations='5"}) {
    const Model heap = FromText(Heap("pyramidal' jacobian='sparse" + std::string(more), 6));
    StepModel flat = *Flat(*heap);
    EXPECT_EQ(LanesFixture::FirstDifference(heap, flat), "");
    flat.is_sparse = false;
    EXPECT_THAT(LanesFixture::FirstDifference(heap, flat), HasSubstr(" in step "));
  }
}
TEST_F(PlantedTest, OneBitOfAServoIsSeen) {
  flat_.actuators[0].bias[2] = std::nextafter(flat_.actuators[0].bias[2], 1);
  EXPECT_THAT(FirstDifference(), Not(""));
}

}  // namespace
}  // namespace parallel_pool::mujoco::lanes
