"""Orders of operators: of a model, of random tasks, and what they take."""

from dataclasses import replace
from random import Random

from arenite.model import Model
from arenite.optimize._schedule import Task, Work


def shuffled(model: Model, seed: int) -> Model:
    """The main subgraph's operators in a random order that is as legal as the one they had."""
    draw = Random(seed)
    main = model.main
    missing = {t for operator in main.operators for t in operator.outputs}
    left, order = list(main.operators), []
    while left:
        ready = [one for one in left if not missing.intersection(one.inputs)]
        chosen = draw.choice(ready)
        left = [one for one in left if one is not chosen]
        missing -= set(chosen.outputs)
        order.append(chosen)
    return replace(model, subgraphs=(replace(main, operators=tuple(order)), *model.subgraphs[1:]))


def random_work(seed: int, count: int) -> Work:
    """Tasks that read what earlier ones wrote, or what is given."""
    draw = Random(seed)
    sizes = {0: draw.randrange(1, 20), 1: draw.randrange(1, 20)}
    tasks = []
    for number in range(count):
        reads = tuple({draw.choice(list(sizes)) for _ in range(draw.randrange(1, 3))})
        writes = tuple(range(len(sizes), len(sizes) + draw.choice((1, 1, 2))))
        sizes.update((tensor, draw.randrange(1, 20)) for tensor in writes)
        behind = (draw.randrange(number),) if number and draw.random() < 0.1 else ()
        tasks.append(Task(reads, writes, behind, draw.choice((0, 0, 7))))
    kept = frozenset(draw.sample(list(sizes), 1 + draw.randrange(2)))
    return Work(tuple(tasks), sizes, (0, 1), kept)


def is_legal(work: Work, order: tuple[int, ...]) -> bool:
    ready, done = set(work.given), set()
    for number in order:
        task = work.tasks[number]
        if not set(task.reads) <= ready or not set(task.behind) <= done:
            return False
        ready.update(task.writes)
        done.add(number)
    return True


def told(work: Work, order: tuple[int, ...]) -> int:
    """The peak, as lifetimes say it: from the task that writes to the last one that reads."""
    end = len(order)
    at = {number: moment + 1 for moment, number in enumerate(order)}
    begin = dict.fromkeys(work.given, 0)
    last = dict.fromkeys(work.given, 0)
    for number, task in enumerate(work.tasks):
        begin.update(dict.fromkeys(task.writes, at[number]))
        for tensor in (*task.reads, *task.writes):
            last[tensor] = max(last.get(tensor, 0), at[number])
    last.update(dict.fromkeys(work.kept, end))
    extra = {at[number]: task.extra for number, task in enumerate(work.tasks)}
    return max(
        extra.get(moment, 0)
        + sum(size for t, size in work.sizes.items() if begin[t] <= moment <= last[t])
        for moment in range(end + 1)
    )
