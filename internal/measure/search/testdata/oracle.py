#!/usr/bin/env python3
"""Runs the authors' implementation of MLRsearch on simulated devices and writes
what it did to oracle.json, for the tests to compare with.

    python3 -m venv v && v/bin/pip install MLRsearch==1.2.1
    v/bin/python oracle.py > oracle.json

The devices are those of device_test.go, in the same arithmetic.
"""
import json
import sys

from MLRsearch import (
    AbstractMeasurer, Config, MeasurementResult, MultipleLossRatioSearch,
    SearchGoal,
)

MASK = (1 << 64) - 1


def chance(seed, pps, nth):
    """A number in [0, 1) that depends on nothing but seed, load and repeat."""
    z = (seed * 0x9E3779B97F4A7C15 + int(pps * 16) * 0xD1342543DE82EF95
         + nth * 0xAF251AF3B0F025B5) & MASK
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        z = ((z ^ (z >> shift)) * factor) & MASK
    return ((z ^ (z >> 31)) >> 11) / float(1 << 53)


class Device(AbstractMeasurer):
    def __init__(self, d):
        self.d, self.seen, self.trials = d, {}, []

    def measure(self, intended_duration, intended_load):
        d, key = self.d, int(intended_load * 16)
        nth = self.seen[key] = self.seen.get(key, -1) + 1
        u = chance(d["seed"], intended_load, nth)
        capacity = d["capacity"] * (1 + d["noise"] * (u - 0.5))
        if d["hole_from"] <= intended_load < d["hole_to"]:
            capacity *= 0.5
        sent = int(intended_load * intended_duration + 0.5)
        lost = max(0, sent - int(capacity * intended_duration))
        if chance(d["seed"] + 1, intended_load, nth) < d["spikes"]:
            lost = max(lost, int(sent * d["spike"]))
        self.trials.append([intended_load, intended_duration, sent, lost])
        return MeasurementResult(
            intended_duration=intended_duration, intended_load=intended_load,
            offered_count=sent, loss_count=lost)


def goal(name, loss, width, initial, final, total, exceed):
    return dict(name=name, loss=loss, width=width, initial=initial,
                final=final, sum=total, exceed=exceed)


def device(**kw):
    d = dict(seed=1, capacity=0.0, noise=0.0, spikes=0.0, spike=0.0,
             hole_from=0.0, hole_to=0.0)
    d.update(kw)
    return d


CSIT = [goal("ndr", 0.0, 0.005, 1, 1, 21, 0.5), goal("pdr", 0.005, 0.005, 1, 1, 21, 0.5)]
QUICK = [goal("ndr", 0.0, 0.005, 1, 1, 2, 0.5), goal("pdr", 0.005, 0.005, 1, 1, 2, 0.5)]
STRICT = [goal("ndr", 0.0, 0.005, 1, 60, 60, 0.0)]
THREE = [goal("ndr", 0.0, 0.01, 0.5, 2, 6, 0.4), goal("pdr", 0.005, 0.005, 1, 2, 8, 0.25),
         goal("ten", 0.1, 0.02, 0.25, 1, 1, 0.0)]
GOALS = dict(csit=CSIT, quick=QUICK, rfc2544=STRICT, three=THREE)

DEVICES = {
    "fixed 123456": device(capacity=123456.7),
    "fixed 2.5M": device(capacity=2.5e6),
    "just above the lowest": device(capacity=10150.0),
    "below the lowest": device(capacity=5000.0),
    "above the highest": device(capacity=2e7),
    "between the rates at the top": device(capacity=9.97e6),
    "noise 2 %": device(capacity=800e3, noise=0.02, seed=7),
    "noise 20 %": device(capacity=800e3, noise=0.2, seed=11),
    "spikes in 5 %": device(capacity=400e3, spikes=0.05, spike=0.02, seed=3),
    "spikes in 30 %": device(capacity=400e3, spikes=0.3, spike=0.02, seed=5),
    "spikes in 60 %": device(capacity=400e3, spikes=0.6, spike=0.002, seed=13),
    "hole below": device(capacity=1e6, hole_from=600e3, hole_to=700e3),
    "hole at the top": device(capacity=1e6, hole_from=950e3, hole_to=990e3),
}


def number(load):
    return None if load is None else float(load)


def run(goals, d, lowest, highest):
    config = Config()
    config.goals = [SearchGoal(
        loss_ratio=g["loss"], exceed_ratio=g["exceed"], relative_width=g["width"],
        initial_trial_duration=g["initial"], final_trial_duration=g["final"],
        duration_sum=g["sum"], preceding_targets=2, expansion_coefficient=2,
        fail_fast=False) for g in goals]
    config.max_load = highest
    config.min_load = lowest
    config.search_duration_max = 3600.0
    config.warmup_duration = 0.0
    measurer = Device(d)
    results = MultipleLossRatioSearch(config=config).search(measurer, debug=lambda _: None)
    found = []
    for g in config.goals:
        r = results[g]
        found.append(dict(lower=number(r.relevant_lower_bound),
                          upper=number(r.relevant_upper_bound),
                          conditional=number(r.conditional_throughput)))
    return found, measurer.trials


def main():
    cases = []
    for preset, goals in GOALS.items():
        for name, d in DEVICES.items():
            found, trials = run(goals, d, 10e3, 10e6)
            cases.append(dict(name=f"{preset}: {name}", goals=goals, device=d, min=10e3,
                              max=10e6, results=found, trials=trials))
    sys.stdout.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")


if __name__ == "__main__":
    main()
