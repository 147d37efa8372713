"""The faults: each is a row with what it does, and the case of upflab's that names it.

A fault is asked for each frame that its row is about, and gives what is sent in its place: a list of
octets, and of (seconds, octets) for later; None is the frame as it is."""

import re
import struct
import time
from collections import namedtuple

from wire import edited, elements, has_container, header_of, joined, sealed, sequence, u16, u32, with_elements, with_sequence, header_size

TESTER, UPF = "tester", "upf"

# A row: its name, what it does, the case that names it ("" where a UPF may do it), the link, where the frames go,
# and a maker of what is asked: make() gives f(frame, n), n counting the frames from 1.
Row = namedtuple("Row", "name what case link towards make")
ROWS = []


def row(name, what, case, link, towards, make):
    ROWS.append(Row(name, what, case, link, towards, make))


# --- which frames ---------------------------------------------------------------------------------

def counted(matches, change):
    """Ask for the frames that match; every other one passes."""
    def make():
        seen = [0]

        def ask(frame):
            if not matches(frame):
                return None
            seen[0] += 1
            return change(frame, seen[0])
        return ask
    return make


def gpdu(change, kind=255):
    """G-PDUs on N3, or other messages of GTP-U: change(frame, message, n)."""
    return counted(lambda f: f.gtpu() is not None and f.gtpu()[1] == kind, lambda f, n: change(f, f.gtpu(), n))


def plain(change):
    """IPv4 packets on N6: change(frame, packet, n)."""
    return counted(lambda f: f.ip is not None and f.ip[0] >> 4 == 4, lambda f, n: change(f, f.ip, n))


def message(kinds, change):
    """PFCP messages of some types: change(frame, message, n)."""
    def changed(f, n):
        out = change(f, f.pfcp(), n)
        return [f.with_payload(out)] if isinstance(out, bytes) else out
    return counted(lambda f: f.pfcp() is not None and f.pfcp()[1] in kinds, changed)


def every(n, change):
    """The change, of each n-th."""
    return lambda f, b, k: change(f, b, k) if k % n == 0 else None


# --- what is done ---------------------------------------------------------------------------------

def lost(f, b, n):
    return []


def later(seconds):
    return lambda f, b, n: [(seconds, f.octets)]


def twice(seconds):
    return lambda f, b, n: [f.octets, (seconds, f.octets)]


def of_ip(change):
    """A change of the IPv4 packet of the frame, whose checksum is right again."""
    def do(f, b, n):
        ip = change(f.ip)
        return None if ip is None else [f.with_ip(sealed(ip))]
    return do


def of_message(change):
    """A change of the GTP-U message."""
    def do(f, g, n):
        out = change(g)
        return None if out is None else [f.with_payload(out)]
    return do


def of_tpdu(change):
    """A change of the T-PDU in a G-PDU, where it is IPv4."""
    def do(f, g, n):
        at = header_of(g)
        return [f.with_payload(g[:at] + sealed(change(g[at:])))] if len(g) > at + 20 and g[at] >> 4 == 4 else None
    return do


def of_ies(change):
    """A change of IEs at any depth: change(type, value, groups)."""
    return lambda f, m, n: with_elements(m, edited(m[header_size(m):], change))


def value(kind, change, within=None):
    """A change of the value of one type of IE."""
    return of_ies(lambda k, v, groups: change(v) if k == kind and (within is None or within in groups) else None)


def absent(*kinds):
    return of_ies(lambda k, v, groups: False if k in kinds else None)


def ttl(by):
    return lambda ip: ip[:8] + bytes([max(1, ip[8] + by)]) + ip[9:]


def volumes(change):
    """A change of each octet count in a Volume Measurement (66), a threshold (31) or a quota (73)."""
    def do(v):
        out = v[:1]
        for at in range(1, len(v) - 7, 8):
            n = (at - 1) // 8
            count = struct.unpack_from("!Q", v, at)[0]
            out += struct.pack("!Q", max(0, change(count, n)) & (1 << 64) - 1)
        return out
    return do


# --- uplink, as it leaves the UPF on N6 -----------------------------------------------------------

