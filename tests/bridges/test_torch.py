"""Kernels as functions of PyTorch."""

import subprocess
import sys

import numpy as np
import pytest

import kinetree as kt
from bridges.bridge_kernels import ARM, KERNELS, TIP, arrays, at_a_limit, carried, soft, two_joints

torch = pytest.importorskip("torch", reason="PyTorch has an environment of its own")
from kinetree.bridges.torch import wrap  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


def tensors(kernel, **options):
    return [torch.tensor(a, requires_grad=True) for a in arrays(kernel, **options)]


def flat(result):
    return torch.cat([a.reshape(-1) for a in result]) if isinstance(result, tuple) else result


def compiled(function):
    return torch.compile(function, fullgraph=True, backend="aot_eager")


@pytest.mark.parametrize("name", KERNELS)
def test_values_and_derivatives_of_both_orders(name):
    kernel = KERNELS[name]()
    function, x = wrap(kernel), tensors(kernel)
    expected, found = kernel(*arrays(kernel)), function(*x)
    for a, b in zip(expected, found, strict=True) if isinstance(found, tuple) else ((expected, found),):
        np.testing.assert_array_equal(a, b.detach().numpy())
    assert torch.autograd.gradcheck(lambda *y: flat(function(*y)), x)
    assert torch.autograd.gradgradcheck(lambda *y: flat(function(*y)), x)


def test_a_batch_whose_inputs_are_broadcast():
    kernel = KERNELS["inverse_dynamics"]()
    function, x = wrap(kernel), tensors(kernel, batch=(2, 1))
    x[1] = torch.rand(3, *kernel.inputs[1].shape, dtype=torch.float64, requires_grad=True)
    assert function(*x).shape == (2, 3, *kernel.output.shape)
    assert torch.autograd.gradcheck(function, x)


def pose_error(function, T):
    return lambda q: (function(q) - T).square().sum((-2, -1))


def test_transforms_of_functions():
    kernel = kt.fk(ARM, TIP)
    function, T = wrap(kernel), torch.tensor(kernel(np.full(6, 0.3)))
    loss = pose_error(function, T)
    q = torch.tensor(arrays(kernel, batch=(4,))[0])
    each = torch.func.vmap(torch.func.grad(loss))(q)
    torch.testing.assert_close(each, torch.func.grad(lambda q: loss(q).sum())(q), rtol=0, atol=1e-14)
    np.testing.assert_allclose(
        each[0].numpy(), kt.vjp(kernel)(q[0].numpy(), 2 * (function(q[0]) - T).numpy()), atol=1e-14
    )
    J = torch.func.jacrev(function)(q[0])
    tangent = kt.jvp(kernel)(q[0].numpy(), np.arange(6.0))
    np.testing.assert_allclose((J @ torch.arange(6.0, dtype=torch.float64)).numpy(), tangent, atol=1e-13)
    H = torch.func.jacrev(torch.func.jacrev(loss))(q[0])
    torch.testing.assert_close(H, H.T, rtol=0, atol=1e-12)
    between = torch.func.vmap(function, in_dims=1)(q.T)
    torch.testing.assert_close(between, function(q), rtol=0, atol=0)


def test_mapped_inputs_and_others():
    kernel = KERNELS["inverse_dynamics"]()
    function, (q, qd, qdd) = wrap(kernel), tensors(kernel, batch=(3,))
    found = torch.func.vmap(function, in_dims=(0, None, None))(q, qd, qdd)
    torch.testing.assert_close(found, function(q, qd, qdd), rtol=0, atol=0)
    deeper = torch.func.vmap(function, in_dims=(0, None, None))(q, torch.stack([qd, qd]), qdd)
    assert deeper.shape == (3, 2, *kernel.output.shape)


def test_compiled_graphs():
    kernel = kt.fk(ARM, TIP)
    function, q = wrap(kernel), torch.tensor(arrays(kernel, batch=(4,))[0], requires_grad=True)
    loss = pose_error(function, torch.eye(4, dtype=torch.float64))
    (expected,) = torch.autograd.grad(loss(q).sum(), q)
    (found,) = torch.autograd.grad(compiled(lambda q: loss(q).sum())(q), q)
    torch.testing.assert_close(found, expected, rtol=0, atol=0)
    torch.testing.assert_close(compiled(torch.func.vmap(loss))(q.detach()), loss(q.detach()), rtol=0, atol=0)
    several = wrap(KERNELS["several results"]())
    x = tensors(KERNELS["several results"]())
    for a, b in zip(compiled(lambda *x: several(*x))(*x), several(*x), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=0)


