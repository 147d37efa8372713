"""The UPF as a router: congestion marks, what does not fit, what has no hop left, what must not be routed (RFC 791, 1812, 4443, 6040)."""

from scapy.all import ICMP, ICMPv6PacketTooBig, fragment

from check_forwarding import v6
from outcome import check, same, table, true
from world import *

NOT_ECT, ECT1, ECT0, CE = 0, 1, 2, 3
# What decapsulation makes of the inner field by the outer one (RFC 6040 clause 4.2); None: it is dropped.
DECAPSULATED = {(NOT_ECT, NOT_ECT): NOT_ECT, (NOT_ECT, ECT0): NOT_ECT, (NOT_ECT, CE): None, (ECT0, NOT_ECT): ECT0, (ECT0, ECT1): ECT1, (ECT0, CE): CE, (ECT1, ECT0): ECT1,
                (ECT1, CE): CE, (CE, NOT_ECT): CE, (CE, CE): CE}
NAMES = ["Not-ECT", "ECT(1)", "ECT(0)", "CE"]


@table([("ecn.uplink.%d%d" % (inside, outside), "decapsulation of %s in %s %s" % (NAMES[inside], NAMES[outside], "drops the packet" if out is None else "gives " + NAMES[out]), inside, outside, out)
        for (inside, outside), out in DECAPSULATED.items()], "RFC 6040 4.2, 23.501 5.37.3")
def _(b, inside, outside, out):
    u = b.plain
    packet = u.packet(tos=0x48 | inside)
    outer = b.outer(tos=outside)
    if out is None:
        return u.blocked_up(packet, outer=outer)
    wanted = packet.copy()
    wanted.tos = 0x48 | out
    del wanted.chksum
    u.passes_up(packet, wanted=forms(IP(raw(wanted))), outer=outer)


@table([("ecn.downlink.%d" % ecn, "encapsulation of %s" % NAMES[ecn], ecn) for ecn in (NOT_ECT, ECT1, ECT0, CE)], "RFC 6040 4.1, 23.501 5.37.3")
def _(b, ecn):
    found = b.plain.passes_down(b.plain.packet(down=True, tos=ecn))
    same("the outer ECN field", found.parsed()[IP].tos & 3, 0 if b.a.ecn == "compatibility" else ecn)


def icmp_to_ue(b, u, since):
    """An ICMP message in the UE's tunnel."""
    found = b.n3.find(lambda f: b.to_gnb(u.gnb, 255, u.gnb_teid)(f) and MAGIC not in f[:60] and inside(f)[9:10] == b"\1", since, b.patience)
    true(found, "no ICMP message in the UE's tunnel")
    return IP(inside(found.octets))


def inside(f):
    octets = f[42:]
    return octets[8 + extensions(octets):]


@table([("ip.ttl.lowered.%s" % ("downlink" if down else "uplink"), "the TTL is lowered by one %s, and the header's checksum with it" % ("downlink" if down else "uplink"), down) for down in (False, True)], "RFC 1812 5.3.1")
def _(b, down):
    packet = b.plain.packet(down=down, ttl=33)
    (b.plain.passes_down if down else b.plain.passes_up)(packet, wanted=(routed(packet),))


@check("ip.ttl.lowered.held", "RFC 1812 5.3.1", "the TTL of a packet that is held is lowered once")
def _(b):
    u = b.user().open()
    u.modify(IE_UpdateFAR(IE_list=[IE_FAR_Id(id=2), action(BUFF=1, NOCP=1)]))
    packet, since = u.packet(down=True), b.n3.count()
    u.send_down(packet)
    true(u.smf.report(lambda m: True, u.seid, b.patience + 1) is not None, "no Downlink Data Report")
    u.modify(u.to_access(2, kind=IE_UpdateFAR, parameters=IE_UpdateForwardingParameters))
    u.delivered(packet, since, wanted=(routed(packet),))
    u.close()


