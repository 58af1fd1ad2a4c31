"""A Flask page: a click on its button is consent, and a cron job is not.

It needs Flask, and a credential with `--gestures tasks.create`.
"""

from typing import Any

from flask import Flask, request

from countersign import Pending, requires_consent, user_initiated

app = Flask(__name__)
PAGE = "<form method=post><input name=title><button>Add</button></form>"


@requires_consent("tasks.create", target="title", on_pending="raise")
def create_task(title: str) -> str:
    return f"created {title}"


@app.get("/")
def page() -> str:
    return PAGE


@app.post("/")
def add() -> Any:
    with user_initiated("tasks.page.add", declares=["tasks.create"]):
        return create_task(request.form["title"])


def cron() -> str:
    try:
        return create_task("tidy up")
    except Pending:
        return "the cron job waits for an answer"


if __name__ == "__main__":
    print(app.test_client().post("/", data={"title": "buy milk"}).text)
    print(cron())