@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16"])
def test_other_floating_types(kind):
    kernel, kind = kt.fk(ARM, TIP), getattr(torch, kind)
    q = torch.tensor(arrays(kernel)[0]).to(kind).requires_grad_()
    T = wrap(kernel)(q)
    torch.testing.assert_close(T, torch.tensor(kernel(q.detach().double().numpy())).to(kind), rtol=0, atol=0)
    T.sum().backward()
    assert q.grad.dtype == T.dtype == kind
    mixed = wrap(KERNELS["several results"]())(
        *[x.detach().float() for x in tensors(KERNELS["several results"]())[:2]], torch.ones(6).double()
    )
    assert mixed[0].dtype == torch.float64


def test_what_is_refused():
    function, legal = wrap(kt.fk(ARM, TIP)), torch.zeros(6)
    for call, message in (
        (lambda: wrap(np.sin), "expected kernels"),
        (lambda: function(legal.to("meta")), "use .cpu"),
        (lambda: function(torch.zeros(6, dtype=torch.int64)), "expected floating types"),
        (lambda: function(torch.zeros(5)), r"q has shape \(5,\)"),
        (lambda: function(legal, legal), "takes q"),
        (lambda: compiled(lambda q: function(q))(torch.zeros(5)), r"expected \(…, 6\)|expected real numbers of shape"),
    ):
        with pytest.raises(Exception, match=message):
            call()


def test_inverse_kinematics_by_the_implicit_function():
    kernel = kt.fk(ARM, TIP)
    solve = wrap(kt.ik(ARM, TIP, tolerance=(1e-11, 1e-11)))
    pose = wrap(kernel)
    q = torch.tensor(ARM.limits.sample(3, seed=0) * 0.5)
    base = solve(pose(q)).q.detach()

    def along(d):
        return solve(pose(q + d), q0=base).q

    d = torch.zeros(3, 6, dtype=torch.float64, requires_grad=True)
    assert solve(pose(q)).success.all()
    assert torch.autograd.gradcheck(along, (d,), eps=1e-5, atol=1e-4)
    assert torch.autograd.gradgradcheck(along, (d,), eps=1e-5, atol=1e-3)
    T = pose(q)
    each = torch.func.vmap(torch.func.jacrev(lambda T: solve(T).q))(T)
    torch.testing.assert_close(each[1], torch.func.jacrev(lambda T: solve(T).q)(T[1]))
    total = lambda T: solve(T).q.square().sum()  # noqa: E731
    T.requires_grad_()
    (found,), (expected,) = torch.autograd.grad(compiled(total)(T), T), torch.autograd.grad(total(T), T)
    torch.testing.assert_close(found, expected, rtol=0, atol=0)
    T = T.detach()
    torch.testing.assert_close(compiled(total)(T), total(T), rtol=0, atol=0)
    torch.testing.assert_close(compiled(torch.func.vmap(total))(T), torch.stack([total(one) for one in T]))