@check("ip.ttl.uplink", "RFC 1812 5.3.1", "an uplink packet without a hop left is not forwarded, and the UE gets ICMP Time Exceeded")
def _(b):
    u = b.user().open()
    since = b.n3.count()
    packet = u.packet(ttl=1)
    u.blocked_up(packet)
    answer = icmp_to_ue(b, u, since)
    same("type and code", (answer[ICMP].type, answer[ICMP].code), (11, 0))
    same("its destination", answer.dst, u.ip)
    u.close()


@check("ip.ttl.downlink", "RFC 1812 5.3.1", "a downlink packet without a hop left is not forwarded")
def _(b):
    b.plain.blocked_down(b.plain.packet(down=True, ttl=1))


@check("ip.ttl.downlink.answered", "RFC 1812 4.3.2.7, 5.3.1", "the host of a downlink packet without a hop left gets ICMP Time Exceeded")
def _(b):
    since = b.n6.count()
    u = b.plain
    packet = u.packet(down=True, ttl=1)
    u.send_down(packet)
    found = b.n6.find(lambda f: f[12:14] == b"\x08\0" and f[23] == 1 and f[30:34] == socket.inet_aton(b.hosts[0]), since, b.patience)
    true(found, "no ICMP message to the host")
    same("type and code", (found.parsed()[ICMP].type, found.parsed()[ICMP].code), (11, 0))


@check("ip.ttl.0", "RFC 1812 5.3.1", "packets with a TTL of 0 are not forwarded")
def _(b):
    b.plain.blocked_up(b.plain.packet(ttl=0)), b.plain.blocked_down(b.plain.packet(down=True, ttl=0))


@check("ip.hop-limit.uplink", "RFC 8200 3, RFC 4443 3.3", "an IPv6 packet of a UE without a hop left is answered with Time Exceeded", optional=True)
def _(b):
    v6(b)
    u = b.user(v4=False, v6=True).open()
    since = b.n3.count()
    u.blocked_up(u.packet(hlim=1))
    found = b.n3.find(lambda f: b.to_gnb(u.gnb, 255, u.gnb_teid)(f) and inside(f)[40:41] == b"\3", since, b.patience)
    true(found, "no Time Exceeded in the UE's tunnel")
    u.close()


def too_big(b):
    """The size of a packet that reaches the UPF on N6 and does not fit N3 with its tunnel's 44 octets."""
    b.need(b.a.n6_mtu > b.a.n3_mtu - 44, "packets on N6 that do not fit N3 (--n6-mtu)")
    return b.a.n6_mtu


@check("ip.too-big.downlink", "RFC 1191 3, 4; RFC 1812 4.3.2.3", "ICMP Fragmentation Needed leads a host that sends with DF to a size that fits the tunnel")
def _(b):
    size = too_big(b)
    for _ in range(3):  # a tunnel's headers may show only when the packet meets them
        since, packet = b.n6.count(), b.plain.packet(down=True, size=size, flags="DF")
        inside, arrives = b.n3.count(), lambda: b.n3.find(b.has(mark_of(packet)), inside)
        b.plain.send_down(packet)
        found = b.n6.find(lambda f: f[12:14] == b"\x08\0" and f[23] == 1 and f[30:34] == socket.inet_aton(b.hosts[0]), since, 0.2 if arrives() else b.patience)
        if found is None:
            break
        icmp = found.parsed()[ICMP]
        same("type and code", (icmp.type, icmp.code), (3, 4))
        true(b.a.n3_mtu - 60 <= icmp.nexthopmtu < size, "its MTU is %d, and N3's %d" % (icmp.nexthopmtu, b.a.n3_mtu))
        size = icmp.nexthopmtu
    true(size < b.a.n6_mtu, "no ICMP message to the host")
    b.plain.passes_down(b.plain.packet(down=True, size=size, flags="DF"))


