"""A publish flow that asks ahead, and has a plan for a no."""

from countersign import request_permission, requires_consent


@requires_consent("docs.publish", target="page")
def publish(page: str) -> str:
    return f"published {page}"


def release(page: str) -> str:
    permission = request_permission(
        action=f"Publish {page}",
        reasoning="the schema changed, and the page is wrong now",
        scope="this_call",
        fallback="flag the page as stale",
        category="external_send",
    )
    if not permission.granted:
        return f"flagged {page} as stale: {permission.operator_note}"
    return publish(page)


print(release("api.html"))
print(release("prices.html"))