row("uplink.lost", "uplink packets are lost", "far.forward.uplink", "n6", TESTER, plain(lost))
row("uplink.lost.some", "each 700th uplink packet is lost", "ip.exact.uplink", "n6", TESTER, plain(every(700, lost)))
row("uplink.lost.dns", "uplink packets to port 53 are lost", "ip.ports", "n6", TESTER,
    plain(lambda f, ip, n: [] if ip[9] == 17 and ip[22:24] == u16(53) else None))
row("uplink.twice", "each 20th uplink packet comes twice", "ip.exact.uplink", "n6", TESTER, plain(every(20, twice(0.0))))
row("uplink.twice.late", "each 20th uplink packet comes again three seconds later", "ip.exact.uplink", "n6", TESTER, plain(every(20, twice(3.0))))
row("uplink.order", "each 200th uplink packet is overtaken", "ip.exact.uplink", "n6", TESTER, plain(every(200, later(0.03))))
row("uplink.altered", "an octet of each 50th uplink packet is altered", "ip.exact.uplink", "n6", TESTER,
    plain(every(50, lambda f, ip, n: [f.with_ip(ip[:-1] + bytes([ip[-1] ^ 1]))])))
row("uplink.ttl.kept", "the TTL of uplink packets is not lowered", "ip.ttl", "n6", TESTER, plain(of_ip(ttl(1))))
row("uplink.ttl.two", "the TTL of uplink packets is lowered by two", "ip.ttl", "n6", TESTER, plain(of_ip(ttl(-1))))
row("uplink.dscp", "the DSCP of uplink packets is cleared", "ip.dscp", "n6", TESTER, plain(of_ip(lambda ip: ip[:1] + bytes([ip[1] & 3]) + ip[2:])))
row("uplink.ecn", "the ECN field of uplink packets is cleared", "ip.ecn", "n6", TESTER, plain(of_ip(lambda ip: ip[:1] + bytes([ip[1] & 0xfc]) + ip[2:])))
row("uplink.df", "DF of uplink packets is set", "ip.flags", "n6", TESTER, plain(of_ip(lambda ip: ip[:6] + bytes([ip[6] | 0x40]) + ip[7:])))
row("uplink.identification", "the identification of uplink packets is changed", "ip.identification", "n6", TESTER,
    plain(of_ip(lambda ip: ip[:4] + u16(struct.unpack_from("!H", ip, 4)[0] + 1) + ip[6:])))
row("uplink.mf", "MF of uplink fragments is cleared", "ip.fragment.first", "n6", TESTER,
    plain(of_ip(lambda ip: ip[:6] + bytes([ip[6] & ~0x20 & 255]) + ip[7:])))
row("uplink.checksum", "the header checksum of uplink packets is wrong", "ip.checksum", "n6", TESTER,
    plain(lambda f, ip, n: [f.with_ip(ip[:10] + bytes([ip[10] ^ 1]) + ip[11:])]))
row("uplink.options", "IPv4 options of uplink packets are blanked", "ip.options", "n6", TESTER,
    plain(of_ip(lambda ip: ip[:20] + b"\1" * ((ip[0] & 15) * 4 - 20) + ip[(ip[0] & 15) * 4:] if ip[0] & 15 > 5 else None)))
row("uplink.trailer", "uplink packets are four octets longer", "far.forward.uplink", "n6", TESTER,
    plain(lambda f, ip, n: [f.with_ip(sealed(ip[:2] + u16(len(ip) + 4) + ip[4:]) + bytes(4))]))
row("uplink.slow", "uplink packets take 200 ms", "", "n6", TESTER, plain(later(0.2)))

# --- downlink, as it leaves the UPF on N3 ---------------------------------------------------------

row("downlink.lost", "downlink packets are lost", "far.forward.downlink", "n3", TESTER, gpdu(lost))
row("downlink.lost.some", "each 700th downlink packet is lost", "ip.exact.downlink", "n3", TESTER, gpdu(every(700, lost)))
row("downlink.twice", "each 25th downlink packet comes twice", "ip.exact.downlink", "n3", TESTER, gpdu(every(25, twice(0.0))))
row("downlink.order", "each 40th downlink packet is overtaken", "ip.exact.downlink", "n3", TESTER, gpdu(every(40, later(0.02))))
row("downlink.altered", "the last octet of each 50th downlink packet is altered", "ip.exact.downlink", "n3", TESTER,
    gpdu(every(50, of_message(lambda g: g[:-1] + bytes([g[-1] ^ 1])))))
