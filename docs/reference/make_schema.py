"""Write the JSON Schema of study.toml into the package; ``make reference`` runs it."""

import json
from pathlib import Path

from seriatim.publish.study_file import study_json_schema

SCHEMA = Path(__file__).parents[2] / "src" / "seriatim" / "publish" / "study.schema.json"


def schema() -> str:
    """Return the schema as it is shipped."""
    return json.dumps(study_json_schema(), indent=1) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(schema(), encoding="utf-8")