@check("ip.too-big.downlink.v6", "RFC 4443 3.2", "an IPv6 packet that does not fit its tunnel is answered with Packet Too Big", optional=True)
def _(b):
    u, since = v6(b), b.n6.count()
    u.send_down(u.packet(down=True, size=too_big(b)))
    found = b.n6.find(lambda f: f[12:14] == b"\x86\xdd" and f[20] == 58 and f[54] == 2, since, b.patience)
    true(found, "no Packet Too Big")
    true(b.a.n3_mtu - 60 <= found.parsed()[ICMPv6PacketTooBig].mtu <= b.a.n3_mtu - 36, "its MTU is %d" % found.parsed()[ICMPv6PacketTooBig].mtu)


@check("ip.too-big.downlink.fragmented", "RFC 791 3.2, 29.281 4.2.2", "a packet without DF that does not fit its tunnel arrives, in fragments of the T-PDU or of the outer packet")
def _(b):
    u, since = b.plain, b.n3.count()
    packet = u.packet(down=True, size=too_big(b), flags=0)
    u.send_down(packet)
    true(b.n3.find(b.has(mark_of(packet)), since, b.patience), "nothing of it arrived")
    rest = raw(packet)[-40:]
    true(b.n3.find(lambda f: rest in f, since, b.patience), "its end did not arrive")


UNROUTABLE = ["255.255.255.255", "224.0.0.5", "239.1.2.3", "0.0.0.1", "127.0.0.1", "169.254.7.7", "240.0.0.1"]


@table([("ip.unroutable.to.%s" % a, "an uplink packet to %s is not forwarded" % a, a) for a in UNROUTABLE], "RFC 1812 5.3.7, RFC 3927 2.7")
def _(b, address):
    b.plain.blocked_up(b.plain.packet(dst=address))


@table([("ip.unroutable.from.%s" % a, "a downlink packet from %s is not forwarded" % a, a) for a in ("127.0.0.1", "0.0.0.1", "224.0.0.5", "255.255.255.255")], "RFC 1812 5.3.7")
def _(b, address):
    b.plain.blocked_down(b.plain.packet(down=True, src=address))


@table([("ip.checksum.%s" % ("downlink" if down else "uplink"), "a packet whose IPv4 header checksum is wrong is not forwarded %s" % ("downlink" if down else "uplink"), down) for down in (False, True)], "RFC 1812 5.2.2")
def _(b, down):
    packet = b.plain.packet(down=down)
    packet.chksum ^= 0x5555
    (b.plain.blocked_down if down else b.plain.blocked_up)(packet)


@check("ip.checksum.transport", "RFC 1812 5.2.2, 23.501 5.8.2", "a wrong UDP checksum is the hosts' affair: the packet passes both ways with it")
def _(b):
    for down in (False, True):
        packet = b.plain.packet(down=down)
        packet[UDP].chksum ^= 0x5555
        (b.plain.passes_down if down else b.plain.passes_up)(packet)


@table([("ip.fragments.outer.%s" % name, "a G-PDU in fragments of the outer packet is put together and forwarded%s" % title, order) for name, title, order in
        [("in-order", "", (0, 1)), ("swapped", ", when they come in the wrong order", (1, 0)), ("three", ", when there are three", (2, 0, 1))]], "RFC 791 3.2, 29.281 4.2.2")
def _(b, order):
    u = b.plain
    packet = u.packet(size=1200)
    frame = u.gpdu(packet, outer=b.outer(id=0x2000 + next(b.numbers) % 0xd000))
    pieces = fragment(frame, fragsize=424 if len(order) == 3 else 800)
    same("how many fragments scapy makes", len(pieces), len(order))
    since = b.n6.count()
    for at in order:
        b.n3.send(pieces[at])
    u.arrived(packet, since)


@check("ip.fragments.outer.incomplete", "RFC 791 3.2", "the first fragment of an outer packet alone is not forwarded")
def _(b):
    u = b.plain
    packet = u.packet(size=1200)
    b.n3.send(fragment(u.gpdu(packet, outer=b.outer(id=0x1777)), fragsize=800)[0])
    b.absent(b.n6, mark_of(packet))