row("downlink.altered.long", "the last octet of T-PDUs over 1300 octets is altered", "ip.mtu", "n3", TESTER,
    gpdu(of_message(lambda g: g[:-1] + bytes([g[-1] ^ 1]) if len(g) > 1300 else None)))
row("downlink.ttl.kept", "the TTL of downlink packets is not lowered", "ip.ttl", "n3", TESTER, gpdu(of_tpdu(ttl(1))))
row("downlink.dscp", "the DSCP of downlink packets is cleared", "ip.dscp", "n3", TESTER, gpdu(of_tpdu(lambda ip: ip[:1] + bytes([ip[1] & 3]) + ip[2:])))
row("downlink.ecn", "the ECN field of downlink packets is cleared", "ip.ecn", "n3", TESTER,
    gpdu(of_tpdu(lambda ip: ip[:1] + bytes([ip[1] & 0xfc]) + ip[2:])))
row("tunnel.teid", "downlink packets go into another tunnel", "far.forward.downlink", "n3", TESTER,
    gpdu(of_message(lambda g: g[:4] + u32(struct.unpack_from("!I", g, 4)[0] ^ 1) + g[8:])))
row("tunnel.teid.some", "each 97th downlink packet goes into another tunnel", "ip.exact.downlink", "n3", TESTER,
    gpdu(every(97, of_message(lambda g: g[:4] + u32(struct.unpack_from("!I", g, 4)[0] ^ 1) + g[8:]))))
row("tunnel.qfi", "downlink packets have another QFI", "qer.qfi", "n3", TESTER,
    gpdu(of_message(lambda g: g[:14] + bytes([g[14] & 0xc0 | (g[14] & 63) ^ 1]) + g[15:] if has_container(g) else None)))
row("tunnel.qfi.some", "each 17th downlink packet has another QFI", "qer.qfi.lengths", "n3", TESTER,
    gpdu(every(17, of_message(lambda g: g[:14] + bytes([g[14] & 0xc0 | (g[14] & 63) ^ 1]) + g[15:] if has_container(g) else None))))
row("tunnel.rqi.cleared", "the reflective QoS indicator is cleared", "qer.rqi", "n3", TESTER,
    gpdu(of_message(lambda g: g[:14] + bytes([g[14] & 0xbf]) + g[15:] if has_container(g) else None)))
row("tunnel.rqi.set", "the reflective QoS indicator is set", "qer.rqi.not-asked", "n3", TESTER,
    gpdu(of_message(lambda g: g[:14] + bytes([g[14] | 0x40]) + g[15:] if has_container(g) else None)))
row("tunnel.container.absent", "the PDU session container is left out", "qer.qfi", "n3", TESTER,
    gpdu(of_message(lambda g: b"\x30\xff" + u16(len(g) - header_of(g)) + g[4:8] + g[header_of(g):] if g[0] & 4 else None)))
row("tunnel.container.uplink", "the PDU session container is that of uplink", "gtpu.outer.container", "n3", TESTER,
    gpdu(of_message(lambda g: g[:13] + bytes([g[13] | 0x10]) + g[14:] if has_container(g) else None)))
row("tunnel.container.qmp", "QMP is set, and there is no time stamp", "gtpu.outer.container", "n3", TESTER,
    gpdu(of_message(lambda g: g[:13] + bytes([g[13] | 8]) + g[14:] if has_container(g) else None)))
row("tunnel.container.twice", "the PDU session container comes twice", "gtpu.outer.extensions", "n3", TESTER,
    gpdu(of_message(lambda g: g[:2] + u16(struct.unpack_from("!H", g, 2)[0] + 4) + g[4:15] + b"\x85" + g[12:15] + b"\0" + g[16:]
                    if has_container(g) and len(g) < 1500 else None)))
row("tunnel.extension", "an extension header comes that a gNB must know, and does not", "gtpu.outer.extensions", "n3", TESTER,
    gpdu(of_message(lambda g: g[:2] + u16(struct.unpack_from("!H", g, 2)[0] + 4) + g[4:15] + b"\xc1\x01\0\0\0" + g[16:]
                    if has_container(g) and len(g) < 1500 else None)))
