#!/usr/bin/env python3
"""Deterministic order records as JSON lines: the same rows, files and seed give the same bytes everywhere.

  gen_orders.py --out DIR [--rows 1500000] [--files 100] [--seed 1]    DIR/part-00000.json, ...
  gen_orders.py --stdout --rows 10

A record has about 240 bytes: integers, a time, decimals, a struct, an array of structs, text beyond ASCII, escapes,
and a field that only one record in eight has. --bad N cuts every Nth record in two, --late N moves every Nth event
back by an hour, --extra N adds a field "coupon" to every Nth record. The random numbers are splitmix64, one
generator a record, so that a record depends on nothing but its number and the seed.
"""
import argparse
import os
import sys

MASK = (1 << 64) - 1
CITIES = ("Berlin", "Shanghai", "São Paulo", "New York", "Lagos", "München", "北京", "Osaka")
TIERS = ("basic", "silver", "gold")
STATES = ("new", "paid", "shipped", "done", "cancelled")
SKUS = ["SKU-%05d" % (i * 7919 % 100_000) for i in range(4096)]
START = 1_735_689_600  # 2025-01-01T00:00:00Z; twenty orders a second


def splitmix64(seed):
    state = seed & MASK
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def utc(seconds, ms):
    days, s = divmod(seconds, 86_400)
    z = days + 719_468
    era, doe = divmod(z, 146_097)
    yoe = (doe - doe // 1_460 + doe // 36_524 - doe // 146_096) // 365
    doy = doe - (365 * yoe + yoe // 4 - yoe // 100)
    m = (5 * doy + 2) // 153
    month = m + 3 if m < 10 else m - 9
    return "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ" % (
        era * 400 + yoe + (month <= 2), month, doy - (153 * m + 2) // 5 + 1, s // 3600, s // 60 % 60, s % 60, ms)


def order(number, args):
    draw = splitmix64(args.seed * 1_000_003 + number)
    x, y = next(draw), next(draw)
    second = START + number // 20 + (x & 15)
    if args.late and number % args.late == 0:
        second -= 3600
    items, cents = [], 0
    for _ in range(1 + y % 3):
        z = next(draw)
        quantity, price = 1 + (z & 7), 99 + (z >> 8) % 50_000
        cents += quantity * price
        items.append('{"sku":"%s","qty":%d,"price":%d.%02d}' % (
            SKUS[(z >> 32) & 4095], quantity, price // 100, price % 100))
    customer = (x >> 8) % 200_000
    note = "" if (x >> 40) & 7 else ',"note":"leave at door \\"%d\\""' % (y >> 20 & 1023)
    extra = ',"coupon":"C%d"' % (y >> 30 & 255) if args.extra and number % args.extra == 0 else ""
    text = ('{"order_id":%d,"ts":"%s","status":"%s","total":%d.%02d,'
            '"customer":{"id":%d,"city":"%s","tier":"%s"},"items":[%s]%s%s}') % (
        number, utc(second, y >> 8 & 511), STATES[(x >> 32) % 5], cents // 100, cents % 100,
        customer, CITIES[customer & 7], TIERS[customer % 3], ",".join(items), note, extra)
    if args.bad and number % args.bad == args.bad - 1:
        text = text[:len(text) // 2]
    return text + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_500_000)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first order")
    parser.add_argument("--bad", type=int, default=0)
    parser.add_argument("--late", type=int, default=0)
    parser.add_argument("--extra", type=int, default=0)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--out")
    where.add_argument("--stdout", action="store_true")
    args = parser.parse_args()
    if args.stdout:
        sys.stdout.writelines(order(args.first + i, args) for i in range(args.rows))
        return
    os.makedirs(args.out, exist_ok=True)
    for n in range(args.files):
        low, high = args.rows * n // args.files, args.rows * (n + 1) // args.files
        path = os.path.join(args.out, "part-%05d.json" % n)
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.writelines(order(args.first + i, args) for i in range(low, high))


main()
