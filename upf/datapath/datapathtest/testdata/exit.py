#!/usr/bin/env python3
"""Frames of tunnels on N6 (outer headers of UDP/IP and of IP), made by scapy. The sessions
are in ../exit.go. Run: python3 exit.py > exit.txt

A line is a name, where the frame comes in, the frame, and what leaves, in hex, or why
nothing does."""
from scapy.all import IP, UDP, Ether, IPv6, IPOption_NOP, Raw
from scapy.contrib.gtp import GTP_U_Header

N3, GNB = "02:00:00:00:03:01", "02:00:00:00:03:02"
N6, DN = "02:00:00:00:06:01", "02:00:00:00:06:02"
UPF, PEER, UPF6, PEER6 = "198.51.100.1", "198.51.100.2", "2001:db8:6::1", "2001:db8:6::2"
DATA = Raw(bytes(n & 255 for n in range(33)))  # odd: the checksum is padded
OURS, THEIRS = 4000, 5000
UDPV4, UDPV6, IPV4, IPV6 = 1, 2, 3, 4
NAMES = {UDPV4: "UDP/IPv4", UDPV6: "UDP/IPv6", IPV4: "IPv4", IPV6: "IPv6"}


def line(name, at, frame, out):
    print(f"{name};{at};{bytes(frame).hex()};{out if isinstance(out, str) else bytes(out).hex()}")


def aged(ip):
    ip = ip.__class__(bytes(ip))
    if ip.version == 6:
        ip.hlim -= 1
    else:
        ip.ttl -= 1
        del ip.chksum
    return Raw(bytes(ip))


def up(kind, six=False, data=DATA, ttl=64, **kw):
    if six:
        return IPv6(src=f"2001:db8:45:{60 + kind}::9", dst="2001:db8:77::7", hlim=ttl) / UDP(sport=1, dport=2) / data
    return IP(src=f"10.45.2.{kind}", dst="203.0.113.7", id=7, ttl=ttl, **kw) / UDP(sport=1, dport=2) / data


def down(kind, six=False, data=DATA, ttl=64):
    if six:
        return IPv6(src="2001:db8:77::7", dst=f"2001:db8:45:{60 + kind}::9", hlim=ttl) / UDP(sport=2, dport=1) / data
    return IP(src="203.0.113.7", dst=f"10.45.2.{kind}", id=9, ttl=ttl) / UDP(sport=2, dport=1) / data


def from_gnb(kind, inner):
    return Ether(src=GNB, dst=N3) / IP(src="192.0.2.2", dst="192.0.2.1", id=3) / UDP(sport=2152, dport=2152) / \
        GTP_U_Header(teid=200 + 2 * kind, gtp_type=255) / inner


def to_gnb(kind, inner):
    return Ether(src=N3, dst=GNB) / IP(src="192.0.2.1", dst="192.0.2.2", id=0, ttl=64) / UDP(sport=2152, dport=2152, chksum=0) / \
        GTP_U_Header(teid=201 + 2 * kind, gtp_type=255) / aged(inner)


def wrap(kind, src, dst, ports, inner, six, tos=0, udp={}, ip={}):
    """inner in the outer headers of a kind."""
    protocol = 17 if kind in (UDPV4, UDPV6) else 41 if six else 4
    if kind in (UDPV4, IPV4):
        outer = IP(src=src, dst=dst, ttl=64, proto=protocol, tos=tos, **ip)
    else:
        outer = IPv6(src=src, dst=dst, hlim=64, nh=protocol, tc=tos, **ip)
    if protocol == 17:
        return outer / UDP(sport=ports[0], dport=ports[1], **udp) / inner
    return outer / inner


def out(kind, inner, six):
    """As the UPF sends it."""
    four = kind in (UDPV4, IPV4)
    tos = 0xb8 if kind in (UDPV4, IPV6) else 0
    udp = {"chksum": 0} if kind == UDPV4 else {}
    ip = {"id": 0} if four else {}
    return Ether(src=N6, dst=DN) / wrap(kind, UPF if four else UPF6, PEER if four else PEER6, (OURS, THEIRS), aged(inner), six, tos, udp, ip)


def into(kind, inner, six, port=OURS, **more):
    """As the data network sends it."""
    four = kind in (UDPV4, IPV4)
    return Ether(src=DN, dst=N6) / wrap(kind, PEER if four else PEER6, UPF if four else UPF6, (THEIRS, port), inner, six, **more)


def marked(packet, field):
    """The packet, with an ECN field, in the innermost header."""
    if packet.version == 6:
        packet.tc = field
    else:
        packet.tos = field
    return packet