row("tunnel.length", "the length in the GTP-U header is four too large", "gtpu.outer.header", "n3", TESTER,
    gpdu(of_message(lambda g: g[:2] + u16(struct.unpack_from("!H", g, 2)[0] + 4) + g[4:])))
row("tunnel.trailer", "UDP has four octets beyond the GTP-U message", "gtpu.outer.header", "n3", TESTER, gpdu(of_message(lambda g: g + bytes(4) if len(g) < 1500 else None)))
row("tunnel.spare", "the spare bit of GTP-U is set", "gtpu.outer.header", "n3", TESTER, gpdu(of_message(lambda g: bytes([g[0] | 8]) + g[1:])))
row("tunnel.prime", "the protocol type is that of GTP'", "gtpu.outer.header", "n3", TESTER, gpdu(of_message(lambda g: bytes([g[0] & 0xef]) + g[1:])))
row("tunnel.port", "downlink packets go to UDP port 2153", "gtpu.outer.port", "n3", TESTER,
    gpdu(lambda f, g, n: [f.with_ip(f.ip[:f.udp + 2] + u16(2153) + f.ip[f.udp + 4:f.udp + 6] + b"\0\0" + f.ip[f.udp + 8:])]))
row("tunnel.udp-checksum", "each 20th downlink packet has a wrong UDP checksum", "gtpu.outer.udp-checksum", "n3", TESTER,
    gpdu(every(20, lambda f, g, n: [f.with_ip(f.ip[:f.udp + 6] + b"\x12\x34" + f.ip[f.udp + 8:])])))
row("tunnel.ip-checksum", "the outer header checksum is wrong", "gtpu.outer.checksum", "n3", TESTER,
    gpdu(lambda f, g, n: [f.with_ip(f.ip[:10] + bytes([f.ip[10] ^ 1]) + f.ip[11:])]))
row("tunnel.ttl", "the outer TTL is 1", "gtpu.outer.ttl", "n3", TESTER, gpdu(of_ip(lambda ip: ip[:8] + b"\1" + ip[9:])))
row("tunnel.source", "downlink packets come from another address", "gtpu.outer.source", "n3", TESTER,
    gpdu(of_ip(lambda ip: ip[:15] + bytes([ip[15] ^ 0x40]) + ip[16:])))
row("tunnel.tos", "the outer DSCP is cleared", "far.transport-level-marking", "n3", TESTER, gpdu(of_ip(lambda ip: ip[:1] + bytes([ip[1] & 3]) + ip[2:])))
row("tunnel.slow", "downlink packets take 200 ms", "", "n3", TESTER, gpdu(later(0.2)))
row("tunnel.sequence", "GTP-U has sequence numbers", "", "n3", TESTER,
    gpdu(lambda f, g, n: [f.with_payload(bytes([g[0] | 2]) + g[1:8] + u16(n) + g[10:])] if g[0] & 4 else None))
row("tunnel.source-port", "downlink packets come from other UDP ports", "", "n3", TESTER,
    gpdu(lambda f, g, n: [f.with_ip(f.ip[:f.udp] + u16(20000 + n % 1000) + f.ip[f.udp + 2:f.udp + 6] + b"\0\0" + f.ip[f.udp + 8:])]))

# --- GTP-U's own messages -------------------------------------------------------------------------

END_MARKER, ERROR_INDICATION, ECHO_RESPONSE = 254, 26, 2

row("end-marker.absent", "End Markers are lost", "far.end-marker", "n3", TESTER, gpdu(lost, END_MARKER))
row("end-marker.twice", "End Markers come twice", "far.end-marker", "n3", TESTER, gpdu(twice(0.05), END_MARKER))
row("end-marker.late", "End Markers come three seconds late", "far.end-marker.prompt", "n3", TESTER, gpdu(later(3.0), END_MARKER))
row("end-marker.teid", "End Markers go into another tunnel", "far.end-marker", "n3", TESTER,
    gpdu(of_message(lambda g: g[:4] + u32(struct.unpack_from("!I", g, 4)[0] + 1) + g[8:]), END_MARKER))
