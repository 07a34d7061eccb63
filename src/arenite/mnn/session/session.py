"""A session: inputs and outputs of its own, and an engine between them.

Facts: MNN 3.6.1 ``core/Session.cpp``, ``core/Pipeline.cpp`` (``executeCallBack``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import RLock

from arenite.errors import StateError
from arenite.mnn.session.config import ScheduleConfig
from arenite.mnn.session.constants import (
    CPU,
    DimensionType,
    ErrorCode,
    SessionInfoCode,
)
from arenite.mnn.session.engine import SessionEngine
from arenite.mnn.session.op_info import NodeCallBack
from arenite.mnn.session.plan import Plan, Schedule, SessionPort, Shape
from arenite.mnn.session.storage import aligned
from arenite.mnn.session.tensor import Tensor
from arenite.model import Array, TensorType
from arenite.runtime.lifecycle import Tensors

MEGABYTE = 1 << 20
#: What MNN says of a tensor that no resize has seen.
NO_SHAPE = (0, 0, 0, 0)
_NO_ERROR = ErrorCode.NO_ERROR.value
_RESIZED = "a tensor was resized; call resizeSession(session) first"


class Session:
    """Made by ``Interpreter.createSession``, which all calls that use it belong to.

    Methods have the names of MNN's C++ class. Its Python class has :meth:`cache` and
    :meth:`removeCache` only, and so have scripts.
    """

    def __init__(self) -> None:
        self._schedule: Schedule | None = None
        self._plan: Plan | None = None
        self._engine: SessionEngine | None = None
        self._inputs: dict[str, Tensor] = {}
        self._outputs: dict[str, Tensor] = {}
        self._needs_resize = True
        self._visits = True
        self._reason = "the session was not made by createSession"
        self._threads = 1
        self._path = ""
        self._lock = RLock()

    @classmethod
    def of(
        cls, schedule: Schedule, config: ScheduleConfig, *, visits: bool = True, path: str = ""
    ) -> Session:
        """A session that is still to be resized.

        Args:
            schedule: What to run.
            config: The configuration it was made with.
            visits: Whether callbacks are called (``Session_Debug``).
            path: The model's path, under which :meth:`cache` keeps the session.
        """
        self = cls()
        self._schedule, self._threads, self._visits = schedule, config.threads, visits
        self._path = path
        self._inputs = {port.name: _unplanned(port) for port in sorted(schedule.inputs, key=_name)}
        self._outputs = {
            name: _unplanned(SessionPort(name, NO_SHAPE, TensorType.FLOAT32, DimensionType.CAFFE))
            for name in sorted(schedule.outputs)
        }
        return self

    # -- kept for other interpreters of the same file

    def cache(self) -> None:
        """``createSession`` of every interpreter of the same path answers with this session."""
        if self._path:
            CACHE.setdefault(self._path, self)

    def removeCache(self) -> None:
        """The end of :meth:`cache`."""
        CACHE.pop(self._path, None)

    # -- tensors

    def getInput(self, name: str | None = None) -> Tensor:
        """An input by name, or the first one by name.

        Raises:
            ValueError: There is none of that name.
        """
        return _named(self._inputs, name, "input")

    def getOutput(self, name: str | None = None) -> Tensor:
        """An output by name, or the first one by name.

        Raises:
            ValueError: There is none of that name.
        """
        return _named(self._outputs, name, "output")

    def getInputAll(self) -> dict[str, Tensor]:
        """All inputs by name."""
        return dict(self._inputs)

    def getOutputAll(self) -> dict[str, Tensor]:
        """All outputs by name."""
        return dict(self._outputs)

    def resizeTensor(self, tensor: Tensor, shape: Shape) -> None:
        """Give an input another shape; nothing runs until :meth:`resize`."""
        with self._lock:
            if tensor.getShape() == shape:
                return
            tensor.resize(shape, _RESIZED)
            self._needs_resize = True

    # -- the life of a session

    def resize(self) -> None:
        """Infer all shapes, plan the arena and allocate inputs and outputs, where necessary.

        When it fails, the session is as before: still to be resized.

        Raises:
            StateError: An input has a shape that is not known.
            ModelError, ConstraintError, UnsupportedOperatorError: The net cannot run so.
        """
        with self._lock:
            schedule = self.require_life("resizeSession")
            if not self._needs_resize:
                return
            plan = schedule.plan(self._shapes())
            memory = [_memory(self._inputs[port.name], port) for port in plan.inputs]
            results = [_memory(self._outputs[port.name], port) for port in plan.outputs]
            self._engine = SessionEngine(plan, memory, results)
            _attach(self._inputs, plan.inputs, memory)
            _attach(self._outputs, plan.outputs, results)
            self._plan, self._needs_resize = plan, False

    def release(self) -> None:
        """Let everything go; no call is legal from now on."""
        with self._lock:
            self._reason = "the session was released"
            self._schedule = self._plan = self._engine = None
            for tensor in (*self._inputs.values(), *self._outputs.values()):
                tensor.release("its session was released")
            if CACHE.get(self._path) is self:
                self.removeCache()

    def leave_model(self, detached: Callable[[Plan], Plan]) -> None:
        """Go on without the model's buffer: ``detached`` gives a plan that has nothing of it."""
        with self._lock:
            self._schedule = None
            self._reason = "the model was released, so the session cannot be resized"
            if self._plan is None or self._needs_resize:
                return
            plan = detached(self._plan)
            memory = [_of(self._inputs[port.name]) for port in plan.inputs]
            results = [_of(self._outputs[port.name]) for port in plan.outputs]
            self._plan, self._engine = plan, SessionEngine(plan, memory, results)

    # -- running

    def run(self) -> int:
        """One inference.

        Raises:
            StateError: The session has to be resized first, or was released.
        """
        with self._lock:
            engine = self._engine
            if engine is None or self._needs_resize:
                engine = self._require_engine("runSession")
            engine.run()
        return _NO_ERROR

    def runWithCallBack(self, before: NodeCallBack | None, after: NodeCallBack | None) -> int:
        """One inference with a call before and after every operator.

        Tensors are valid during the call that they are given to.

        Returns:
            0, or 11 (``CALL_BACK_STOP``) where ``after`` ended it.

        Raises:
            StateError: The session has to be resized first, or was released.
            TypeError: A callback answers neither True nor False.
        """
        with self._lock:
            engine = self._require_engine("runSessionWithCallBack")
            if not self._visits or (before is None and after is None):
                engine.run()
                return _NO_ERROR
            done = engine.visit(self._visit(before, "begin"), self._visit(after, "end"))
        return _NO_ERROR if done else ErrorCode.CALL_BACK_STOP.value

    # -- facts

    def getInfo(self, code: int) -> int | float:
        """A fact by its :class:`SessionInfoCode`.

        Raises:
            ValueError: There is no such code.
            StateError: The session has to be resized first.
        """
        if code == SessionInfoCode.BACKENDS:
            return CPU
        if code == SessionInfoCode.RESIZE_STATUS:
            return 2.0 if self._needs_resize else 0.0
        if code == SessionInfoCode.THREAD_NUMBER:
            return float(self._threads)
        if code not in (SessionInfoCode.MEMORY, SessionInfoCode.FLOPS):
            raise ValueError(f"getSessionInfo: expected a code from 0 to 4, got {code}")
        with self._lock:
            self._require_engine("getSessionInfo")
            assert self._plan is not None
            if code == SessionInfoCode.FLOPS:
                return self._plan.flops
            return sum(self.memory().values()) / MEGABYTE

    def memory(self) -> dict[str, int]:
        """Bytes by purpose: the planned arena, inputs and outputs, packed weights."""
        engine = self._require_engine("memory")
        tensors = (*self._inputs.values(), *self._outputs.values())
        return {
            "arena": engine.arena_bytes,
            "tensors": sum(_of(tensor).nbytes for tensor in tensors),
            "kernels": engine.native_bytes,
        }

    @property
    def is_open(self) -> bool:
        """Whether an input's shape is still to be given."""
        return any(min(t.getShape() or (), default=1) < 1 for t in self._inputs.values())

    @property
    def model(self) -> Plan:
        """Model that runs.

        Raises:
            StateError: The session has to be resized first, or was released.
        """
        self._require_engine("model")
        assert self._plan is not None
        return self._plan

    def __repr__(self) -> str:
        if self._schedule is None and self._engine is None:
            return f"<Session: {self._reason}>"
        state = "to be resized" if self._needs_resize else "ready"
        inputs = ", ".join(f"{name}{list(t.getShape() or ())}" for name, t in self._inputs.items())
        return f"<Session: {state}, {inputs} -> {', '.join(self._outputs)}>"

    # -- inside

    def require_life(self, call: str) -> Schedule:
        """Plan that the session runs.

        Raises:
            StateError: It was released, or its model was.
        """
        if self._schedule is None:
            raise StateError(f"{call}: {self._reason}")
        return self._schedule

    def _require_engine(self, call: str) -> SessionEngine:
        if self._engine is None or self._needs_resize:
            self.require_life(call)
            shapes = ", ".join(
                f"{name!r} {list(tensor.getShape() or ())}" for name, tensor in self._inputs.items()
            )
            raise StateError(
                f"{call}: the session is not resized to its inputs' shapes ({shapes}); give "
                "open ones a shape with resizeTensor, then call resizeSession"
            )
        return self._engine

    def _shapes(self) -> dict[str, Shape]:
        shapes = {}
        for name, tensor in self._inputs.items():
            shape = tensor.getShape() or ()
            if min(shape, default=1) < 1:
                raise StateError(
                    f"resizeSession: input {name!r} has the open shape {list(shape)}; give it "
                    "one with resizeTensor"
                )
            shapes[name] = shape
        return shapes

    def _visit(self, callback: NodeCallBack | None, which: str) -> Callable[[int, Tensors], bool]:
        plan = self._plan
        assert plan is not None

        def visit(number: int, arrays: Tensors) -> bool:
            if callback is None:
                return True
            tensors = tuple(_seen(plan, index, array) for index, array in arrays)
            answer = callback(tensors, plan.nodes[number])
            for tensor in tensors:
                tensor.release("it was valid during its callback")
            if not isinstance(answer, int):
                raise TypeError(
                    f"the {which} callback of runSessionWithCallBack must return True or False, "
                    f"got {answer!r}"
                )
            return bool(answer)

        return visit