for k in NAMES:
    for v6 in (False, True):
        name = f"{NAMES[k]}, {'ipv6' if v6 else 'ipv4'}"
        line(f"uplink into {name}", "n3", from_gnb(k, up(k, v6)), out(k, up(k, v6), v6))
        line(f"downlink out of {name}", "n6", into(k, down(k, v6), v6), to_gnb(k, down(k, v6)))
    octets = {UDPV4: 28, UDPV6: 48, IPV4: 20, IPV6: 40}[k]
    line(f"uplink into {NAMES[k]}, largest for the mtu", "n3", from_gnb(k, up(k, data=Raw(bytes(1472 - octets)))),
         out(k, up(k, data=Raw(bytes(1472 - octets))), False))
    line(f"uplink into {NAMES[k]}, too big", "n3", from_gnb(k, up(k, data=Raw(bytes(1473 - octets)), flags="DF")), "too big")
    line(f"plain to a UE with {NAMES[k]}", "n6", Ether(src=DN, dst=N6) / down(k), "no PDR matches")
    line(f"ipv6, plain to a UE with {NAMES[k]}", "n6", Ether(src=DN, dst=N6) / down(k, True), "no PDR matches")
    line(f"downlink out of {NAMES[k]}, last hop", "n6", into(k, down(k, ttl=1), False), "TTL expired")
    line(f"downlink out of {NAMES[k]}, unknown ue", "n6", into(k, down(99), False), "unknown UE address")
    line(f"downlink out of {NAMES[k]}, ue without tunnel", "n6", into(k, down(9), False), "no PDR matches")
    line(f"downlink out of {NAMES[k]}, another kind's ue", "n6", into(k, down(k % 4 + 1), False), "no PDR matches")
    line(f"downlink out of {NAMES[k]}, no ip in it", "n6", into(k, Raw(bytes(40)), False), "malformed inner packet")
    line(f"downlink out of {NAMES[k]}, cut", "n6", into(k, Raw(bytes(down(k))[:-1]), False), "malformed inner packet")
    line(f"downlink out of {NAMES[k]}, short", "n6", into(k, Raw(bytes(down(k))[:19]), False), "malformed inner packet")
# RFC 6040 on N6, too.
for k in NAMES:
    sent = out(k, marked(up(k), 2), False)
    if sent.payload.version == 6:
        sent.payload.tc |= 2
    else:
        sent.payload.tos |= 2
    line(f"ecn into {NAMES[k]}", "n3", from_gnb(k, marked(up(k), 2)), Ether(bytes(sent)))
    ecn = to_gnb(k, marked(down(k, True), 3))
    ecn[IP].tos = 3
    line(f"ecn out of {NAMES[k]}, ipv6", "n6", into(k, marked(down(k, True), 2), True, tos=3), ecn)
    line(f"ecn out of {NAMES[k]}, none there", "n6", into(k, down(k), False, tos=3), "congestion without ECN")
line("protocol 4 with ipv6", "n6", into(IPV4, down(IPV4, True), False), "malformed inner packet")
line("protocol 41 with ipv4", "n6", into(IPV6, down(IPV6), True), "malformed inner packet")
line("another port", "n6", into(UDPV4, down(UDPV4), False, port=OURS + 1), "pass")
line("another port, ipv6", "n6", into(UDPV6, down(UDPV6), False, port=OURS + 1), "pass")
line("no checksum, ipv6", "n6", into(UDPV6, down(UDPV6), False, udp={"chksum": 0}), to_gnb(UDPV6, down(UDPV6)))
line("a fragment", "n6", into(UDPV4, down(UDPV4), False, ip={"flags": 1}), "pass")
line("a fragment of ip in ip", "n6", into(IPV4, down(IPV4), False, ip={"frag": 5}), "pass")
line("options in the outer header", "n6", into(IPV4, down(IPV4), False, ip={"options": [IPOption_NOP()] * 4}), to_gnb(IPV4, down(IPV4)))
line("options before udp", "n6", into(UDPV4, down(UDPV4), False, ip={"options": [IPOption_NOP()] * 8}), to_gnb(UDPV4, down(UDPV4)))
line("udp longer than ip", "n6", into(UDPV4, down(UDPV4), False, udp={"len": 500}), "malformed outer header")
line("udp shorter than its header", "n6", into(UDPV6, down(UDPV6), False, udp={"len": 7}), "malformed outer header")
line("ip longer than the frame", "n6", into(IPV4, down(IPV4), False, ip={"len": 500}), "malformed outer header")
