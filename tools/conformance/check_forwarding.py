"""Forwarding between N3 and N6: what arrives, octet by octet, and what must not (TS 23.501 clause 5.8, TS 29.281, TS 38.415)."""

from scapy.all import ESP, ICMP, SCTP

from outcome import check, same, table, true
from world import *


@table([("forward.v4.%d" % size, "IPv4 packets of %d octets pass both ways, a hop less and otherwise as they were" % size, size) for size in (44, 128, 576, 1400, 1500)], "23.501 5.8.2, RFC 1812 5.3.1")
def _(b, size):
    b.need(size + 44 <= b.a.n3_mtu, "an MTU of N3 of %d (--n3-mtu)" % (size + 44))
    u = b.plain
    u.passes_up(u.packet(size=size)), u.passes_down(u.packet(down=True, size=size))


@table([("forward.v6.%d" % size, "IPv6 packets of %d octets pass both ways, a hop less and otherwise as they were" % size, size) for size in (64, 576, 1400)], "23.501 5.8.2, RFC 8200", optional=True)
def _(b, size):
    u = v6(b)
    u.passes_up(u.packet(size=size)), u.passes_down(u.packet(down=True, size=size))


def v6(b):
    b.need(b.a.ue_pool6, "--ue-pool6")
    if b.plain6 is None:
        b.plain6 = b.user(v4=False, v6=True).open()
    return b.plain6


@check("forward.v4v6", "23.501 5.8.2.2", "a session with an IPv4 address and an IPv6 prefix forwards both", optional=True)
def _(b):
    b.need(b.a.ue_pool6, "--ue-pool6")
    u = b.user(v4=True, v6=True).open()
    u.passes_up(), u.passes_down(), u.passes_up(u.packet(v6=True)), u.passes_down(u.packet(down=True, v6=True))
    u.close()


@check("forward.v6.whole-prefix", "23.501 5.8.2.2.2", "an IPv6 session's prefix is of 64 bits: every address in it is the UE's", optional=True)
def _(b):
    u = v6(b)
    far = str(u.prefix[0xffff_0000_0000_1234])
    u.passes_up(u.packet(src=far)), u.passes_down(u.packet(down=True, dst=far))


PROTOCOLS = [("icmp", "ICMP", ICMP(type=8, id=7)), ("tcp", "TCP", TCP(sport=5000, dport=7000, flags="A", seq=1)), ("sctp", "SCTP", SCTP(sport=5000, dport=7000)),
             ("esp", "ESP", ESP(spi=7, seq=1)), ("unknown", "protocol 253", None)]


@table([("forward.protocol." + name, "packets of %s pass both ways" % title, layer) for name, title, layer in PROTOCOLS], "23.501 5.6.10.2")
def _(b, layer):
    for down in (False, True):
        packet = b.plain.packet(down=down, proto=layer and layer.copy(), **({} if layer else {"proto_number": 253}))
        (b.plain.passes_down if down else b.plain.passes_up)(packet)


@check("forward.options", "RFC 1812 5.2.4", "an IPv4 packet with options passes both ways")
def _(b):
    for down in (False, True):
        head = b.plain.packet(down=down)
        packet = head.copy()
        packet.options = [b"\x01\x01\x01\x00"]
        packet.ihl, packet.len, packet.chksum = None, None, None
        packet = IP(raw(packet))
        (b.plain.passes_down if down else b.plain.passes_up)(packet)


@check("forward.fragments.inner", "RFC 791", "both fragments of a UE's IPv4 packet pass uplink, as they came")
def _(b):
    for flags, offset in ((1, 0), (0, 64)):
        b.plain.passes_up(b.plain.packet(size=540, flags=flags, frag=offset))


@check("forward.fragments.inner.downlink", "RFC 791", "both fragments of a packet to a UE pass downlink, as they came")
def _(b):
    for flags, offset in ((1, 0), (0, 64)):
        b.plain.passes_down(b.plain.packet(down=True, size=540, flags=flags, frag=offset))


@check("forward.dscp", "23.501 5.8.2.7", "the T-PDU's DSCP stays as it was, both ways")
def _(b):
    b.plain.passes_up(b.plain.packet(tos=0xb8)), b.plain.passes_down(b.plain.packet(down=True, tos=0xb8))


@check("forward.source", "29.244 5.2.1A.2, 23.501 5.8.2", "a packet with another UE's source address is not forwarded uplink")
def _(b):
    u = b.user().open()
    u.blocked_up(u.packet(src=b.plain.ip))
    u.blocked_up(u.packet(src="192.0.2.77"))
    u.passes_up()
    u.close()


@check("forward.source.v6", "29.244 5.2.1A.2", "a packet with a source outside the UE's IPv6 prefix is not forwarded uplink", optional=True)
def _(b):
    u = v6(b)
    u.blocked_up(u.packet(src="2001:db8:ffff::1"))


@check("forward.teid", "29.281 5.1", "a G-PDU of a TEID that no session has is not forwarded")
def _(b):
    b.plain.blocked_up(teid=0x7ffffff7)


@check("forward.unknown-ue", "23.501 5.8.2", "a downlink packet to a UE address that no session has is not forwarded")
def _(b):
    u = b.user()
    b.plain.blocked_down(b.plain.packet(down=True, dst=u.ip))