#: Sessions kept by ``cache``, by their model's path.
CACHE: dict[str, Session] = {}


def _name(port: SessionPort) -> str:
    return port.name


def _unplanned(port: SessionPort) -> Tensor:
    return Tensor.of_session(port.shape, port.type, port.dimension, _RESIZED)


def _named(tensors: dict[str, Tensor], name: str | None, kind: str) -> Tensor:
    if name is None and tensors:
        return next(iter(tensors.values()))
    if name not in tensors:
        raise ValueError(f"expected an {kind} of {list(tensors)}, got {name!r}")
    return tensors[name]


def _memory(tensor: Tensor, port: SessionPort) -> Array:
    """The tensor's memory if it is as the port wants it, else new zeros."""
    dtype = port.type.dtype
    count = port_size(port)
    memory = tensor.memory
    if memory is not None and tensor.getShape() == port.shape and memory.dtype == dtype:
        return memory
    return aligned(count * dtype.itemsize).view(dtype)


def port_size(port: SessionPort) -> int:
    """Number of elements."""
    count = 1
    for size in port.shape:
        count *= size
    return count


def _attach(
    tensors: dict[str, Tensor], ports: Sequence[SessionPort], memory: Sequence[Array]
) -> None:
    for port, array in zip(ports, memory, strict=True):
        tensors[port.name].attach(array, port.shape, port.type, port.dimension)


def _of(tensor: Tensor) -> Array:
    memory = tensor.memory
    assert memory is not None
    return memory


def _seen(plan: Plan, index: int, array: Array) -> Tensor:
    """A tensor of the arena, as a callback sees it."""
    tensor = plan.model.main.tensors[index]
    dimension = plan.dimensions.get(index, DimensionType.TENSORFLOW)
    seen = Tensor.of_session(array.shape, tensor.type, dimension, "")
    seen.attach(array.reshape(-1), array.shape, tensor.type, dimension)
    return seen