row("echo.absent", "Echo Responses are lost", "gtpu.echo", "n3", TESTER, gpdu(lost, ECHO_RESPONSE))
row("echo.sequence", "Echo Responses have the sequence number 0", "gtpu.echo", "n3", TESTER, gpdu(of_message(lambda g: g[:8] + b"\0\0" + g[10:]), ECHO_RESPONSE))
row("echo.port", "Echo Responses come from another port", "gtpu.echo", "n3", TESTER,
    gpdu(lambda f, g, n: [f.with_ip(f.ip[:f.udp] + u16(3000) + f.ip[f.udp + 2:f.udp + 6] + b"\0\0" + f.ip[f.udp + 8:])], ECHO_RESPONSE))
row("error-indication.absent", "Error Indications are lost", "gtpu.error-indication", "n3", TESTER, gpdu(lost, ERROR_INDICATION))
row("error-indication.teid", "Error Indications have a TEID of their own", "gtpu.error-indication", "n3", TESTER,
    gpdu(of_message(lambda g: g[:4] + u32(1) + g[8:]), ERROR_INDICATION))

# --- answers and reports on N4 --------------------------------------------------------------------

HEARTBEAT, ASSOCIATED, ESTABLISHED, MODIFIED, DELETED, REPORT = {2}, {6}, {51}, {53}, {55}, {56}
USAGE = MODIFIED | DELETED | REPORT
CAUSE, FTEID, PDR, FSEID, NODE, OFFENDING, FAILED_RULE, CREATED_PDR = 19, 21, 56, 57, 60, 40, 114, 8
VOLUME, URR, SEQN, TRIGGER, START, END, DURATION, RECOVERY, REPORT_TYPE, DOWNLINK_DATA = 66, 81, 104, 63, 75, 76, 67, 96, 39, 83


def first_lost():
    """The first transmission of each message is lost; its repetition passes."""
    seen = set()

    def do(f, m, n):
        if sequence(m) in seen:
            return None
        seen.add(sequence(m))
        return []
    return do


row("answer.port", "answers come from another UDP port", "n4.answer.port", "n4", TESTER,
    message(HEARTBEAT | ESTABLISHED | MODIFIED | DELETED, lambda f, m, n: [f.with_ip(f.ip[:f.udp] + u16(9999) + f.ip[f.udp + 2:f.udp + 6] + b"\0\0" + f.ip[f.udp + 8:])]))
row("answer.cause", "refusals have cause 64 in place of their own", "session.unknown.modify", "n4", TESTER,
    message(ESTABLISHED | MODIFIED | DELETED, value(CAUSE, lambda v: v if v == b"\1" else b"\x40")))
row("answer.cause.reserved", "accepted modifications have the cause 0", "session.modify.create", "n4", TESTER,
    message(MODIFIED, value(CAUSE, lambda v: b"\0" if v == b"\1" else v)))
row("answer.blame", "refusals name neither IE nor rule", "session.modify.unknown-far", "n4", TESTER,
    message(ESTABLISHED | MODIFIED, absent(OFFENDING, FAILED_RULE)))
row("answer.seid", "modifications are answered to SEID 0", "session.answer.seid", "n4", TESTER, message(MODIFIED, lambda f, m, n: m[:4] + bytes(8) + m[12:]))
row("answer.node", "establishments are answered with another Node ID", "session.answer.node", "n4", TESTER,
    message(ESTABLISHED, value(NODE, lambda v: v[:-1] + bytes([v[-1] ^ 0x55]))))
row("answer.node.absent", "establishments are answered without a Node ID", "session.answer.node", "n4", TESTER, message(ESTABLISHED, absent(NODE)))
row("answer.created.absent", "Created PDRs are left out", "fteid.choose", "n4", TESTER, message(ESTABLISHED, absent(CREATED_PDR)))
row("answer.created.teid", "Created PDRs have another TEID than the one that is used", "fteid.choose", "n4", TESTER,
    message(ESTABLISHED, value(FTEID, lambda v: v[:4] + bytes([v[4] ^ 1]) + v[5:], CREATED_PDR)))