@check("forward.uplink.without-container", "29.281 5.2.2.7", "a G-PDU without a PDU session container is forwarded where the PDR asks for no QFI")
def _(b):
    b.plain.passes_up(qfi=None)


@check("forward.uplink.other-qfi", "29.244 5.2.1A.2", "a PDR without QFI takes packets of any QFI")
def _(b):
    for qfi in (0, 1, 63):
        b.plain.passes_up(qfi=qfi)


@check("forward.uplink.sequence", "29.281 5.1", "a G-PDU with a sequence number and a container is forwarded")
def _(b):
    b.plain.passes_up(S=1, seq=77)


@check("forward.uplink.sequence-only", "29.281 5.1", "a G-PDU with a sequence number and no extension header is forwarded")
def _(b):
    b.plain.passes_up(qfi=None, S=1, seq=77)


@check("forward.uplink.npdu", "29.281 5.1", "a G-PDU with an N-PDU number is forwarded")
def _(b):
    b.plain.passes_up(qfi=None, PN=1, npdu=7)


def extended(b, u, packet, first_type, first_header):
    """A G-PDU with another extension header before its container."""
    octets = struct.pack("!BBHIHBB", 0x34, 255, 4 + len(first_header) + 4 + len(raw(packet)), u.teid, 0, 0, first_type) + first_header[:-1] + b"\x85" + bytes([1, 0x10, QFI, 0]) + raw(packet)
    return b.outer(u.gnb) / Raw(octets)


@check("forward.uplink.extension", "29.281 5.2.1", "a G-PDU with an extension header before its container that needs no understanding is forwarded")
def _(b):
    packet = b.plain.packet()
    since = b.n6.count()
    b.n3.send(extended(b, b.plain, packet, 0x20, bytes([1, 0x12, 0x34, 0])))  # Service Class Indicator
    b.plain.arrived(packet, since)


@check("forward.uplink.udp-checksum", "29.281 4.4.2.0", "a G-PDU with a UDP checksum is forwarded")
def _(b):
    packet = b.plain.packet()
    outer = b.outer()
    del outer[UDP].chksum
    b.plain.passes_up(packet, outer=outer)


@check("forward.uplink.source-port", "29.281 4.4.2.3", "a G-PDU from another UDP source port is forwarded")
def _(b):
    outer = b.outer()
    outer[UDP].sport = 33333
    b.plain.passes_up(outer=outer)


@check("forward.removal.6", "29.244 8.2.64", "Outer Header Removal 6 (GTP-U/UDP/IP) is carried out")
def _(b):
    u = b.user().open(up={"removal": 6})
    u.passes_up(), u.passes_down()
    u.close()


@check("forward.gpdu.container", "38.415 5.5.2.1", "a downlink G-PDU's container has the QER's QFI, PDU type 0, and no other bit")
def _(b):
    found = b.plain.passes_down(PPP=0, QMP=0, SNP=0)
    octets = found.octets[42:]
    same("the octets from the flags to the container", octets[:2].hex() + " " + octets[8:16].hex(), "34ff 0000008501%02x%02x00" % (0, QFI))


@check("forward.outer.ttl", "RFC 791", "the outer TTL of downlink G-PDUs is over 1, and the outer header has no options")
def _(b):
    ip = b.plain.passes_down().parsed()[IP]
    same("the header's length", ip.ihl, 5)
    true(ip.ttl > 1, "TTL %d" % ip.ttl)


@check("forward.n3-v6", "29.281 4.4.1, RFC 8200 8.1", "tunnels end at IPv6 addresses: G-PDUs pass both ways, with an outer UDP checksum", optional=True)
def _(b):
    b.need(b.a.n3_6 and b.a.gnb6, "--n3-6 and --gnb6")
    u = b.user(gnb=b.a.gnb6)
    u.choose = False
    u.open(up={"removal": 6, "fteid": IE_FTEID(V6=1, TEID=u.teid, ipv6=b.a.n3_6)})
    u.passes_up()
    u.passes_down()
    u.close()


@check("forward.malformed", "29.281 5.1, 23.501 5.8.2", "G-PDUs of version 2, of GTP', longer than their datagram, with a broken T-PDU, are not forwarded")
def _(b):
    u = b.plain
    at = 14 + 20 + 8
    for change in (lambda f, o: f.__setitem__(at, f[at] & 0x1f | 0x40), lambda f, o: f.__setitem__(at, f[at] & ~0x10), lambda f, o: f.__setitem__(slice(at + 2, at + 4), struct.pack("!H", 0xffff)),
                   lambda f, o: f.__setitem__(o, 0x55), lambda f, o: f.__setitem__(slice(o + 2, o + 4), b"\xff\xff")):
        packet = u.packet()
        frame = bytearray(raw(u.gpdu(packet)))
        change(frame, len(frame) - len(raw(packet)))
        u.blocked_up(packet, frame=bytes(frame))


@check("forward.nested", "29.281 4.3, 33.513 4.2.2", "a G-PDU inside a UE's packet to the UPF's N3 address is not taken for a gNB's")
def _(b):
    other = b.user().open()
    packet = other.packet()
    nested = IP(src=b.plain.ip, dst=b.a.n3, ttl=60) / UDP(sport=2152, dport=2152, chksum=0) / Raw(raw(GTP_U_Header(teid=other.teid, gtp_type=255) / Raw(raw(packet))))
    b.plain.send_up(IP(raw(nested)))
    b.absent(b.n6, mark_of(packet))
    other.close()
