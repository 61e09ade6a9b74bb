"""Run notebook.ipynb from top to bottom, and write what its cells show into it.

    python examples/run_notebook.py

No kernel and no notebook server are needed: a cell is Python, and what stands in its last line is
shown, as a notebook would. The tests run the same, and compare texts with the committed ones.
The plots need ``pip install pandas altair vl-convert-python``.
"""

import ast
import contextlib
import io
import json
from pathlib import Path

NOTEBOOK = Path(__file__).parent / "notebook.ipynb"


def run(notebook):
    """Return the notebook with the outputs of its cells made anew."""
    namespace = {"__name__": "__main__"}
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    made = {}
    for number, cell in enumerate(code, start=1):
        outputs = _outputs("".join(cell["source"]), namespace, number)
        made[id(cell)] = {"execution_count": number, "outputs": outputs}
    cells = [cell | made.get(id(cell), {}) for cell in notebook["cells"]]
    return notebook | {"cells": cells}


def _outputs(source, namespace, number):
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, shown = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), namespace)
        if last is not None:
            shown = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), namespace)
    outputs = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    if shown is not None:
        bundle = {"output_type": "execute_result", "execution_count": number, "metadata": {}}
        outputs.append(bundle | {"data": _data(shown)})
    return outputs


def _data(shown):
    """Return what a notebook shows of a value: a picture where it has one, else its text."""
    made = getattr(shown, "_repr_mimebundle_", lambda **_: None)()
    bundle = made[0] if isinstance(made, tuple) else made
    if not bundle:
        return {"text/plain": repr(shown).splitlines(keepends=True)}
    return {kind: content.splitlines(keepends=True) for kind, content in bundle.items()}


def main():
    """Run the notebook in place."""
    made = run(json.loads(NOTEBOOK.read_text(encoding="utf-8")))
    NOTEBOOK.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
