"""MNN's ``Interpreter``: holds a model, and the sessions that run it.

Facts: MNN 3.6.1 ``include/MNN/Interpreter.hpp``, ``core/Interpreter.cpp``,
``pymnn/src/MNN.cc`` (``PyMNNInterpreter_*``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import index as as_index
from typing import Any

from arenite.errors import ShapeError, StateError
from arenite.files import replace_file
from arenite.mnn.lowering.models import Net
from arenite.mnn.session.config import is_on_cpu, schedule_config
from arenite.mnn.session.constants import LAST_HINT, ErrorCode, SessionMode
from arenite.mnn.session.content import Content, Path, content_of_buffer, content_of_file
from arenite.mnn.session.op_info import CallBack, InfoCallBack, by_info, by_name
from arenite.mnn.session.schedule import schedule
from arenite.mnn.session.session import CACHE as SESSION_CACHE
from arenite.mnn.session.session import Session
from arenite.mnn.session.tensor import Tensor, checked_shape

#: Contents kept by ``cache``, by their path.
CACHE: dict[str, Content] = {}
_DEFERRED = {SessionMode.Session_Resize_Defer, SessionMode.Session_Input_User}
#: Modes come in groups; one of a group holds at a time.
_GROUPS = tuple((SessionMode(first), SessionMode(first + 1)) for first in range(0, 18, 2))


@dataclass(frozen=True)
class RuntimeInfo:
    """Answer of ``createRuntime``; sessions need nothing of it."""

    threads: tuple[int, ...]


class Interpreter:
    """A model, as MNN's Python package spells it: ``Interpreter(path)``.

    >>> interpreter = Interpreter("model.mnn")                    # doctest: +SKIP
    >>> session = interpreter.createSession({"numThread": 1})     # doctest: +SKIP
    >>> interpreter.getSessionInput(session).copyFrom(tensor)     # doctest: +SKIP
    >>> interpreter.runSession(session)                           # doctest: +SKIP
    >>> interpreter.getSessionOutput(session).getNumpyData()      # doctest: +SKIP

    Raises:
        TypeError, ValueError: There is no path.
        OSError: The file is not there, may not be opened or cannot be read.
        ModelError: The file is empty, no FlatBuffer of MNN's schema, without operators,
            encrypted, or made for a newer MNN.
    """

    def __init__(self, path: Path) -> None:
        cached = CACHE.get(path) if isinstance(path, str) else None
        self._content = cached or content_of_file(path)

    # -- where models come from

    @classmethod
    def createFromFile(cls, path: Path) -> Interpreter:
        """The same as ``Interpreter(path)``."""
        return cls(path)

    @classmethod
    def createFromBuffer(cls, buffer: Any, size: int | None = None) -> Interpreter:
        """An interpreter of a model in memory, which is copied.

        Args:
            buffer: Any object with a contiguous buffer.
            size: How many of its bytes are the model; by default all.

        Raises:
            TypeError: The object has no contiguous buffer, or the size is no integer.
            ValueError: The buffer has not so many bytes.
            ModelError: The buffer is empty, or no model that can be used.
        """
        self = cls.__new__(cls)
        self._content = content_of_buffer(buffer, size)
        return self

    def cache(self) -> None:
        """``Interpreter(path)`` answers with this model, without reading the file again."""
        if self._content.path:
            CACHE.setdefault(self._content.path, self._content)

    def removeCache(self) -> None:
        """The end of :meth:`cache`."""
        CACHE.pop(self._content.path, None)

    # -- facts about the model

    def getModelVersion(self) -> str:
        """The MNN that wrote the model, ``"<2.0.0"`` if it does not say so."""
        return self._content.version

    def bizCode(self) -> str:
        """The model's business code."""
        return self._content.bizCode

    def uuid(self) -> str:
        """The model's UUID."""
        return self._content.uuid

    def getModelBuffer(self) -> memoryview:
        """The model's bytes, read-only.

        Raises:
            StateError: The model was released.
        """
        self._net("getModelBuffer")
        buffer = self._content.buffer.get()
        assert buffer is not None
        return memoryview(buffer.data).toreadonly()

    # -- what sessions are to be like

    def setSessionMode(self, mode: int) -> None:
        """A mode for sessions that are made from now on; see docs/mnn.md for what it changes.

        Raises:
            TypeError, ValueError: There is no such mode.
        """
        number = as_index(mode)
        if number not in tuple(SessionMode):
            raise ValueError(f"setSessionMode: expected a mode from 0 to 17, got {number}")
        wanted = SessionMode(number)
        group = next(group for group in _GROUPS if wanted in group)
        self._content.modes -= set(group)
        self._content.modes.add(wanted)

    def setSessionHint(self, hint: int, value: int | Sequence[int]) -> None:
        """Accepted, and without effect: MNN's hints tune backends that are not here.

        Raises:
            TypeError, ValueError: There is no such hint, or the value is no int or ints.
        """
        number = as_index(hint)
        if not 0 <= number <= LAST_HINT:
            raise ValueError(f"setSessionHint: expected a hint from 0 to {LAST_HINT}, got {number}")
        values: Sequence[Any] = value if isinstance(value, list | tuple) else [value]
        for one in values:
            as_index(one)

    def setCacheFile(self, path: str) -> None:
        """Accepted, and without effect: there are no tuned kernels to keep in a file."""
        if not isinstance(path, str):
            raise TypeError(f"setCacheFile: expected a path, got {type(path).__name__}")
        self._content.cacheFile = path

    def updateCacheFile(self, session: Session, flag: int) -> int:
        """0, or 2 (``NOT_SUPPORT``) where ``setCacheFile`` was not called; writes nothing."""
        self._session(session, "updateCacheFile")
        as_index(flag)
        code = ErrorCode.NO_ERROR if self._content.cacheFile else ErrorCode.NOT_SUPPORT
        return code.value

    def setExternalFile(self, path: str) -> None:
        """Accepted for models that keep all weights to themselves; others are refused."""
        if not isinstance(path, str):
            raise TypeError(f"setExternalFile: expected a path, got {type(path).__name__}")

    @staticmethod
    def createRuntime(
        configs: Sequence[Mapping[str, Any]],
    ) -> tuple[RuntimeInfo, tuple[bool, ...]]:
        """Something to give to :meth:`createSession`, and which backends are there.

        Raises:
            TypeError, ValueError: A configuration is wrong.
        """
        threads = tuple(schedule_config(config).threads for config in configs)
        return RuntimeInfo(threads), tuple(is_on_cpu(config) for config in configs)

    # -- sessions

    def createSession(
        self, config: Mapping[str, Any] | None = None, runtime: RuntimeInfo | None = None
    ) -> Session:
        """A session, with its arena planned where all input shapes are known.

        Args:
            config: ``backend``, ``numThread``, ``precision``, ``power``, ``memory``,
                ``saveTensors``, ``inputPaths``, ``outputPaths``.
            runtime: From :meth:`createRuntime`.

        Raises:
            TypeError, ValueError: The configuration is wrong.
            StateError: The model was released.
            UnsupportedOperatorError, ModelError, ConstraintError: The net cannot run.
        """
        if not isinstance(runtime, RuntimeInfo | None):
            kind = type(runtime).__name__
            raise TypeError(f"createSession: expected a runtime of createRuntime, got {kind}")
        content = self._content
        wanted = schedule_config(config)
        session = SESSION_CACHE.get(content.path)
        if session is None:
            net = self._net("createSession")
            visits = SessionMode.Session_Release not in content.modes
            session = Session.of(schedule(net, wanted), wanted, visits=visits, path=content.path)
            if not session.is_open and not _DEFERRED & content.modes:
                session.resize()
        with content.lock:
            if session not in content.sessions:
                content.sessions.append(session)
        return session

    def releaseSession(self, session: Session) -> bool:
        """Let a session go; whether it was one of this interpreter's.

        Raises:
            TypeError: It is no session.
        """
        content = self._content
        _check_session(session, "releaseSession")
        with content.lock:
            if session not in content.sessions:
                return False
            content.sessions.remove(session)
            content.tensorMap = {t: s for t, s in content.tensorMap.items() if s is not session}
        session.release()
        return True

    def releaseModel(self) -> None:
        """Let the model's buffer go. Sessions that are planned go on, but cannot be resized."""
        content = self._content
        with content.lock:
            buffer, content.net = content.buffer.get(), None
            sessions = list(content.sessions)
        if buffer is None:
            return
        for session in sessions:
            session.leave_model(lambda plan: plan.without(buffer))
        content.buffer.release()
        self.removeCache()

    def resizeTensor(self, tensor: Tensor, shape: Sequence[int]) -> None:
        """Give a session's input another shape; :meth:`resizeSession` comes next.

        Raises:
            TypeError: It is no tensor, or the shape is no tuple of ints.
            StateError: The tensor is no input of one of this interpreter's sessions.
            ShapeError: A dimension is not positive, or there are more than nine.
        """
        if not isinstance(tensor, Tensor):
            raise TypeError(f"resizeTensor: expected a Tensor, got {type(tensor).__name__}")
        wanted = checked_shape(shape)
        if min(wanted, default=1) < 1:
            raise ShapeError(f"resizeTensor: expected positive dimensions, got {list(wanted)}")
        session = self._content.tensorMap.get(tensor)
        if session is None:
            tensor.getShape()  # a released tensor says so itself
            raise StateError(
                "resizeTensor: the tensor is not of one of this interpreter's sessions"
            )
        if not any(tensor is one for one in session.getInputAll().values()):
            raise StateError("resizeTensor: the tensor is an output; only inputs can be resized")
        session.resizeTensor(tensor, wanted)

    def resizeSession(self, session: Session, needRelloc: int = 0) -> bool:
        """Infer shapes and plan the arena for the inputs' present shapes; True.

        Args:
            session: The session.
            needRelloc: As in MNN, where 1 asks for new memory; here it changes nothing.

        Raises:
            StateError: An input is still open, or the model or session was released.
            ModelError, ConstraintError: The net cannot run in these shapes; the session waits
                for other ones.
        """
        self._session(session, "resizeSession")
        self._net("resizeSession")
        session.resize()
        return True

    def updateSessionToModel(self, session: Session, path: str | None = None) -> None:
        """Write the model to a file, if there is a path.

        MNN writes trained constants to the model first. Sessions here do not train, so the
        model is as it was read.

        Raises:
            StateError: The model or session was released.
            OSError: The file cannot be written.
        """
        self._session(session, "updateSessionToModel")
        data = self.getModelBuffer()
        if path is not None:
            replace_file(path, data)

    # -- running

    def runSession(self, session: Session) -> int:
        """One inference; 0.

        Raises:
            StateError: The session is to be resized first, is another's or was released.
        """
        if session not in self._content.sessions:
            self._session(session, "runSession")
        return session.run()

    def runSessionWithCallBack(
        self, session: Session, begin: CallBack | None = None, end: CallBack | None = None
    ) -> int:
        """One inference with a call before and after each operator.

        ``begin(tensors, name)`` gets an operator's inputs and answers whether to run it,
        ``end(tensors, name)`` its outputs and answers whether to go on. Tensors are valid
        during the call only.

        Returns:
            0, or 11 (``CALL_BACK_STOP``) where ``end`` answered False.

        Raises:
            StateError: The session is to be resized first, is another's or was released.
            TypeError: A callback answers neither True nor False.
        """
        self._session(session, "runSessionWithCallBack")
        return session.runWithCallBack(by_name(begin), by_name(end))

    def runSessionWithCallBackInfo(
        self, session: Session, begin: InfoCallBack | None = None, end: InfoCallBack | None = None
    ) -> int:
        """:meth:`runSessionWithCallBack` with an :class:`OpInfo` in place of the name."""
        self._session(session, "runSessionWithCallBackInfo")
        return session.runWithCallBack(by_info(begin), by_info(end))

    # -- what sessions hold

    def getSessionInput(self, session: Session, name: str | None = None) -> Tensor:
        """An input by name, or the first one by name.

        Raises:
            ValueError: There is none of that name.
            StateError: The session is another interpreter's, or was released.
        """
        tensor = self._session(session, "getSessionInput").getInput(name)
        return self._known(session, {"": tensor})[""]

    def getSessionOutput(self, session: Session, name: str | None = None) -> Tensor:
        """An output by name, or the first one by name; see :meth:`getSessionInput`."""
        tensor = self._session(session, "getSessionOutput").getOutput(name)
        return self._known(session, {"": tensor})[""]

    def getSessionInputAll(self, session: Session) -> dict[str, Tensor]:
        """All inputs by name, in the order of names."""
        return self._known(session, self._session(session, "getSessionInputAll").getInputAll())

    def getSessionOutputAll(self, session: Session) -> dict[str, Tensor]:
        """All outputs by name, in the order of names."""
        return self._known(session, self._session(session, "getSessionOutputAll").getOutputAll())

    def getSessionInfo(self, session: Session, code: int) -> float:
        """A fact: 0 memory in MB, 1 work in millions, 2 backend, 3 resize status, 4 threads.

        Raises:
            ValueError: There is no such code.
            StateError: The session is to be resized first, is another's or was released.
        """
        return self._session(session, "getSessionInfo").getInfo(as_index(code))

    def __repr__(self) -> str:
        content = self._content
        state = f"{content.buffer.size()} bytes" if content.net else "model released"
        return (
            f"<Interpreter {content.path or '(buffer)'}: {state}, MNN {content.version}, "
            f"{len(content.sessions)} sessions>"
        )

    # -- inside

    def _net(self, call: str) -> Net:
        if self._content.net is None:
            raise StateError(f"{call}: the model was released")
        return self._content.net

    def _session(self, session: Session, call: str) -> Session:
        _check_session(session, call)
        if session not in self._content.sessions:
            session.require_life(call)
            raise StateError(f"{call}: the session belongs to another interpreter")
        return session

    def _known(self, session: Session, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """The tensors, once the map says which session they belong to."""
        with self._content.lock:
            self._content.tensorMap.update(dict.fromkeys(tensors.values(), session))
        return tensors


def _check_session(session: Any, call: str) -> None:
    if not isinstance(session, Session):
        raise TypeError(f"{call}: expected a Session, got {type(session).__name__}")
