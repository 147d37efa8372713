"""Check a UPF, whosever it is, over N4, N3 and N6, with scapy's PFCP and GTP-U: docs/conformance.md.

    python3 tools/conformance --n4 10.0.4.2 --smf 10.0.4.1 --n3 10.0.3.2 --gnb 10.0.3.1 --n3-interface n3 \\
        --n6 10.0.6.2 --dn 10.0.6.1 --n6-interface n6 --ue-pool 10.45.0.0/16

Exit status: 0 nothing failed, 1 a check failed, 2 the bench could not begin, or not go on."""

import argparse
import ipaddress
import json
import logging
import os
import re
import sys
import time
import traceback

sys.dont_write_bytecode = True
logging.getLogger("scapy").setLevel(logging.ERROR)

import check_n4, check_forwarding, check_sdf, check_qer, check_usage, check_paging, check_gtpu, check_ip  # noqa: E401,F401 (they register)
from outcome import CHECKS, CannotBegin, Missing, Refused, Wrong
from world import PFCP, Bench, IE_RecoveryTimeStamp, PFCPHeartbeatRequest, raw

# BEFORE are the checks that precede all sessions: a new association ends those of the one before.
BEFORE = ("n4.heartbeat", "n4.session.before-association", "n4.association")
PASS, FAIL, UNSUPPORTED, SKIPPED = "pass", "fail", "not supported", "skipped"


def arguments():
    p = argparse.ArgumentParser(prog="conformance", description="Check a UPF over N4, N3 and N6, with packets of scapy.")
    need = lambda name, help, type=address: p.add_argument(name, required=True, help=help, type=type)
    need("--n4", "the UPF's address for PFCP")
    need("--smf", "this machine's address on N4, which the kernel has")
    need("--n3", "the UPF's address on N3")
    need("--gnb", "address of the gNB that is played, on N3's link")
    need("--n3-interface", "interface on N3's link", interface)
    need("--n6", "the UPF's address on N6")
    need("--dn", "address on N6's link that the UPF's route to --hosts leads to")
    need("--n6-interface", "interface on N6's link", interface)
    need("--ue-pool", "IPv4 prefix of UE addresses, of 256 at least", prefix(4, 24))
    p.add_argument("--hosts", default="203.0.113.0/24", type=prefix(4, 27), help="IPv4 prefix of the hosts that are played in the data network (%(default)s)")
    p.add_argument("--smf2", type=address, help="another address of this machine on N4, for a second SMF")
    p.add_argument("--gnb2", type=address, help="address of a second gNB, which the UPF has no neighbour entry of")
    p.add_argument("--ue-pool6", type=prefix(6, 56), help="IPv6 prefix of UE prefixes of 64 bits, of 56 bits or fewer")
    p.add_argument("--dn6", type=address, help="IPv6 address that the UPF's route to --hosts6 leads to")
    p.add_argument("--hosts6", default="2001:db8:99::/64", type=prefix(6, 120), help="prefix of IPv6 hosts in the data network (%(default)s)")
    p.add_argument("--n3-6", type=address, help="the UPF's IPv6 address on N3")
    p.add_argument("--gnb6", type=address, help="IPv6 address of the gNB that is played")
    p.add_argument("--n3-mtu", type=int, help="MTU of the UPF's N3 (that of --n3-interface)")
    p.add_argument("--n6-mtu", type=int, help="size of the largest packets that reach the UPF on N6 (MTU of --n6-interface)")
    p.add_argument("--teid", choices=["choose", "given"], default="choose", help="who chooses the uplink F-TEIDs (%(default)s: the UPF)")
    p.add_argument("--network-instance", default="internet", help="Network Instance of all rules; empty: none (%(default)s)")
    p.add_argument("--ecn", choices=["normal", "compatibility"], default="normal", help="mode of RFC 6040 clause 4.1 that the UPF encapsulates in (%(default)s)")
    p.add_argument("--predefined", help="name of a predefined rule of the UPF that drops the packets of the 20th of --hosts")
    p.add_argument("--patience", type=float, default=1.0, help="seconds to wait for a packet or an answer (%(default)s)")
    p.add_argument("--only", type=pattern, help="run the checks whose names match this regular expression")
    p.add_argument("--skip", type=pattern, help="leave the checks out whose names match this regular expression, as those that end the UPF")
    p.add_argument("--json", help="write the results to this file, too")
    p.add_argument("--list", action="store_true", help="list the checks and end")
    if "--list" in sys.argv:
        for c in CHECKS:
            print("%-32s %s (%s)" % (c.name, c.title, c.clause))
        sys.exit(0)
    a = p.parse_args()
    a.n3_mtu, a.n6_mtu = a.n3_mtu or mtu(a.n3_interface), a.n6_mtu or mtu(a.n6_interface)
    a.json = open(a.json, "a") if a.json else None  # a file that cannot be written is noticed before the checks
    return a


def mtu(name):
    return int(open("/sys/class/net/%s/mtu" % name).read())


def interface(name):
    if not os.path.exists("/sys/class/net/%s/mtu" % name):
        raise argparse.ArgumentTypeError("there is no interface %s in this network namespace" % name)
    return name


def address(text):
    try:
        return str(ipaddress.ip_address(text))
    except ValueError as e:
        raise argparse.ArgumentTypeError(e)


