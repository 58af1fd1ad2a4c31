"""A briefing that runs a risky query in a safe way: the graph's reducer lets it."""

from countersign import Pending, list_risk_reducers, reduces_risk_for, requires_consent


@requires_consent("notes.eval_js", on_pending="raise")
def eval_js(code: str) -> int:
    return {"open()": 3, "due()": 1}[code]


@reduces_risk_for("notes.eval_js", "low")
@requires_consent("tasks.brief")
def daily_briefing() -> str:
    return f"{eval_js('open()')} open, {eval_js('due()')} due"


print(daily_briefing())
for reducer in list_risk_reducers():
    print(f"{reducer.action} inside {reducer.caller}: {reducer.to}, in force: {reducer.in_force}")
try:
    eval_js("open()")
except Pending:
    print("outside of it, the same query asks")