row("answer.created.pdr", "Created PDRs name other PDRs", "fteid.choose", "n4", TESTER,
    message(ESTABLISHED, value(PDR, lambda v: u16(struct.unpack("!H", v)[0] + 100), CREATED_PDR)))
row("answer.twice", "answers to modifications come twice", "", "n4", TESTER, message(MODIFIED, twice(0.2)))
row("answer.slow", "answers to modifications take 600 ms", "", "n4", TESTER, message(MODIFIED, later(0.6)))
row("heartbeat.recovery", "the Recovery Time Stamp rises", "n4.recovery.same", "n4", TESTER,
    message(HEARTBEAT, lambda f, m, n: with_elements(m, edited(m[8:], lambda k, v, g: u32(struct.unpack("!I", v)[0] + n) if k == RECOVERY else None))))
row("usage.more", "usage reports count 28 octets too many", "urr.volume", "n4", TESTER, message(USAGE, value(VOLUME, volumes(lambda c, n: c + 28 if c and n < 3 else c))))
row("usage.total", "the total volume is twice the sum", "urr.volume", "n4", TESTER, message(USAGE, value(VOLUME, volumes(lambda c, n: 2 * c if n == 0 else c))))
row("usage.swapped", "uplink and downlink volume are exchanged", "urr.volume.uplink", "n4", TESTER,
    message(USAGE, value(VOLUME, lambda v: v[:9] + v[17:25] + v[9:17] + v[25:] if v[0] & 7 == 7 and len(v) >= 25 else v)))
row("usage.absent", "the answer to a deletion has no usage report", "urr.final", "n4", TESTER, message(DELETED, absent(79)))
row("usage.twice", "the usage reports of a deletion come twice", "urr.volume", "n4", TESTER,
    message(DELETED, lambda f, m, n: with_elements(m, m[16:] + joined([(k, v) for k, v in elements(m[16:]) if k == 79]))))
row("usage.sequence", "each UR-SEQN is 0", "urr.threshold.volume", "n4", TESTER, message(USAGE, value(SEQN, lambda v: bytes(4))))
row("usage.start", "the Start Time is an hour early", "urr.times", "n4", TESTER, message(USAGE, value(START, lambda v: u32(struct.unpack("!I", v)[0] - 3600))))
row("usage.end", "the End Time is an hour early", "urr.times", "n4", TESTER, message(USAGE, value(END, lambda v: u32(struct.unpack("!I", v)[0] - 3600))))
row("usage.duration", "the duration is two seconds too long", "urr.duration", "n4", TESTER,
    message(USAGE, value(DURATION, lambda v: u32(struct.unpack("!I", v)[0] + 2))))
row("usage.urr", "usage reports are of another URR", "urr.threshold.volume", "n4", TESTER, message(REPORT, value(URR, lambda v: u32(struct.unpack("!I", v)[0] + 7))))
row("usage.trigger", "usage reports have no trigger", "n4.report.form", "n4", TESTER, message(REPORT, absent(TRIGGER)))
row("report.lost", "session reports are lost", "urr.threshold.volume", "n4", TESTER, message(REPORT, lost))
row("report.late", "session reports come 2.5 s late", "urr.threshold.exact", "n4", TESTER, message(REPORT, later(2.5)))
row("report.twice", "session reports come again as new ones", "urr.report.once", "n4", TESTER,
    message(REPORT, lambda f, m, n: [f.octets, (0.4, f.with_payload(with_sequence(m, sequence(m) + 0x400000)))]))
row("report.pdr", "Downlink Data Reports name another PDR", "far.notify", "n4", TESTER,
    message(REPORT, value(PDR, lambda v: u16(struct.unpack("!H", v)[0] + 100), DOWNLINK_DATA)))
row("report.first-lost", "the first transmission of each report is lost", "", "n4", TESTER, lambda: message(REPORT, first_lost())())

# --- requests, of which the UPF does not see all --------------------------------------------------

ESTABLISH, MODIFY = {50}, {52}
PRECEDENCE, GATE, MBR, SDF, MARKING, THRESHOLD, TIME_THRESHOLD, QUOTA, PERIOD, FLAGS, OUTER, UPDATE_QER = 29, 25, 26, 23, 30, 31, 32, 73, 64, 49, 84, 14