@pytest.mark.parametrize("name", ["floating", "ball"])
def test_second_derivatives_of_inverse_kinematics_with_quaternions(name):
    """Near its start, the solver moves by steps of least norm too, so that its answers have these derivatives."""
    fk, integrate, target, ik, q = carried(name)
    pose, moved, solve = wrap(fk), wrap(integrate), wrap(ik)
    begin = solve(target(pose(torch.tensor(q))), q0=torch.tensor(q)).q
    along = lambda v: solve(target(pose(moved(begin, v))), q0=begin).q  # noqa: E731
    v = torch.zeros(q.shape[-1] - 1, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(along, (v,), eps=1e-5, atol=1e-4)
    assert torch.autograd.gradgradcheck(along, (v,), eps=1e-5, atol=1e-3)


def test_second_derivatives_beside_a_target_out_of_reach():
    fk, _, target, ik, q = carried("ball")
    near = target(wrap(fk)(torch.tensor(q)))
    p = torch.stack([near, near + 9.0]).requires_grad_()
    found = wrap(ik)(p, q0=torch.tensor(q))
    assert found.success.tolist() == [True, False]
    (first,) = torch.autograd.grad(found.q.square().sum(), p, create_graph=True)
    (second,) = torch.autograd.grad(first.square().sum(), p)
    assert first[1].abs().max() == second[1].abs().max() == 0.0
    assert 0.0 < second[0].abs().max() < torch.inf


def test_a_joint_at_its_limit_does_not_move():
    T, q = at_a_limit()
    solve = wrap(kt.ik(ARM, TIP))
    T = torch.tensor(T, requires_grad=True)
    found = solve(T, q0=torch.tensor(q))
    assert found.success
    np.testing.assert_allclose(found.q.detach(), q, atol=1e-5)
    moves = torch.stack([torch.autograd.grad(found.q[i], T, retain_graph=True)[0].abs().max() for i in range(6)])
    assert (moves[:5] > 0.1).all()
    assert moves[5] == 0.0


def test_targets_out_of_reach_have_no_gradient():
    solve = wrap(kt.ik(ARM, TIP, goal="position"))
    p = torch.tensor([[9.0, 0.0, 0.0], *kt.fk(ARM, TIP)(np.full((1, 6), 0.3))[:, :3, 3]], requires_grad=True)
    found = solve(p)
    assert found.success.tolist() == [False, True]
    found.q.sum().backward()
    assert p.grad[0].abs().max() == 0.0
    assert p.grad[1].abs().max() > 0.0


def test_a_network_learns_inverse_kinematics():
    """Of an arm of two joints, by the error of the position alone: from 1 m to below 2 cm, a 90th of the reach."""
    torch.manual_seed(0)
    position = wrap(kt.fk(two_joints(), "tip"))
    layers = [torch.nn.Linear(2, 32), torch.nn.Tanh(), torch.nn.Linear(32, 32), torch.nn.Tanh(), torch.nn.Linear(32, 2)]
    net = torch.nn.Sequential(*layers).double()
    q = torch.tensor(np.random.default_rng(0).uniform([-1.0, 0.4], [1.0, 2.0], (256, 2)))
    targets = position(q)[:, :2, 3]
    optimizer = torch.optim.LBFGS(net.parameters(), max_iter=300, history_size=50, line_search_fn="strong_wolfe")

    def loss():
        optimizer.zero_grad()
        squares = (position(net(targets))[:, :2, 3] - targets).square().sum(-1).mean()
        squares.backward()
        return squares

    assert loss().sqrt().item() > 1.0
    optimizer.step(loss)
    assert loss().sqrt().item() < 0.02


def test_kinetree_does_not_import_it():
    program = "import sys, kinetree as kt; kt.vjp(kt.fk(kt.load('icub'), 'l_hand')); print('torch' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "False\n"
    )


def test_a_bad_target_fails_alone_and_has_no_gradient():
    T = kt.fk(ARM, TIP)(np.full((4, 6), 0.3))
    T[0, 0, 0], T[2, :3, :3] = np.nan, 1.1 * T[2, :3, :3]
    T[3, :3, :3] = T[3, :3, :3].round(4)
    solve = wrap(kt.ik(ARM, TIP))
    for kind in (torch.float64, torch.float32):
        x = torch.tensor(T, dtype=kind, requires_grad=True)
        found = solve(x)
        assert found.success.tolist() == [False, True, False, True]
        assert not solve(x[0]).success
        found.q.sum().backward()
        assert torch.isfinite(x.grad).all()
        assert (x.grad.abs().amax((1, 2)) > 0).tolist() == [False, True, False, True]


def test_soft_goals_have_the_derivatives_of_their_minimum():
    """Those of `IK.derivatives`, which other tests compare with differences; in batches; zero where not reached."""
    ik, targets, q = soft()
    by = ik.derivatives(ik(*targets, q0=q), *targets)
    solve, start = wrap(ik), torch.tensor(q)
    p, R = (torch.tensor(x) for x in targets)
    found = torch.func.jacrev(lambda *x: solve(*x, q0=start).q, argnums=(0, 1))(p, R)
    for name, J in zip(("position", "orientation"), found, strict=True):
        assert J.abs().max() > 0.1
        np.testing.assert_allclose(J, by[f"{name} of {TIP}"], rtol=0, atol=1e-7)
    p = torch.stack([p, torch.tensor([9.0, 0.0, 0.0]), torch.tensor([torch.nan, 0.0, 0.0])])
    slope = torch.func.grad(lambda p: solve(p, R, q0=start).q.sum())
    for many in (slope(p), torch.func.vmap(slope)(p)):
        np.testing.assert_allclose(many[0], by[f"position of {TIP}"].sum(axis=0), rtol=0, atol=1e-6)
        assert many[1:].abs().max() == 0.0
    with pytest.raises(kt.KinetreeError, match="first derivatives alone"):
        torch.func.jacrev(slope)(p[0])
