"""Who comes, and from where.

Whoever has the operator's token has the one of now: one of the routes renews it. Whoever comes
without the token of the round comes from an address of its own each time: one address may only try
a few, and would then be told to wait, and not that nobody knows it.
"""

import itertools
import os

from requests.adapters import HTTPAdapter

TOKEN = os.environ["COUNTERSIGN_TOKEN"]


def operators():
    with open(os.environ["COUNTERSIGN_OPERATOR_FILE"], encoding="utf-8") as file:
        return file.read().strip()


IS_OPERATOR = TOKEN == operators()
STRANGERS = itertools.count()

usual_send = HTTPAdapter.send
usual_way = HTTPAdapter.build_connection_pool_key_attributes


def send(adapter, request, *args, **how):
    request.is_known = request.headers.get("Authorization") == f"Bearer {TOKEN}"
    if request.is_known and IS_OPERATOR:
        request.headers["Authorization"] = f"Bearer {operators()}"
    return usual_send(adapter, request, *args, **how)


def way(adapter, request, *args, **how):
    place, more = usual_way(adapter, request, *args, **how)
    if not request.is_known:
        high, low = divmod(next(STRANGERS) % 62_500, 250)
        more["source_address"] = (f"127.1.{high}.{low + 1}", 0)
    return place, more


HTTPAdapter.send = send
HTTPAdapter.build_connection_pool_key_attributes = way