def lower_bounds(v):
    """An SDF filter whose port ranges end one port early."""
    if not v[0] & 1:
        return v
    size = struct.unpack_from("!H", v, 2)[0]
    text = re.sub(r"(\d+)-(\d+)", lambda m: "%s-%d" % (m[1], int(m[2]) - 1), v[4:4 + size].decode()).encode()
    return v[:2] + u16(len(text)) + text + v[4 + size:]


row("rule.precedence", "the order of precedences is inverted", "pdr.precedence", "n4", UPF,
    message(ESTABLISH, value(PRECEDENCE, lambda v: u32(0xffff - min(0xffff, struct.unpack("!I", v)[0])))))
row("rule.gate", "gates stay open", "qer.gate.both", "n4", UPF, message(ESTABLISH | MODIFY, value(GATE, lambda v: b"\0")))
row("rule.mbr", "downlink bit rates are 12 % too high", "qer.mbr.downlink", "n4", UPF,
    message(ESTABLISH | MODIFY, value(MBR, lambda v: v[:5] + (int.from_bytes(v[5:10], "big") * 112 // 100).to_bytes(5, "big"))))
row("rule.mbr.absent", "bit rates are not limited", "qer.mbr.uplink", "n4", UPF, message(ESTABLISH | MODIFY, absent(MBR)))
row("rule.sdf.range", "port ranges end one port early", "pdr.sdf.remote-port.range.uplink", "n4", UPF, message(ESTABLISH, value(SDF, lower_bounds)))
row("rule.marking", "Transport Level Marking is ignored", "far.transport-level-marking", "n4", UPF, message(ESTABLISH | MODIFY, absent(MARKING)))
row("rule.threshold", "volume thresholds are 1500 octets too high", "urr.threshold.exact", "n4", UPF,
    message(ESTABLISH | MODIFY, value(THRESHOLD, volumes(lambda c, n: c + 1500))))
row("rule.threshold.time", "time thresholds are twice as long", "urr.threshold.time", "n4", UPF,
    message(ESTABLISH | MODIFY, value(TIME_THRESHOLD, lambda v: u32(2 * struct.unpack("!I", v)[0]))))
row("rule.quota", "volume quotas are 3000 octets too small", "urr.quota.volume", "n4", UPF, message(ESTABLISH | MODIFY, value(QUOTA, volumes(lambda c, n: c - 3000))))
row("rule.period", "periods are twice as long", "urr.periodic", "n4", UPF, message(ESTABLISH | MODIFY, value(PERIOD, lambda v: u32(2 * struct.unpack("!I", v)[0]))))
row("rule.drobu", "DROBU is ignored", "far.buffer.drop", "n4", UPF, message(MODIFY, value(FLAGS, lambda v: bytes([v[0] & 0xfe]) + v[1:])))
row("rule.qer-update", "updates of QERs are ignored", "qer.gate.update", "n4", UPF, message(MODIFY, absent(UPDATE_QER)))
row("rule.path", "path switches are ignored", "far.path-switch", "n4", UPF, message(MODIFY, value(OUTER, lambda v: False, 11)))


# --- faults that look at two links ----------------------------------------------------------------

class AfterModification:
    """Something happens to the downlink packets right after a modification was answered."""

    def __init__(self, seconds, change):
        self.seconds, self.change, self.at, self.count = seconds, change, 0.0, 0

    def __call__(self, frame):
        if frame.pfcp() is not None and frame.pfcp()[1] in MODIFIED:
            self.at, self.count = time.monotonic(), 0
        elif frame.gtpu() is not None and frame.gtpu()[1] == 255 and time.monotonic() - self.at < self.seconds:
            self.count += 1
            return self.change(frame, self.count)
        return None


row("change.first-lost", "downlink packets are lost for 5 ms after each modification", "session.modify.create", "", TESTER,
    lambda: AfterModification(0.005, lambda f, n: []))
row("buffer.first", "the first packet that was buffered is lost", "far.buffer", "", TESTER, lambda: AfterModification(0.03, lambda f, n: [] if n == 1 else None))
row("buffer.order", "packets that were buffered change places", "far.buffer", "", TESTER,
    lambda: AfterModification(0.03, lambda f, n: [(0.01, f.octets)] if n == 1 else None))
