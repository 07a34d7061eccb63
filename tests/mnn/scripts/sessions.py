"""Several sessions, a runtime, modes, hints, caches, facts."""

import os
import sys

import MNN
import numpy as np

path, target = sys.argv[1:]
interpreter = MNN.Interpreter(path)
interpreter.setCacheFile(f"{target}.cache")
interpreter.setExternalFile(f"{path}.weight")
interpreter.setSessionHint(3, 0)
interpreter.setSessionMode(8)
config = {"backend": "CPU", "precision": "high", "power": 0, "memory": 0, "numThread": 1}
sessions = [interpreter.createSession(config) for _ in range(3)]
results = {"uuid": MNN.get_model_uuid(path), "version": MNN.version()}

for number, session in enumerate(sessions):
    view = interpreter.getSessionInput(session).getNumpyData()
    np.copyto(view, np.full(view.shape, 0.25 * (number + 1), np.float32))
for session in reversed(sessions):
    assert interpreter.runSession(session) == 0
for number, session in enumerate(sessions):
    output = interpreter.getSessionOutput(session)
    results[f"output_{number}"] = output.getNumpyData().copy()
    results[f"values_{number}"] = output.getData()
    results[f"flops_{number}"] = round(interpreter.getSessionInfo(session, 1))
    results[f"status_{number}"] = interpreter.getSessionInfo(session, 3)
    assert interpreter.getSessionInfo(session, 0) > 0

results["updated"] = interpreter.updateCacheFile(sessions[0], 0)
interpreter.updateSessionToModel(sessions[0], f"{target}.mnn")
results["size"] = os.path.getsize(f"{target}.mnn")
results["cache"] = os.path.exists(f"{target}.cache")

runtime, results["exists"] = MNN.Interpreter.createRuntime([config])
other = interpreter.createSession(config, runtime)
view = interpreter.getSessionInput(other).getNumpyData()
np.copyto(view, np.full(view.shape, 0.25, np.float32))
interpreter.runSession(other)
results["other"] = interpreter.getSessionOutput(other).getNumpyData().copy()

interpreter.setSessionMode(7)  # the next session waits for resizeSession
later = interpreter.createSession(config)
results["before"] = interpreter.getSessionOutput(later).getShape()
interpreter.resizeSession(later)
results["after"] = interpreter.getSessionOutput(later).getShape()

interpreter.cache()
sessions[1].cache()
again = MNN.Interpreter(path)
shared = again.createSession()
results["shared"] = again.getSessionOutput(shared).getNumpyData().copy()

np.savez(target, **results)
