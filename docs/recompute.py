#!/usr/bin/env python3
"""Compute loss, rates, p50 and p99 of each trial of a result from its raw data, and their medians over
repeats, and compare them with result.json. It shares no code with upflab and needs Python 3.8 alone.

    python3 recompute.py results/last

With pandas the tables are read the same way: pandas.read_csv("results/last/raw/windows.csv.gz").
docs/reference/raw-data.md describes the columns.
"""
import collections
import csv
import gzip
import json
import math
import os
import statistics
import sys


def table(folder, name):
    with gzip.open(os.path.join(folder, "raw", name + ".csv.gz"), "rt", newline="") as f:
        yield from csv.DictReader(f)


def counts(folder):
    """Sent and received packets by trial and flow, in the windows that count."""
    sums = collections.defaultdict(lambda: collections.Counter())
    for row in table(folder, "windows"):
        if row["counts"] == "1":
            for name in ("sent", "received", "skipped"):
                sums[int(row["trial"]), row["flow"]][name] += int(row[name])
    return sums


def latencies(folder):
    """Buckets of the latency from the intended send time, by trial and flow: {upper end in ns: packets}."""
    buckets = collections.defaultdict(lambda: collections.Counter())
    for row in table(folder, "histograms"):
        if row["distribution"] == "due":
            buckets[int(row["trial"]), row["flow"]][int(row["le_ns"])] += int(row["count"])
    return buckets


def upper(value):
    """The upper end of a value's bucket: 128 buckets for each power of two."""
    if value < 128:
        return value
    shift = value.bit_length() - 8
    return ((value >> shift) + 1 << shift) - 1


def quantile(buckets, share, least, most):
    """The nearest rank, as the upper end of its bucket, but within the extremes."""
    n = sum(buckets.values())
    rank, seen = max(1, math.ceil(share * n * (1 - 1e-12))), 0
    for end in sorted(buckets):
        seen += buckets[end]
        if seen >= rank:
            return min(max(end, least), most)
    return None


def recompute(line, sums, hists):
    """The figures of a trial of one direction, by their names in result.json."""
    flows = {"uplink": 0, "downlink": 1}
    flow = line["trial"]["direction"]
    if flow not in flows:
        return {}  # of both at once: their latency is that of the slower one
    known = line["traffic"]["flows"][flows[flow]]
    count = sums[line["id"], flow]
    sending = line["traffic"]["send_s"]
    out = {"tx_packets": count["sent"], "rx_packets": count["received"]}
    if sending > 0:
        out["tx_pps"] = count["sent"] / sending
        out["rx_pps"] = count["received"] / max(sending, known["receive_s"])
    lost = max(0, count["sent"] - count["received"])
    out["frame_loss_ratio"] = lost / count["sent"] if count["sent"] else 0.0
    buckets = collections.Counter(hists[line["id"], flow])
    least, most = known["due"]["min"], known["due"]["max"]
    skipped = sums[line["id"], "generator"]["skipped"]
    if buckets and skipped:  # never sent: late by 500 us at least, and then the shortest way
        late = 500_000 + known["sent"]["min"]
        buckets[upper(late)] += skipped
        least, most = min(least, late), max(most, late)
    if buckets:
        out["p50"] = quantile(buckets, 0.5, least, most)
        out["p99"] = quantile(buckets, 0.99, least, most)
    return out


def published(trial):
    out = {name: trial[name] for name in ("tx_packets", "rx_packets", "tx_pps", "rx_pps", "frame_loss_ratio")}
    for name in ("p50", "p99"):
        if trial.get("latency_ns"):
            out[name] = trial["latency_ns"][name]
    return out


def agree(a, b):
    return a == b or abs(a - b) <= 1e-12 * max(abs(a), abs(b))


def main(folder):
    with open(os.path.join(folder, "result.json")) as f:
        result = json.load(f)
    with gzip.open(os.path.join(folder, "raw", "trials.jsonl.gz"), "rt") as f:
        lines = {line["id"]: line for line in map(json.loads, f)}
    sums, hists = counts(folder), latencies(folder)
    figures = differing = 0
    medians = collections.defaultdict(lambda: ([], []))
    for dut in result["duts"]:
        name = dut["name"] + (":" + dut["mode"] if dut["mode"] else "")
        for trial in dut["trials"]:
            if not trial.get("raw"):
                continue
            again, given = recompute(lines[trial["raw"]], sums, hists), published(trial)
            for figure, value in again.items():
                figures += 1
                if figure not in given or not agree(value, given[figure]):
                    differing += 1
                    print(f"{name} trial {trial['raw']}: {figure} is {given.get(figure)} and the raw data come to {value}")
                elif trial["valid"]:
                    place = name, trial["kind"], trial["direction"], trial["load"], trial.get("size"), figure
                    medians[place][0].append(value)
                    medians[place][1].append(given[figure])
    for place, (mine, theirs) in sorted(medians.items()):
        if place[-1] in ("rx_pps", "frame_loss_ratio", "p50", "p99"):
            print(*place[:-1], f"{place[-1]}: median {statistics.median(mine):.6g} of {len(mine)}, result.json {statistics.median(theirs):.6g}")
    print(f"{figures} figures computed from raw data, {differing} differ")
    return 1 if differing or not figures else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
