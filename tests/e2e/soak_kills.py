#!/usr/bin/env python3
"""Kills weir again and again at random instants while files keep coming, then counts the rows.

  soak_kills.py [--kills 1000] [--seed N] [--keep FOLDER]

Not part of the test suite: a thousand kills take some minutes. A third of the blows are SIGTERM. The seed is printed,
but the instants depend on the machine, so a failure may need several runs to come back; --keep holds the evidence.
"""
import argparse
import random
import shutil
import signal
import sys
import tempfile
import time

import weir


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--keep", help="folder to work in, not removed")
    args = parser.parse_args()
    print("seed %d" % args.seed, flush=True)
    dice = random.Random(args.seed)
    folder = args.keep or tempfile.mkdtemp(prefix="weir-soak-")
    p = weir.Pipeline(folder, options={"maxFilesPerTrigger": 3},
                      conf={"spark.sql.streaming.minBatchesToRetain": 1_000_000})
    ids, kills, runs, longest = [], 0, 0, 0.05
    while kills < args.kills:
        for _ in range(dice.randint(0, 4)):
            group = range(len(ids), len(ids) + dice.randint(1, 200))
            p.put_ids(group)
            ids += group
        begin = time.monotonic()
        process = p.start()
        runs += 1
        time.sleep(dice.uniform(0, longest * 1.2))
        blow = dice.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])
        if process.popen.poll() is None:
            process.signal(blow)
        ended = process.wait()
        if ended.status == 0:
            longest = min(2.0, max(0.02, time.monotonic() - begin))
        elif ended.status in (-signal.SIGKILL, 128 + signal.SIGTERM, -signal.SIGTERM):
            kills += 1
        else:
            sys.exit("run %d: %s\nfolder: %s" % (runs, ended, folder))
        if runs % 100 == 0:
            print("%d runs, %d killed, %d batches, %d rows put" % (
                runs, kills, len(p.log_ids("commits")), len(ids)), flush=True)
    p.assert_exactly_once(ids, run=p.run().check())
    print("%d runs, %d killed: %d rows, each once" % (runs, kills, len(ids)))
    if not args.keep:
        shutil.rmtree(folder)


main()
