"""A task manager: `toggle_task` writes a file, and one yes covers both."""

import tempfile
from pathlib import Path

from countersign import Denied, requires_consent

folder = Path(tempfile.mkdtemp())


@requires_consent("files.write", target="name", args=["name"])
def write_file(name: str, text: str) -> None:
    (folder / name).write_text(text)


@requires_consent("tasks.toggle", target="task", declares=["files.write"])
def toggle_task(task: str) -> str:
    write_file("tasks.md", f"- [x] {task}\n")
    return (folder / "tasks.md").read_text().strip()


print(toggle_task("water the plants"))
try:
    write_file("tasks.md", "")
except Denied as denied:
    print("on its own:", denied.note)
