"""Compile kernels before the workers start: ``python tests/compile_kernels.py [--record]``.

What commands call is listed in the package; what tests call besides, with other types, stands in
``kernels.json``, which ``--record`` writes after a run of the tests from an empty cache: it reads
the cache's index. A kernel that is not listed is compiled by the worker that calls it first.
"""

import hashlib
import importlib
import json
import pickle
import sys
from pathlib import Path

from seriatim.kernels import ahead
from seriatim.kernels.compiled import chosen_folder

LIST = Path(__file__).with_name("kernels.json")


def main():
    ahead.compile_all()
    done = chosen_folder() / hashlib.sha256(LIST.read_bytes()).hexdigest()[:16]
    if done.exists():
        return
    wanted = json.loads(LIST.read_text(encoding="utf-8"))
    ahead.compile_signatures({name: types for name, types in wanted.items() if exists(name)})
    done.touch()


def exists(name):
    """Tell whether there still is such a kernel."""
    module, _, function = name.rpartition(".")
    try:
        return hasattr(importlib.import_module(f"seriatim.kernels.{module}"), function)
    except ModuleNotFoundError:
        return False


def record():
    """Write what is in the cache and no command's."""
    listed = {name: [] for kernels in ahead.listed().values() for name in kernels}
    for kernels in ahead.listed().values():
        for name, signatures in kernels.items():
            listed[name] += signatures
    found = {}
    for index in sorted(chosen_folder().glob("kernels_*/*.nbi"), key=size_of_code, reverse=True):
        name = index.name.rsplit("-", 1)[0]
        if not exists(name):  # a test's own
            continue
        module, _, function = name.rpartition(".")
        kernel = getattr(importlib.import_module(f"seriatim.kernels.{module}"), function)
        if not hasattr(kernel, "signatures") or "_InnerKernel" in type(kernel).__name__:
            continue
        for types in signatures_in(index):
            written = [ahead.written_type(one) for one in types]
            known = [*listed.get(name, []), *found.get(name, [])]
            plain = not any(one is None or one.startswith("Literal") for one in written)
            if plain and written not in known:
                found.setdefault(name, []).append(written)
    lines = [f" {json.dumps(name)}: {json.dumps(types)}" for name, types in found.items()]
    LIST.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{sum(map(len, found.values()))} signatures of {len(found)} kernels")


def size_of_code(index):
    """Return how much was compiled of a kernel: the largest takes longest."""
    return sum(one.stat().st_size for one in index.parent.glob(f"{index.stem}.*.nbc"))


def signatures_in(index):
    """Return the types that a kernel was compiled for, as numba's cache lists them."""
    with index.open("rb") as file:
        pickle.load(file)  # numba's version
        _, overloads = pickle.loads(file.read())
    return [types for types, *_ in overloads]


if __name__ == "__main__":
    record() if "--record" in sys.argv else main()
