"""Buffering, downlink data reports, path switches and End Markers (TS 29.244 clauses 5.2.3.2, 5.8; TS 23.501 5.8.3)."""

import time

from outcome import check, same, true
from world import *


def idle(u, **flags):
    """The downlink FAR of a UE that is idle."""
    return IE_UpdateFAR(IE_list=[IE_FAR_Id(id=2), action(**{"BUFF": 1, "NOCP": 1, **flags})])


def active(u, *more, teid=None, gnb=None):
    return u.to_access(2, *more, teid=teid, gnb=gnb, kind=IE_UpdateFAR, parameters=IE_UpdateForwardingParameters)


def noticed(u, seconds, since=0):
    return u.smf.report(lambda m: first(m.payload, IE_ReportType).DLDR, u.seid, seconds, since)


@check("buffer.report", "29.244 5.2.3.1, 7.5.8.2", "the first packet of a UE that is idle leads to one Downlink Data Report, which names the PDR")
def _(b):
    u = b.user().open()
    u.modify(idle(u))
    for _ in range(3):
        u.send_down(u.packet(down=True))
    report = noticed(u, b.patience + 1)
    true(report is not None, "no Downlink Data Report")
    same("the PDR that it names", first(first(report.payload, IE_DownlinkDataReport), IE_PDR_Id).id, 2)
    time.sleep(0.3)
    same("how many reports came", len([m for m in u.smf.reports(u.seid) if first(m.payload, IE_ReportType).DLDR]), 1)
    u.close()


@check("buffer.delivered", "29.244 5.2.3.1", "held packets come out in order when the FAR forwards, into its tunnel, before later ones")
def _(b):
    u = b.user().open()
    u.modify(idle(u))
    packets = [u.packet(down=True, size=100 + n) for n in range(8)]
    since = b.n3.count()
    for p in packets:
        u.send_down(p)
    true(noticed(u, b.patience + 1) is not None, "no Downlink Data Report")
    same("how many packets came while the UE was idle", len(b.n3.all(b.marked(packets), since)), 0)
    u.modify(active(u, teid=0x0d000000 + u.gnb_teid % 0x10000))
    for p in packets:
        u.delivered(p, since, teid=0x0d000000 + u.gnb_teid % 0x10000)
    order = [mark_in(f.octets) for f in b.n3.all(b.marked(packets), since)]
    same("their order", [order.index(mark_of(p)) for p in packets], list(range(8)))
    u.passes_down(teid=0x0d000000 + u.gnb_teid % 0x10000)
    u.close()


@check("buffer.uplink", "29.244 5.2.3", "while downlink packets are held, uplink packets pass")
def _(b):
    u = b.user().open()
    u.modify(idle(u))
    u.passes_up()
    u.close()


@check("buffer.without-notice", "29.244 8.2.26", "BUFF without NOCP holds packets and reports nothing")
def _(b):
    u = b.user().open()
    u.modify(idle(u, NOCP=0))
    packet = u.packet(down=True)
    since = b.n3.count()
    u.send_down(packet)
    time.sleep(0.3)
    same("how many reports came", len(u.smf.reports(u.seid)), 0)
    u.modify(active(u))
    u.delivered(packet, since)
    u.close()


@check("buffer.dropped", "29.244 5.2.3.4, 8.2.31", "DROBU drops what is held", optional=True)
def _(b):
    u = b.user().open()
    u.modify(idle(u))
    packet = u.packet(down=True)
    u.send_down(packet)
    true(noticed(u, b.patience + 1) is not None, "no Downlink Data Report")
    u.modify(active(u), IE_PFCPSMReqFlags(DROBU=1))
    b.absent(b.n3, mark_of(packet))
    u.passes_down()
    u.close()


@check("buffer.again", "29.244 5.2.3.1", "when the UE becomes idle again, its next packet is reported again")
def _(b):
    u = b.user().open()
    for _ in range(2):
        since = len(u.smf.asked)
        u.modify(idle(u))
        u.send_down(u.packet(down=True))
        true(noticed(u, b.patience + 1, since) is not None, "no Downlink Data Report")
        u.modify(active(u))
        u.passes_down()
    u.close()


@check("buffer.delay", "29.244 5.2.3.2, 8.2.28", "a BAR's Downlink Data Notification Delay puts the report off", optional=True)
def _(b):
    u = b.user().open(more=[IE_Create_BAR(IE_list=[IE_BAR_Id(id=1), IE_DownlinkDataNotificationDelay(delay=10)])])
    u.modify(IE_UpdateFAR(IE_list=[IE_FAR_Id(id=2), action(BUFF=1, NOCP=1), IE_BAR_Id(id=1)]))
    start = time.monotonic()
    u.send_down(u.packet(down=True))
    true(noticed(u, b.patience + 2) is not None, "no Downlink Data Report")
    true(time.monotonic() - start > 0.4, "it came after %.2f s, not 0.5" % (time.monotonic() - start))
    u.close()


