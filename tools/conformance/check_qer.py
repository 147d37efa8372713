"""QERs: gates, rates, QFI and RQI (TS 29.244 clauses 5.4, 7.5.2.5; TS 23.501 clause 5.7)."""

import time

from outcome import check, same, table, true
from world import *


@table([("qer.gate.uplink", "a gate that is closed uplink stops uplink alone", 1, 0), ("qer.gate.downlink", "a gate that is closed downlink stops downlink alone", 0, 1),
        ("qer.gate.both", "gates that are closed both ways stop both", 1, 1)], "29.244 5.4.3, 8.2.7")
def _(b, ul, dl):
    u = b.user().open(replace=[qer(1, ul, dl)])
    (u.blocked_up if ul else u.passes_up)()
    (u.blocked_down if dl else u.passes_down)()
    u.modify(qer(1, 0, 0, kind=IE_UpdateQER))
    u.passes_up(), u.passes_down()
    u.close()


@check("qer.gate.updated", "29.244 7.5.4.5", "a gate that a modification closes stops packets")
def _(b):
    u = b.user().open()
    u.passes_up()
    u.modify(qer(1, 1, 0, kind=IE_UpdateQER))
    u.blocked_up()
    u.passes_down()
    u.close()


@check("qer.several", "29.244 5.4.4", "of several QERs of a PDR each counts: one closed gate stops its packets")
def _(b):
    u = b.user().open(more=[qer(2, 1, 0, None)], up={"qers": (1, 2)}, down={"qers": (1, 2)})
    u.blocked_up()
    u.passes_down()
    u.close()


@table([("qer.qfi.%d" % qfi, "the QFI of downlink containers is the QER's: %d" % qfi, qfi) for qfi in (1, 5, 63)], "29.244 8.2.89, 38.415 5.5.3.3")
def _(b, qfi):
    u = b.user().open(replace=[qer(1, qfi=qfi)])
    u.passes_down(qfi=qfi)
    u.close()


@check("qer.qfi.updated", "29.244 7.5.4.5", "a QFI that a modification gives is in the packets after it")
def _(b):
    u = b.user().open()
    u.modify(qer(1, qfi=22, kind=IE_UpdateQER))
    u.passes_down(qfi=22)
    u.close()


@check("qer.rqi", "29.244 8.2.88, 38.415 5.5.3.4", "RQI is in downlink containers where the QER asks for it")
def _(b):
    u = b.user().open(replace=[qer(1, 0, 0, QFI, IE_RQI(RQI=1))])
    u.passes_down(RQI=1)
    u.close()


@table([("qer.ppi.%d" % ppi, "PPI %d, and PPP, are in downlink containers where a QER has one" % ppi, ppi) for ppi in (0, 5)], "29.244 8.2.116, 38.415 5.5.2.1", optional=True)
def _(b, ppi):
    u = b.user().open(replace=[qer(1, 0, 0, QFI, IE_PagingPolicyIndicator(ppi=ppi))])
    u.passes_down(PPP=1, PPI=ppi)
    u.close()


@check("qer.ppi.updated", "29.244 7.5.4.5, 38.415 5.5.2.1", "a PPI that a modification gives is in the packets after it, beside the RQI", optional=True)
def _(b):
    u = b.user().open(replace=[qer(1, 0, 0, QFI, IE_RQI(RQI=1))])
    u.passes_down(RQI=1)
    u.modify(qer(1, 0, 0, QFI, IE_PagingPolicyIndicator(ppi=6), kind=IE_UpdateQER))
    u.passes_down(RQI=1, PPP=1, PPI=6)
    u.close()


def offer(u, down, packets):
    """Send packets at once: how many came out, and the seconds until the last was sent or came."""
    frames = [raw(u.b.from_dn(p) if down else u.gpdu(p)) for p in packets]
    link, out = (u.b.n6, u.b.n3) if down else (u.b.n3, u.b.n6)
    since, start = out.count(), time.monotonic()
    for frame in frames:
        link.send(frame)
    sent = time.monotonic()
    found = out.settle(u.b.marked(packets), len(packets), u.b.patience, since)
    return len(found), max([sent] + [f.at for f in found]) - start


def bounded(passed, took, rate):
    """Packets of 1200 octets that passed within a time are no more than 3 s of a rate, octets a second, at once and then the
    rate: a UPF that holds packets sends on while the bench waits."""
    bound = (took + 3) * rate
    true(passed * 1200 <= bound, "%d octets passed in %.2f s, more than %d" % (passed * 1200, took, bound))


@table([("qer.mbr.%s" % name, "a Maximum Bitrate of 1 Mbit/s %slink bounds what passes: of 1.2 MB at once no more than 3 s of it" % name, name == "down") for name in ("up", "down")], "29.244 5.4.3, 8.2.8; 23.501 5.7.3.6")
def _(b, down):
    u = b.user().open(replace=[qer(1, mbr=(100_000, 1_000) if down else (1_000, 100_000))])
    passed, took = offer(u, down, [u.packet(down=down, size=1200) for _ in range(1000)])
    bounded(passed, took, 125_000)
    true(passed * 1200 >= 4000, "only %d octets passed" % (passed * 1200))
    u.close()


@table([("qer.mbr.other-%s" % name, "a Maximum Bitrate of the other direction does not hold %slink back" % name, name == "down") for name in ("up", "down")], "29.244 8.2.8")
def _(b, down):
    u = b.user().open(replace=[qer(1, mbr=(64, 1_000_000) if down else (1_000_000, 64))])
    passed, _ = offer(u, down, [u.packet(down=down, size=1200) for _ in range(50)])
    same("how many of 50 packets passed", passed, 50)
    u.close()


@check("qer.mbr.burst", "23.501 5.7.3.6", "bursts of 16 packets of 1400 octets each 100 ms, 1.8 Mbit/s, lose nothing to a rate of 10 Mbit/s")
def _(b):
    u = b.user().open(replace=[qer(1, mbr=(10_000, 10_000))])
    for down in (False, True):
        for _ in range(5):
            passed, _ = offer(u, down, [u.packet(down=down, size=1400) for _ in range(16)])
            same("how many of a burst of 16 passed", passed, 16)
            time.sleep(0.1)
    u.close()


@check("qer.mbr.shared", "29.244 5.4.4", "PDRs of a session with one QER have one rate together")
def _(b):
    u = b.user().open(replace=[qer(1, mbr=(100_000, 1_000))])
    u.modify(u.down(id=9, precedence=10, pdi=[sdf("permit out 17 from any 7100 to assigned")]))
    passed, took = offer(u, True, [u.packet(down=True, size=1200, sport=7100 if n % 2 else 7000) for n in range(800)])
    bounded(passed, took, 125_000)
    u.close()


@check("qer.mbr.zero-other", "29.244 7.5.2.5", "a QER without Maximum Bitrate holds nothing back")
def _(b):
    passed, _ = offer(b.plain, True, [b.plain.packet(down=True, size=1400) for _ in range(100)])
    same("how many of 100 packets passed", passed, 100)
