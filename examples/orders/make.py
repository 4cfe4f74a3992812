#!/usr/bin/env python3
"""Writes landing/orders-*.json, the input of the example: the same bytes on every machine.

Two records are odd on purpose. One line is cut off in the middle, as after a crash of whoever wrote it; one order_id
is a text. Both are kept: in `_rescued_data`, the line as a whole, of the other record the one value.
"""
import json
import os

FILES, ROWS = 4, 45
CUT_OFF, WRONG_TYPE = 77, 120
CITIES = ["Berlin", "Lagos", "Osaka", "São Paulo", "New York", "北京"]
TIERS = ["basic", "silver", "gold"]
STATES = ["new", "paid", "shipped", "done"]


class Dice:
    """A linear congruential generator (the constants of Knuth's MMIX)."""

    def __init__(self, seed):
        self.state = seed

    def roll(self, sides):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        return (self.state >> 33) % sides


def order(number):
    dice = Dice(number * 2654435761 + 1)
    customer = dice.roll(500)
    items = [{"sku": "SKU-%04d" % dice.roll(3000), "qty": 1 + dice.roll(5), "price": (99 + dice.roll(20000)) / 100}
             for _ in range(1 + dice.roll(3))]
    record = {
        "order_id": "unknown" if number == WRONG_TYPE else 1000 + number,
        "placed_at": "2025-03-%02dT%02d:%02d:%02dZ" % (1 + number // 60, number % 24, dice.roll(60), dice.roll(60)),
        "status": STATES[dice.roll(len(STATES))],
        "total": round(sum(i["qty"] * i["price"] for i in items), 2),
        "customer": {"id": customer, "city": CITIES[customer % len(CITIES)], "tier": TIERS[customer % len(TIERS)]},
        "items": items,
    }
    if dice.roll(6) == 0:
        record["note"] = "leave at door \"%d\"" % dice.roll(40)
    line = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return line[:len(line) // 2] if number == CUT_OFF else line


def main():
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "landing")
    os.makedirs(folder, exist_ok=True)
    for f in range(FILES):
        with open(os.path.join(folder, "orders-%d.json" % (f + 1)), "w", encoding="utf-8", newline="") as out:
            out.writelines(order(n) + "\n" for n in range(f * ROWS, (f + 1) * ROWS))


if __name__ == "__main__":
    main()