@check("drop.downlink", "29.244 8.2.26", "a downlink FAR that drops drops, and reports nothing")
def _(b):
    u = b.user().open()
    u.modify(IE_UpdateFAR(IE_list=[IE_FAR_Id(id=2), action(DROP=1)]))
    u.blocked_down()
    same("how many reports came", len(u.smf.reports(u.seid)), 0)
    u.passes_up()
    u.close()


@check("switch.teid", "29.244 7.5.4.3", "after a modification packets go into the new tunnel")
def _(b):
    u = b.user().open()
    u.passes_down()
    u.modify(active(u, teid=0x0e000000 + u.gnb_teid % 0x10000))
    u.passes_down(teid=0x0e000000 + u.gnb_teid % 0x10000)
    u.close()


@check("switch.gnb", "23.501 5.8.2, 29.244 7.5.4.3", "after a path switch packets go to the new gNB, which the UPF has no neighbour entry of: 20 packets 2 ms apart all arrive")
def _(b):
    b.need(b.a.gnb2, "--gnb2")
    u = b.user().open()
    u.passes_down()
    u.modify(active(u, gnb=b.a.gnb2))
    packets = [u.packet(down=True) for _ in range(20)]
    since = b.n3.count()
    for p in packets:
        u.send_down(p)
        time.sleep(0.002)
    found = b.n3.settle(b.marked(packets), 20, b.patience, since)
    same("how many of 20 packets arrived", len(found), 20)
    u.delivered(packets[-1], since, gnb=b.a.gnb2)
    u.close()


@check("switch.end-marker", "29.244 5.8, 23.501 5.8.3, 29.281 7.3.2", "SNDEM sends one End Marker into the tunnel that is left, after its last packet")
def _(b):
    u = b.user().open()
    last = u.packet(down=True)
    since = b.n3.count()
    u.passes_down(last)
    u.modify(active(u, IE_PFCPSMReqFlags(SNDEM=1), teid=0x0f000000 + u.gnb_teid % 0x10000))
    marker = b.to_gnb(u.gnb, 254, u.gnb_teid)
    true(b.n3.find(marker, since, b.patience), "no End Marker in the old tunnel")
    u.passes_down(teid=0x0f000000 + u.gnb_teid % 0x10000)
    same("how many End Markers came", len(b.n3.all(b.to_gnb(u.gnb, 254), since)), 1)
    u.close()


@check("buffer.unroutable", "RFC 1812 5.2.2, 5.3.1; 29.244 5.2.3.1", "a packet that no router forwards, with a wrong header checksum or a TTL of 1, is not held and wakes no UE")
def _(b):
    u = b.user().open()
    u.modify(idle(u))
    for spoil in (dict(ttl=1), dict(chksum=0x1234)):
        packet = u.packet(down=True)
        for field, value in spoil.items():
            setattr(packet, field, value)
        u.send_down(packet)
    true(noticed(u, 0.5) is None, "a Downlink Data Report")
    u.send_down(u.packet(down=True))
    true(noticed(u, b.patience + 1) is not None, "no Downlink Data Report of a packet that can be forwarded")
    u.close()


@check("switch.no-end-marker", "29.244 5.8", "without SNDEM no End Marker is sent")
def _(b):
    u = b.user().open()
    since = b.n3.count()
    u.modify(active(u, teid=0x0f100000 + u.gnb_teid % 0x10000))
    u.passes_down(teid=0x0f100000 + u.gnb_teid % 0x10000)
    time.sleep(0.1)
    same("how many End Markers came", len(b.n3.all(b.to_gnb(u.gnb, 254), since)), 0)
    u.close()


@check("switch.uplink", "29.244 7.5.4.2", "uplink goes on through a path switch")
def _(b):
    u = b.user().open()
    u.modify(active(u, teid=0x0f200000 + u.gnb_teid % 0x10000))
    u.passes_up()
    u.close()


@check("marking", "29.244 8.2.12, 23.501 5.8.2.7", "Transport Level Marking is the outer header's DSCP", optional=True)
def _(b):
    u = b.user()
    u.open(replace=[u.to_access(2, IE_TransportLevelMarking(tos=0xb8, traffic_class=0xfc))])
    same("the outer DSCP", u.passes_down().parsed()[IP].tos & 0xfc, 0xb8)
    u.close()


@check("duplicated", "29.244 5.2.3.1, 7.5.2.3", "DUPL sends a copy into a second tunnel as well", optional=True)
def _(b):
    u = b.user()
    second = 0x10000000 + u.gnb_teid % 0x10000
    far = u.to_access(2, does=action(FORW=1, DUPL=1))
    far.IE_list.append(IE_DuplicatingParameters(IE_list=[IE_DestinationInterface(interface=0), u.tunnel(second)]))
    u.open(replace=[far])
    packet = u.packet(down=True)
    since = b.n3.count()
    mark = mark_of(packet)
    u.send_down(packet)
    # Either may come first.
    u.delivered(packet, since, only=lambda f: mark in f and f[46:50] == struct.pack("!I", u.gnb_teid))
    copy = b.n3.find(lambda f: mark in f and f[46:50] == struct.pack("!I", second), since, b.patience)
    true(copy is not None, "no copy in the second tunnel")
    u.close()
