"""A checkout that asks for 42.00. Paying is critical: the operator types the amount."""

from countersign import Denied, requires_consent


@requires_consent("shop.checkout", target="payee", secret=["card"], irreversible=True)
def checkout(payee: str, amount: str, card: str) -> str:
    return f"paid {amount} to {payee} with the card that ends in {card[-4:]}"


CARD = "4111111111111111"
print(checkout("Paper & Ink", "42.00", CARD))
try:
    checkout("Paper & Ink", "43.00", CARD)
except Denied as denied:
    print(f"not paid ({denied.reason}): {denied.note}")