def prefix(version, longest):
    """A prefix of an IP version, of so many bits at most."""
    def parse(text):
        try:
            net = ipaddress.ip_network(text)
        except ValueError as e:
            raise argparse.ArgumentTypeError(e)
        if net.version != version or net.prefixlen > longest:
            raise argparse.ArgumentTypeError("%s is no IPv%d prefix of %d bits or fewer" % (text, version, longest))
        return net
    return parse


def pattern(text):
    try:
        return re.compile(text)
    except re.error as e:
        raise argparse.ArgumentTypeError("%s is no regular expression: %s" % (text, e))


def outcome(check, bench):
    """A check's result and what came instead. While it runs, no message may come that cannot be read."""
    bench.running = check.name
    result, came = ran(check, bench)
    if unread := bench.sweep():
        return FAIL, "; ".join([came] * bool(came) + unread)
    return result, came


def ran(check, bench):
    try:
        check.run(bench)
    except Missing as e:
        return SKIPPED, str(e)
    except Refused as e:
        return (UNSUPPORTED if check.optional else FAIL), "refused: %s" % e
    except Exception as e:
        return FAIL, said(e)
    return PASS, ""


def said(e):
    """An exception in words. Another one than ours is of an answer that lacks what a check takes from it."""
    return str(e) if isinstance(e, (Wrong, CannotBegin)) else "%s: %s" % (type(e).__name__, e)


def begin(bench):
    """The plain session that checks compare with. Without it there is nothing to check."""
    bench.plain6 = None
    bench.control = bench.user().open()
    bench.plain = bench.user().open()
    bench.plain.passes_up()
    bench.plain.passes_down()


def main():
    try:
        a = arguments()
        return run(a, Bench(a))
    except (CannotBegin, OSError) as e:
        print("conformance: %s" % e, file=sys.stderr)
    except Exception:  # the suite's own fault: none of the UPF's checks failed by it
        traceback.print_exc()
    return 2


def run(a, bench):
    """Run the checks that were chosen. What they found is reported, however the run ends."""
    start, rows = time.monotonic(), []
    try:
        go_through([c for c in CHECKS if (not a.only or a.only.search(c.name)) and not (a.skip and a.skip.search(c.name))], bench, rows)
    finally:
        counts = summary(a, report(rows, bench.late), time.monotonic() - start)
    return 1 if counts[FAIL] else 0


def go_through(chosen, bench, rows):
    """Append each check's outcome to the rows."""
    before = [c for c in chosen if c.name in BEFORE]
    for c in before:
        rows.append((c, *outcome(c, bench)))
    try:
        if not any(c.name == "n4.association" for c in before):
            bench.smf.associate()
        begin(bench)
    except Exception as e:
        raise CannotBegin("the plain session does not forward, so nothing can be compared: %s" % said(e))
    ended = None
    for c in chosen:
        if c in before:
            continue
        rows.append((c, *outcome(c, bench)) if ended is None else (c, SKIPPED, "the UPF does not answer since " + ended))
        if rows[-1][1] == FAIL and not lives(bench):
            rows[-1], ended = (c, FAIL, rows[-1][2] + "; and the UPF answers no heartbeat any more"), c.name
        elif rows[-1][1] == FAIL:
            restore(bench)
    bench.sweep()


def lives(bench):
    """Whether the UPF answers a heartbeat, within ten times the patience."""
    for _ in range(10):
        seq = bench.smf.next()
        try:
            bench.smf.send(raw(PFCP(S=0, seq=seq) / PFCPHeartbeatRequest(IE_list=[IE_RecoveryTimeStamp(timestamp=bench.smf.recovery)])))
        except OSError:  # no route to it any more
            return False
        if bench.smf.answer(seq, bench.patience):
            return True
    return False


def restore(bench):
    """After a failure: the plain sessions again, if what failed took them away."""
    try:
        bench.plain.passes_up(), bench.plain.passes_down(), bench.control.passes_up()
    except Exception:
        try:
            bench.smf.associate()
            bench.plain6, bench.control, bench.plain = None, bench.user().open(), bench.user().open()
        except Exception:
            pass  # the next check says what it misses


def report(rows, late):
    results = []
    for c, result, came in rows:
        if result == PASS and c.name in late:
            result, came = FAIL, late[c.name]
        results.append({"name": c.name, "clause": c.clause, "title": c.title, "result": result, "came": came})
        line = "%-13s %-34s %s (%s)" % (result, c.name, c.title, c.clause)
        print(line + ("\n              " + came if came else ""))
    return results


def summary(a, results, seconds):
    """Print how many checks had which result, and write --json."""
    counts = {r: sum(x["result"] == r for x in results) for r in (PASS, FAIL, UNSUPPORTED, SKIPPED)}
    print("%d checks in %.0f s: %s" % (len(results), seconds, ", ".join("%d %s" % (n, r) for r, n in counts.items())))
    if a.json:
        with a.json as f:
            f.truncate(0)
            json.dump({"schema": "upflab.conformance/v1", "seconds": round(seconds, 1), **{k.replace(" ", "_"): v for k, v in counts.items()}, "checks": results}, f, indent=1)
    return counts


if __name__ == "__main__":
    sys.exit(main())
