// Loops of Pinocchio's algorithms over configurations, with the model built from numbers: nothing is linked, so neither
// the compiler's options nor the alignment of Eigen's matrices have to be those of a library that is installed.
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#include <string>
#include <vector>

namespace pin = pinocchio;
using Vector = Eigen::Map<const Eigen::VectorXd>;
using Result = Eigen::Map<Eigen::VectorXd>;
using Matrix = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

using Rotation = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>;

struct Robot {
  pin::Model model;
  pin::Data data;
  std::vector<pin::FrameIndex> frames;
};

// numbers: rotation by rows (9), position (3)
static pin::SE3 pose(const double *numbers) {
  return pin::SE3(Rotation(numbers), Eigen::Map<const Eigen::Vector3d>(numbers + 9));
}

static pin::JointModel joint_model(const std::string &type, const Eigen::Vector3d &axis) {
  if (type == "JointModelRX") return pin::JointModelRX();
  if (type == "JointModelRY") return pin::JointModelRY();
  if (type == "JointModelRZ") return pin::JointModelRZ();
  if (type == "JointModelPX") return pin::JointModelPX();
  if (type == "JointModelPY") return pin::JointModelPY();
  if (type == "JointModelPZ") return pin::JointModelPZ();
  if (type == "JointModelRevoluteUnaligned") return pin::JointModelRevoluteUnaligned(axis);
  if (type == "JointModelPrismaticUnaligned") return pin::JointModelPrismaticUnaligned(axis);
  if (type == "JointModelFreeFlyer") return pin::JointModelFreeFlyer();
  throw std::invalid_argument(type);
}

#pragma GCC visibility push(default)
extern "C" {

Robot *make() { return new Robot; }

// numbers: pose of the joint's place (12), axis (3), the body's dynamic parameters (10)
int add(Robot *robot, int parent, const char *type, const double *numbers) {
  try {
    const auto joint = joint_model(type, Eigen::Map<const Eigen::Vector3d>(numbers + 12));
    const auto id = robot->model.addJoint(parent, joint, pose(numbers), std::to_string(robot->model.njoints));
    const Eigen::VectorXd parameters = Eigen::Map<const Eigen::VectorXd>(numbers + 15, 10);
    robot->model.appendBodyToJoint(id, pin::Inertia::FromDynamicParameters(parameters));
  } catch (const std::invalid_argument &) {
    return 1;
  }
  return 0;
}

void add_frame(Robot *robot, int joint, const double *numbers) {
  const std::string name = "frame" + std::to_string(robot->model.nframes);
  robot->frames.push_back(robot->model.addFrame(pin::Frame(name, joint, 0, pose(numbers), pin::OP_FRAME)));
}

void finish(Robot *robot) { robot->data = pin::Data(robot->model); }

#define EACH(width)                                                                                                    \
  const pin::Model &model = robot->model;                                                                              \
  pin::Data &data = robot->data;                                                                                       \
  const long nq = model.nq, nv = model.nv, size = (width);                                                             \
  for (long i = 0; i < n; i++, q += nq, qd += nv, x += nv, out += size)

void rnea(Robot *robot, const double *q, const double *qd, const double *x, double *out, long n) {
  EACH(nv) Result(out, nv) = pin::rnea(model, data, Vector(q, nq), Vector(qd, nv), Vector(x, nv));
}

void aba(Robot *robot, const double *q, const double *qd, const double *x, double *out, long n) {
  EACH(nv) Result(out, nv) = pin::aba(model, data, Vector(q, nq), Vector(qd, nv), Vector(x, nv), pin::Convention::LOCAL);
}

// The lower triangle is that of the upper, which is all that Pinocchio fills.
void crba(Robot *robot, const double *q, const double *qd, const double *x, double *out, long n) {
  EACH(nv * nv) {
    pin::crba(model, data, Vector(q, nq), pin::Convention::LOCAL);
    Matrix(out, nv, nv) = data.M.selfadjointView<Eigen::Upper>();
  }
}

// By q, then by qd.
void rnea_derivatives(Robot *robot, const double *q, const double *qd, const double *x, double *out, long n) {
  EACH(2 * nv * nv) {
    pin::computeRNEADerivatives(model, data, Vector(q, nq), Vector(qd, nv), Vector(x, nv));
    Matrix(out, nv, nv) = data.dtau_dq;
    Matrix(out + nv * nv, nv, nv) = data.dtau_dv;
  }
}

// By q, by qd, then by the torques, of which Pinocchio fills the upper triangle.
void aba_derivatives(Robot *robot, const double *q, const double *qd, const double *x, double *out, long n) {
  EACH(3 * nv * nv) {
    pin::computeABADerivatives(model, data, Vector(q, nq), Vector(qd, nv), Vector(x, nv));
    Matrix(out, nv, nv) = data.ddq_dq;
    Matrix(out + nv * nv, nv, nv) = data.ddq_dv;
    Matrix(out + 2 * nv * nv, nv, nv) = data.Minv.selfadjointView<Eigen::Upper>();
  }
}

void fk(Robot *robot, const double *q, const double *qd, const double *x, double *out, long n) {
  EACH(16 * robot->frames.size()) {
    pin::forwardKinematics(model, data, Vector(q, nq));
    for (std::size_t k = 0; k < robot->frames.size(); k++)
      Matrix(out + 16 * k, 4, 4) = pin::updateFramePlacement(model, data, robot->frames[k]).toHomogeneousMatrix();
  }
}

void jacobian(Robot *robot, const double *q, const double *qd, const double *x, double *out, long n) {
  pin::Data::Matrix6x J = pin::Data::Matrix6x::Zero(6, robot->model.nv);
  EACH(6 * nv) {
    pin::computeFrameJacobian(model, data, Vector(q, nq), robot->frames[0], pin::LOCAL_WORLD_ALIGNED, J);
    Matrix(out, 6, nv) = J;
  }
}
}
#pragma GCC visibility pop
