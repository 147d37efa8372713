#!/usr/bin/env python3
"""Frames for the tests of the XDP programs: what goes in, the verdict, and what
comes out. Every octet is scapy's. Run: python3 gen.py > frames.json

The sessions that the frames belong to, and the network, are in lab_test.go."""
import json
import struct

from scapy.all import (AH, ARP, ESP, ICMP, IP, UDP, Ether, HBHOptUnknown, IPOption_NOP, IPv6, IPv6ExtHdrDestOpt,
                       IPv6ExtHdrFragment, IPv6ExtHdrHopByHop, IPv6ExtHdrRouting, ICMPv6EchoRequest, PadN, Raw, TCP)
from scapy.contrib.gtp import GTP_U_Header, GTPPDUSessionContainer

N3, GNB = "02:00:00:00:03:01", "02:00:00:00:03:02"
N6, DN = "02:00:00:00:06:01", "02:00:00:00:06:02"
UPF_IP, GNB_IP = "192.0.2.1", "192.0.2.2"
DN_IP = "198.51.100.2"
N4_IP, SMF_IP = "198.18.4.1", "198.18.4.2"
cases = []


def add(name, program, frame, verdict, out=None, reason=""):
    cases.append(dict(name=name, program=program, frame=bytes(frame).hex(), verdict=verdict,
                      out=bytes(out).hex() if out is not None else "", reason=reason))


def up(src="10.45.0.2", dst=DN_IP, ttl=64, size=32, **kw):
    return IP(src=src, dst=dst, ttl=ttl, id=7, **kw) / UDP(sport=1234, dport=1234) / Raw(bytes(n & 255 for n in range(size)))


def down(dst="10.45.0.2", ttl=64, size=32, **kw):
    return IP(src=DN_IP, dst=dst, ttl=ttl, id=9, **kw) / UDP(sport=1234, dport=1234) / Raw(bytes(n & 255 for n in range(size)))


def aged(ip):
    """The packet after one hop: what a router leaves."""
    again = IP(bytes(ip))
    again.ttl -= 1
    del again.chksum
    return bytes(again)


def gtp(teid=1, **kw):
    return GTP_U_Header(teid=teid, gtp_type=255, **kw)


def psc(qfi=1):
    return dict(E=1, next_ex=0x85), GTPPDUSessionContainer(type=1, QFI=qfi)


def n3(payload, **ip):
    fields = dict(src=GNB_IP, dst=UPF_IP, id=3)
    fields.update(ip)
    return Ether(src=GNB, dst=N3) / IP(**fields) / UDP(sport=2152, dport=2152) / payload


def with_psc(inner, teid=1, qfi=1, **ip):
    flags, ext = psc(qfi)
    return n3(gtp(teid, **flags) / ext / inner, **ip)


def sent_n6(inner):
    return Ether(src=N6, dst=DN, type=0x800) / Raw(aged(inner))


def sent_n3(inner, teid, qfi=None, **more):
    """The outer header has the ECN field of the T-PDU."""
    tos = IP(bytes(inner)).tos & 3
    inner = IP(aged(inner))
    if qfi is None:
        head = gtp(teid) / inner
    else:
        head = gtp(teid, E=1, next_ex=0x85) / GTPPDUSessionContainer(type=0, QFI=qfi, **more) / inner
    ip = IP(src=UPF_IP, dst=GNB_IP, id=0, ttl=64, tos=tos)
    return Ether(src=N3, dst=GNB) / ip / UDP(sport=2152, dport=2152, chksum=0) / head


def raw_gtp(flags, length, teid, rest, type_=255):
    return Raw(struct.pack("!BBHI", flags, type_, length, teid) + rest)


# Uplink, forwarded.
p = up()
add("plain", "n3", n3(gtp() / p), "redirect", sent_n6(p))
add("psc", "n3", with_psc(p), "redirect", sent_n6(p))
add("sequence number", "n3", n3(gtp(S=1, seq=77) / p), "redirect", sent_n6(p))
add("outer ip options", "n3", with_psc(p, options=[IPOption_NOP()] * 8), "redirect", sent_n6(p))
add("qfi wanted", "n3", with_psc(up("10.45.0.6"), 9, 9), "redirect", sent_n6(up("10.45.0.6")))
add("no ue address in pdi", "n3", with_psc(up("10.45.9.9"), 9, 9), "redirect", sent_n6(up("10.45.9.9")))
i = bytes(p)
udp_port_ext = bytes.fromhex("01086885")   # UDP port, then 0x85
psc_ext = bytes.fromhex("01100100")        # PSC type 1, QFI 1, last
add("two extension headers", "n3",
    n3(raw_gtp(0x34, 12 + len(i), 1, b"\0\0\0\x40" + udp_port_ext + psc_ext + i)), "redirect", sent_n6(p))
two = b"\0\0\0\x85" + bytes.fromhex("01100585") + bytes.fromhex("01100900")  # QFI 5, then QFI 9: the last counts
j = bytes(up("10.45.0.6"))
add("two containers", "n3", n3(raw_gtp(0x34, len(two) + len(j), 9, two + j)), "redirect", sent_n6(up("10.45.0.6")))
two = b"\0\0\0\x85" + bytes.fromhex("01100985") + bytes.fromhex("01100500")
add("two containers, the last of another qfi", "n3", n3(raw_gtp(0x34, len(two) + len(j), 9, two + j)), "drop", reason="QFI mismatch")
four = b"\0\0\0\x40" + bytes.fromhex("01086840") * 2 + udp_port_ext + psc_ext
add("four extension headers", "n3", n3(raw_gtp(0x34, len(four) + len(i), 1, four + i)), "redirect", sent_n6(p))
long_ext = b"\0\0\0\x40" + bytes([3]) + bytes(10) + b"\x85" + psc_ext
add("long extension header", "n3", n3(raw_gtp(0x34, len(long_ext) + len(i), 1, long_ext + i)),
    "redirect", sent_n6(p))
add("s flag, next type without e", "n3", n3(raw_gtp(0x32, 4 + len(i), 1, b"\0\1\0\x85" + i)),
    "redirect", sent_n6(p))
add("inner options", "n3", with_psc(up(options=[IPOption_NOP()] * 4)), "redirect",
    sent_n6(up(options=[IPOption_NOP()] * 4)))
add("inner fragment", "n3", with_psc(up(flags="MF")), "redirect", sent_n6(up(flags="MF")))
add("ttl 2", "n3", with_psc(up(ttl=2)), "redirect", sent_n6(up(ttl=2)))
add("largest for the mtu", "n3", with_psc(up(size=1472)), "redirect", sent_n6(up(size=1472)))
add("checksum wraps", "n3", with_psc(up(ttl=255, tos=0xfc)), "redirect", sent_n6(up(ttl=255, tos=0xfc)))

# Uplink, dropped.
add("ttl 1", "n3", with_psc(up(ttl=1)), "drop", reason="TTL expired")
# The kernel fragments, or resolves the next hop: slow. The T-PDU that it gets is "out".
add("too big", "n3", with_psc(up(size=1473)), "slow", Ether(src=GNB, dst=N3) / up(size=1473))
add("too big, df", "n3", with_psc(up(size=1473, flags="DF")), "drop", reason="too big")
add("wrong source", "n3", with_psc(up("10.45.0.99")), "drop", reason="inner source is not the UE")
add("inner ipv6", "n3", with_psc(IPv6(src="2001:db8::1", dst="2001:db8::2") / UDP()), "drop",
    reason="inner source is not the UE")
add("wrong qfi", "n3", with_psc(up("10.45.0.6"), 9, 8), "drop", reason="QFI mismatch")
add("qfi wanted, none there", "n3", n3(gtp(9) / up("10.45.0.6")), "drop", reason="QFI mismatch")
add("far drop", "n3", with_psc(up("10.45.0.4"), 5), "drop", reason="FAR drop")
add("gate closed", "n3", with_psc(up("10.45.0.5"), 7), "drop", reason="gate closed")
add("blackhole", "n3", with_psc(up(dst="203.0.113.1")), "drop", reason="no route")
add("inner not ip", "n3", n3(gtp() / Raw(b"\xff" * 40)), "drop", reason="malformed inner packet")
add("inner short", "n3", n3(gtp() / Raw(bytes(p)[:12])), "drop", reason="malformed inner packet")
add("no payload", "n3", n3(gtp()), "drop", reason="malformed inner packet")
add("inner longer than gtp", "n3", n3(raw_gtp(0x30, len(i) - 4, 1, i)), "drop", reason="malformed inner packet")
add("inner header length", "n3", n3(raw_gtp(0x30, len(i), 1, b"\x44" + i[1:])), "drop",
    reason="malformed inner packet")
add("gtp longer than udp", "n3", n3(raw_gtp(0x30, len(i) + 1, 1, i)), "drop", reason="malformed GTP-U")
add("extension of no length", "n3", n3(raw_gtp(0x34, 8 + len(i), 1, b"\0\0\0\x85" + bytes(4) + i)), "drop",
    reason="malformed GTP-U")
add("extension past the end", "n3", n3(raw_gtp(0x34, 8 + len(i), 1, b"\0\0\0\x85" + b"\xff\0\0\0" + i)), "drop",
    reason="malformed GTP-U")
five = b"\0\0\0\x40" + bytes.fromhex("01086840") * 3 + udp_port_ext + psc_ext
add("five extension headers", "n3", n3(raw_gtp(0x34, len(five) + len(i), 1, five + i)), "drop",
    reason="malformed GTP-U")
add("extension past gtp's length", "n3", n3(raw_gtp(0x34, 6, 1, b"\0\0\0\x85" + psc_ext + i)), "drop",
    reason="malformed GTP-U")
add("optional fields cut", "n3", n3(raw_gtp(0x34, 0, 1, b"\0")), "drop", reason="malformed GTP-U")
add("gtp cut", "n3", n3(Raw(b"\x30\xff\0\0")), "drop", reason="malformed GTP-U")
add("udp cut", "n3", Ether(src=GNB, dst=N3) / IP(src=GNB_IP, dst=UPF_IP, proto=17) / Raw(b"\x08\x68\x08\x68"),
    "drop", reason="malformed outer header")
add("udp longer than ip", "n3", Ether(src=GNB, dst=N3) / IP(src=GNB_IP, dst=UPF_IP) /
    UDP(sport=2152, dport=2152, len=500) / gtp() / p, "drop", reason="malformed outer header")
add("udp length 7", "n3", Ether(src=GNB, dst=N3) / IP(src=GNB_IP, dst=UPF_IP) /
    UDP(sport=2152, dport=2152, len=7) / gtp() / p, "drop", reason="malformed outer header")
add("ip longer than frame", "n3", bytes(with_psc(p))[:-1], "drop", reason="malformed outer header")
add("ip header length", "n3", with_psc(p, ihl=4), "drop", reason="malformed outer header")
# Lengths of one header that end inside another, with octets of the frame behind them.
add("gtp cut by udp, other type", "n3", Ether(src=GNB, dst=N3) / IP(src=GNB_IP, dst=UPF_IP, len=32) /
    UDP(sport=2152, dport=2152, len=12) / Raw(bytes(18)), "drop", reason="malformed GTP-U")
add("udp cut by ip", "n3", Ether(src=GNB, dst=N3) / IP(src=GNB_IP, dst=UPF_IP, len=24) /
    UDP(sport=2152, dport=9999) / Raw(bytes(18)), "drop", reason="malformed outer header")
add("inner ipv6 cut by gtp", "n3", n3(raw_gtp(0x30, 16, 1, bytes(IPv6(src="2001:db8::1", dst="2001:db8::2") / UDP()))),
    "drop", reason="malformed inner packet")
add("message type 3, longer than udp", "n3", n3(raw_gtp(0x30, 500, 1, i, 3)), "drop", reason="unsupported GTP-U message")
add("gtp version 2", "n3", n3(raw_gtp(0x50, len(i), 1, i)), "drop", reason="unsupported GTP-U message")
add("gtp prime", "n3", n3(raw_gtp(0x20, len(i), 1, i)), "drop", reason="unsupported GTP-U message")
add("message type 3", "n3", n3(raw_gtp(0x30, len(i), 1, i, 3)), "drop", reason="unsupported GTP-U message")
add("unknown teid", "n3", with_psc(p, 0xdeadbeef), "drop", reason="unknown TEID")

# Uplink, passed. "kernel": decapsulated for the kernel to route.
add("echo request", "n3", n3(raw_gtp(0x32, 4, 0, bytes(4), 1)), "pass")
add("echo response", "n3", n3(raw_gtp(0x32, 6, 0, bytes(4) + b"\x0e\0", 2)), "pass")
add("error indication", "n3", n3(raw_gtp(0x32, 16, 0, bytes(4) + b"\x10\0\0\0\1\x85\0\4\xc0\0\2\2", 26)), "pass")
add("end marker", "n3", n3(raw_gtp(0x30, 0, 1, b"", 254)), "pass")
add("other udp port", "n3", Ether(src=GNB, dst=N3) / IP(src=GNB_IP, dst=UPF_IP) / UDP(dport=8805) / Raw(bytes(30)),
    "pass")
add("outer fragment", "n3", with_psc(p, flags="MF"), "pass")
add("outer later fragment", "n3", with_psc(p, frag=3), "pass")
add("arp", "n3", Ether(src=GNB, dst=N3) / ARP(pdst=UPF_IP) / Raw(bytes(18)), "pass")
add("icmp", "n3", Ether(src=GNB, dst=N3) / IP(src=GNB_IP, dst=UPF_IP) / ICMP() / Raw(bytes(20)), "pass")
add("ipv6", "n3", Ether(src=GNB, dst=N3) / IPv6() / UDP(dport=2152), "pass")
add("short frame", "n3", Ether(src=GNB, dst=N3, type=0x800) / Raw(bytes(4)), "pass")
p = up(dst="198.51.100.77")
add("neighbour not resolved", "n3", with_psc(p), "slow", Ether(src=GNB, dst=N3) / p)
p = up(frag=3, proto=17)
add("inner later fragment", "n3", with_psc(p), "redirect", sent_n6(p))

# What UEs may not reach.
OWN, NESTED, EGRESS = "UE packet to the UPF itself", "GTP-U in GTP-U", "UE packet not towards N6"
for what, address in ("n3", UPF_IP), ("n4", N4_IP), ("n6", "198.51.100.1"):
    add("ue to the upf's " + what, "n3", with_psc(up(dst=address)), "drop", reason=OWN)
    add("ue's pfcp to the upf's " + what, "n3", with_psc(IP(src="10.45.0.2", dst=address) / UDP(dport=8805)), "drop",
        reason=OWN)
UNROUTABLE = "address not to be routed"
for what, address in (("loopback", "127.0.0.1"), ("this network", "0.1.2.3"), ("link-local", "169.254.169.254"), ("multicast", "224.0.0.5"),
                      ("class e", "240.0.0.1"), ("broadcast", "255.255.255.255")):
    add("ue to " + what, "n3", with_psc(up(dst=address)), "drop", reason=UNROUTABLE)
    add("ue to " + what + ", filters", "n3", with_psc(up("10.45.0.6", dst=address), 9, 9), "drop", reason=UNROUTABLE)
add("inner checksum", "n3", with_psc(up(chksum=0x1234)), "drop", reason="malformed inner packet")
add("inner checksum of 0", "n3", with_psc(up(chksum=0)), "drop", reason="malformed inner packet")
add("inner checksum, options", "n3", with_psc(up(chksum=0x1234, options=[IPOption_NOP()] * 8)), "drop",
    reason="malformed inner packet")
add("ue to the smf", "n3", with_psc(up(dst=SMF_IP)), "drop", reason=EGRESS)
add("ue to a neighbour of the smf, not resolved", "n3", with_psc(up(dst="198.18.4.77")), "drop", reason=EGRESS)
add("gtp-u in gtp-u", "n3", with_psc(IP(src="10.45.0.2", dst=DN_IP) / UDP(dport=2152) / gtp() / up()), "drop",
    reason=NESTED)
add("gtp-u in gtp-u, inner options", "n3",
    with_psc(IP(src="10.45.0.2", dst=DN_IP, options=[IPOption_NOP()] * 8) / UDP(dport=2152) / gtp() / up()), "drop",
    reason=NESTED)
add("gtp-u in gtp-u, first fragment", "n3",
    with_psc(IP(src="10.45.0.2", dst=DN_IP, flags="MF") / UDP(dport=2152) / gtp() / up()), "drop", reason=NESTED)

# Without a tunnel.
PLAIN, PFCP = "IP without a tunnel", "PFCP not from N4"


def from_gnb(ip):
    return Ether(src=GNB, dst=N3) / ip


add("gtp-u to another address", "n3", with_psc(up(), dst="192.0.2.9"), "drop", reason=PLAIN)
add("plain to the data network", "n3", from_gnb(IP(src=GNB_IP, dst=DN_IP) / UDP()), "drop", reason=PLAIN)
add("plain as a ue", "n3", from_gnb(up()), "drop", reason=PLAIN)
add("plain fragment", "n3", from_gnb(up(flags="MF")), "drop", reason=PLAIN)
add("plain to nowhere", "n3", from_gnb(up(dst="203.0.113.1")), "drop", reason=PLAIN)
add("pfcp", "n3", from_gnb(IP(src=GNB_IP, dst=N4_IP) / UDP(dport=8805) / Raw(bytes(16))), "drop", reason=PFCP)
add("pfcp to the smf", "n3", from_gnb(IP(src=GNB_IP, dst=SMF_IP) / UDP(dport=8805) / Raw(bytes(16))), "drop",
    reason=PLAIN)
add("icmp error", "n3", from_gnb(IP(src=GNB_IP, dst=UPF_IP) / ICMP(type=3, code=4) / Raw(bytes(28))), "pass")
add("multicast", "n3", from_gnb(IP(src=GNB_IP, dst="224.0.0.5", proto=89) / Raw(bytes(24))), "pass")
add("broadcast", "n3", from_gnb(IP(src="0.0.0.0", dst="255.255.255.255") / UDP(dport=67) / Raw(bytes(24))), "pass")


def n6(ip):
    return Ether(src=DN, dst=N6) / ip


# Downlink, forwarded.
p = down()
add("qfi", "n6", n6(p), "redirect", sent_n3(p, 2, 1))
add("no qfi", "n6", n6(down("10.45.0.3")), "redirect", sent_n3(down("10.45.0.3"), 4))
add("qfi 63", "n6", n6(down("10.45.0.6")), "redirect", sent_n3(down("10.45.0.6"), 10, 63))
p = IP(src=DN_IP, dst="10.45.0.2", ttl=9) / TCP(flags="S")
add("tcp", "n6", n6(p), "redirect", sent_n3(p, 2, 1))
p = down(flags="MF", frag=0)
add("fragment", "n6", n6(p), "redirect", sent_n3(p, 2, 1))
p = down(options=[IPOption_NOP()] * 4)
add("options", "n6", n6(p), "redirect", sent_n3(p, 2, 1))
p = IP(src=DN_IP, dst="10.45.0.2", ttl=9, proto=1, len=28) / Raw(b"\x08\0\xf7\xff\0\0\0\0")
add("ethernet padding", "n6", n6(p) / Raw(bytes(18)), "redirect", bytes(sent_n3(p, 2, 1)) + bytes(18))
p = down(size=1500 - 44 - 28)
add("largest for the mtu", "n6", n6(p), "redirect", sent_n3(p, 2, 1))
p = down("10.45.0.3", size=1500 - 36 - 28)
add("largest for the mtu, no qfi", "n6", n6(p), "redirect", sent_n3(p, 4))

# A QER's Paging Policy Indicator: the container is four octets longer (TS 38.415 clause 5.5.2.1).
p = down("10.45.0.15")
add("paging policy", "n6", n6(p), "redirect", sent_n3(p, 48, 9, PPP=1, PPI=5))
p = down("10.45.0.16", tos=0xb8)
add("paging policy 0", "n6", n6(p), "redirect", sent_n3(p, 50, 63, RQI=1, PPP=1, PPI=0))
add("paging policy without a qfi", "n6", n6(down("10.45.0.17")), "redirect", sent_n3(down("10.45.0.17"), 52))
p = down("10.45.0.15", size=1500 - 48 - 28)
add("paging policy, largest for the mtu", "n6", n6(p), "redirect", sent_n3(p, 48, 9, PPP=1, PPI=5))
add("paging policy, too big", "n6", n6(down("10.45.0.15", size=1500 - 48 - 28 + 1)), "slow")
add("paging policy, too big, df", "n6", n6(down("10.45.0.15", size=1500 - 48 - 28 + 1, flags="DF")), "drop", reason="too big")
p = up("10.45.0.15")
add("paging policy", "n3", with_psc(p, 47), "redirect", sent_n6(p))

# Downlink, dropped.
for what, address in (("loopback", "127.0.0.1"), ("this network", "0.0.0.0"), ("link-local", "169.254.1.1"), ("multicast", "224.0.0.1"),
                      ("class e", "240.0.0.1"), ("broadcast", "255.255.255.255")):
    for ue in "10.45.0.2", "10.45.0.12":
        add("from " + what + " to " + ue, "n6", n6(IP(src=address, dst=ue) / UDP() / Raw(bytes(20))), "drop", reason=UNROUTABLE)
for ue in "10.45.0.2", "10.45.0.12":
    add("checksum, to " + ue, "n6", n6(down(ue, chksum=0x1234)), "drop", reason="malformed inner packet")
    add("checksum, options, to " + ue, "n6", n6(down(ue, chksum=0x1234, options=[IPOption_NOP()] * 8)), "drop",
        reason="malformed inner packet")
add("ttl 1", "n6", n6(down(ttl=1)), "drop", reason="TTL expired")
add("too big", "n6", n6(down(size=1500 - 44 - 28 + 1)), "slow")
add("too big, df", "n6", n6(down(size=1500 - 44 - 28 + 1, flags="DF")), "drop", reason="too big")
add("too big, no qfi", "n6", n6(down("10.45.0.3", size=1500 - 36 - 28 + 1)), "slow")
add("unknown ue", "n6", n6(down("10.45.7.7")), "drop", reason="unknown UE address")
add("far drop", "n6", n6(down("10.45.0.4")), "drop", reason="FAR drop")
add("gate closed", "n6", n6(down("10.45.0.5")), "drop", reason="gate closed")
add("gate closed, buffered", "n6", n6(down("10.45.0.18")), "drop", reason="gate closed")
add("blackholed gnb", "n6", n6(down("10.45.0.7")), "drop", reason="no route")
add("unresolved gnb", "n6", n6(down("10.45.0.8")), "slow")
add("longer than the frame", "n6", bytes(n6(down()))[:-1], "drop", reason="malformed inner packet")
add("header length", "n6", n6(down(ihl=4)), "drop", reason="malformed inner packet")

# Downlink, passed.
add("not in a pool", "n6", n6(down("198.51.100.1")), "pass")
add("arp", "n6", Ether(src=DN, dst=N6) / ARP(pdst="198.51.100.1") / Raw(bytes(18)), "pass")
add("ipv6", "n6", Ether(src=DN, dst=N6) / IPv6() / UDP(), "pass")

add("pfcp", "n6", n6(IP(src=DN_IP, dst=N4_IP) / UDP(dport=8805) / Raw(bytes(16))), "drop", reason=PFCP)
add("pfcp to the smf", "n6", n6(IP(src=DN_IP, dst=SMF_IP) / UDP(dport=8805) / Raw(bytes(16))), "drop", reason=PLAIN)
add("plain to a gnb", "n6", n6(IP(src=DN_IP, dst=GNB_IP) / UDP(dport=2152) / Raw(bytes(16))), "drop", reason=PLAIN)
add("multicast", "n6", n6(IP(src=DN_IP, dst="224.0.0.5", proto=89) / Raw(bytes(24))), "pass")

# SDF filters: datapathtest/filtered.go has the rules.
UE, NO_PDR = "10.45.0.9", "no PDR matches"


def filtered_up(name, inner, verdict, reason="", qfi=1):
    add(name, "n3", with_psc(inner, 15, qfi), verdict, sent_n6(inner) if verdict == "redirect" else None, reason)


def ip_up(src=UE, dst=DN_IP, **kw):
    return IP(src=src, dst=dst, id=7, **kw)


filtered_up("filter udp", ip_up() / UDP(sport=9, dport=1234) / Raw(bytes(8)), "redirect")
filtered_up("filter udp, first port", ip_up() / UDP(sport=9, dport=1230) / Raw(bytes(8)), "redirect")
filtered_up("filter udp, last port", ip_up() / UDP(sport=9, dport=1240) / Raw(bytes(8)), "redirect")
filtered_up("filter udp, second range", ip_up() / UDP(sport=9, dport=53) / Raw(bytes(8)), "redirect")
filtered_up("filter udp, below the ports", ip_up() / UDP(sport=9, dport=1229) / Raw(bytes(8)), "drop", "FAR drop")
filtered_up("filter udp, above the ports", ip_up() / UDP(sport=9, dport=1241) / Raw(bytes(8)), "drop", "FAR drop")
filtered_up("filter udp, other prefix", ip_up(dst="198.51.101.2") / UDP(sport=9, dport=1234) / Raw(bytes(8)), "drop", "FAR drop")
filtered_up("filter udp, later fragment", ip_up(frag=2, proto=17) / Raw(bytes([4, 210] * 8)), "drop", "FAR drop")
filtered_up("filter udp, first fragment", ip_up(flags="MF") / UDP(sport=9, dport=1234) / Raw(bytes(8)), "redirect")
filtered_up("filter udp, header cut", ip_up(proto=17) / Raw(b"\4\xd2"), "drop", "FAR drop")
filtered_up("filter udp, options", ip_up(options=[IPOption_NOP()] * 8) / UDP(sport=9, dport=1234) / Raw(bytes(8)), "redirect")
filtered_up("filter tcp, remote port", ip_up() / TCP(sport=9, dport=80), "redirect")
filtered_up("filter tcp, local port", ip_up() / TCP(sport=5999, dport=81), "redirect")
filtered_up("filter tcp, no port", ip_up() / TCP(sport=4999, dport=81), "drop", NO_PDR)
filtered_up("filter esp", ip_up(proto=50) / Raw(b"\0\0\x10\0" + bytes(20)), "drop", "gate closed")
filtered_up("filter esp, other spi", ip_up(proto=50) / Raw(b"\0\0\x10\1" + bytes(20)), "drop", NO_PDR)
filtered_up("filter qfi", ip_up() / ICMP(), "redirect", qfi=5)
filtered_up("filter other qfi", ip_up() / ICMP(), "drop", NO_PDR, qfi=4)
filtered_up("filter source", ip_up(src="10.45.0.99") / UDP(sport=9, dport=1234), "drop", "inner source is not the UE")
filtered_up("filter ttl", ip_up(ttl=1) / UDP(sport=9, dport=1234), "drop", "TTL expired")
add("filter, no container", "n3", n3(gtp(15) / (ip_up() / ICMP())), "drop", reason=NO_PDR)


def filtered_down(name, inner, qfi=None, reason="", rqi=0):
    if reason:
        return add(name, "n6", n6(inner), "drop", reason=reason)
    out = sent_n3(inner, 16, qfi)
    if rqi:
        out[GTPPDUSessionContainer].RQI = 1
    add(name, "n6", n6(inner), "redirect", out)


def ip_down(src=DN_IP, **kw):
    return IP(src=src, dst=UE, id=9, **kw)


filtered_down("filter udp", ip_down() / UDP(sport=1234, dport=7), 5, rqi=1)
filtered_down("filter udp before tos", ip_down(tos=0xb8) / UDP(sport=1234, dport=7), 5, rqi=1)
filtered_down("filter tos", ip_down(tos=0xba) / UDP(sport=1235, dport=7), 7)
filtered_down("filter other tos", ip_down(tos=0xb4) / UDP(sport=1235, dport=1234), reason=NO_PDR)
filtered_down("filter ah", ip_down(proto=51) / Raw(bytes(4) + b"\0\0\x20\0" + bytes(16)))
filtered_down("filter ah, cut", ip_down(proto=51) / Raw(bytes(4) + b"\0\0\x20"), reason=NO_PDR)
filtered_down("filter ah, other source", ip_down(src="198.51.100.3", proto=51) / Raw(bytes(4) + b"\0\0\x20\0" + bytes(16)),
              reason=NO_PDR)

# A maximum bit rate that one packet keeps.
p = up("10.45.0.10")
add("mbr", "n3", with_psc(p, 17, 4), "redirect", sent_n6(p))
p = down("10.45.0.10")
add("mbr", "n6", n6(p), "redirect", sent_n3(p, 18, 4))

# Buffering and URRs: datapathtest/frames.go has the rules.
add("buffered", "n6", n6(down("10.45.0.11")), "drop", reason="buffered")
# What a router does not forward does not wait either: it would page the UE for nothing.
add("buffered, ttl 1", "n6", n6(down("10.45.0.11", ttl=1)), "drop", reason="TTL expired")
add("buffered, checksum", "n6", n6(down("10.45.0.11", chksum=0x1234)), "drop", reason="malformed inner packet")
add("buffered, checksum, options", "n6", n6(down("10.45.0.11", chksum=0x1234, options=[IPOption_NOP()] * 8)), "drop",
    reason="malformed inner packet")
add("ue that sleeps", "n3", with_psc(up("10.45.0.11"), 19), "redirect", sent_n6(up("10.45.0.11")))
add("counted", "n3", with_psc(up("10.45.0.12"), 21), "redirect", sent_n6(up("10.45.0.12")))
add("counted", "n6", n6(down("10.45.0.12")), "redirect", sent_n3(down("10.45.0.12"), 22))
add("quota used up", "n3", with_psc(up("10.45.0.13"), 23), "drop", reason="quota used up")
add("quota used up", "n6", n6(down("10.45.0.13")), "drop", reason="quota used up")

# IPv6: datapathtest/ipv6.go has the rules.
NET6 = "2001:db8:45:"
DN6, SOURCE = "2001:db8:6::2", "inner source is not the UE"
DATA = Raw(bytes(n & 255 for n in range(32)))


def up6(src=NET6 + "2::9", dst=DN6, hlim=64, **kw):
    return IPv6(src=src, dst=dst, hlim=hlim, **kw)


def down6(dst=NET6 + "2::9", src=DN6, hlim=64, **kw):
    return IPv6(src=src, dst=dst, hlim=hlim, **kw)


def aged6(ip):
    b = bytearray(bytes(ip))
    b[7] -= 1
    return bytes(b)


def sent6_n6(inner):
    return Ether(src=N6, dst=DN, type=0x86dd) / Raw(aged6(inner))


def sent6_n3(inner, teid, qfi=None, rqi=0, **more):
    head = gtp(teid)
    if qfi is not None:
        head = gtp(teid, E=1, next_ex=0x85) / GTPPDUSessionContainer(type=0, QFI=qfi, RQI=rqi, **more)
    ip = IP(src=UPF_IP, dst=GNB_IP, id=0, ttl=64, tos=inner.tc & 3)
    return Ether(src=N3, dst=GNB) / ip / UDP(sport=2152, dport=2152, chksum=0) / head / IPv6(aged6(inner))


def in6(name, inner, teid=25, qfi=1, reason=""):
    """Uplink."""
    add("ipv6 " + name, "n3", with_psc(inner, teid, qfi), "drop" if reason else "redirect",
        None if reason else sent6_n6(inner), reason)


def out6(name, inner, teid=26, qfi=1, reason="", rqi=0, **more):
    """Downlink."""
    add("ipv6 " + name, "n6", Ether(src=DN, dst=N6) / inner, "drop" if reason else "redirect",
        None if reason else sent6_n3(inner, teid, qfi, rqi, **more), reason)


udp = UDP(sport=1234, dport=1234) / DATA
in6("udp", up6() / udp)
in6("another address of the prefix", up6(NET6 + "2:aaaa:bbbb:cccc:dddd") / udp)
in6("tcp", up6() / TCP(sport=9, dport=80))
in6("echo", up6() / ICMPv6EchoRequest())
in6("no payload", up6(nh=59))
in6("traffic class, flow label", up6(tc=0xfc, fl=0x12345) / udp)
in6("largest for the mtu", up6() / UDP(sport=1, dport=2) / Raw(bytes(1500 - 48)))
in6("hop limit 2", up6(hlim=2) / udp)
in6("hop limit 1", up6(hlim=1) / udp, reason="TTL expired")
in6("too big", up6() / UDP(sport=1, dport=2) / Raw(bytes(1501 - 48)), reason="too big")
in6("another prefix", up6(NET6 + "3::9") / udp, reason=SOURCE)
in6("ipv4", up("10.45.0.2"), reason=SOURCE)
in6("of an ipv4 session", up6() / udp, 1, reason=SOURCE)
in6("of a session by teid alone", up6("2001:db8:99::1") / udp, 9, 9)
in6("of a session by teid alone, wrong qfi", up6("2001:db8:99::1") / udp, 9, 8, reason="QFI mismatch")
in6("blackhole", up6(dst="2001:db8:dead::1") / udp, reason="no route")
in6("to the upf", up6(dst="2001:db8:6::1") / udp, reason=OWN)
LOCAL = UNROUTABLE
in6("link-local source", up6("fe80::9") / udp, reason=LOCAL)
in6("link-local destination", up6(dst="fe80::1") / udp, reason=LOCAL)
in6("no source", up6("::", "ff02::2") / ICMPv6EchoRequest(), reason=LOCAL)
in6("multicast", up6(dst="ff05::2") / udp, reason=LOCAL)
b = bytes(up6() / udp)
add("ipv6 cut", "n3", n3(raw_gtp(0x30, 30, 25, b[:30])), "drop", reason="malformed inner packet")
add("ipv6 longer than gtp", "n3", n3(raw_gtp(0x30, len(b) - 1, 25, b)), "drop", reason="malformed inner packet")
add("ipv6 unknown teid", "n3", with_psc(up6() / udp, 0xdeadbeef), "drop", reason="unknown TEID")
in6("padding after it", up6() / udp)
p = up6() / udp
add("ipv6 shorter than gtp", "n3", n3(raw_gtp(0x30, len(b) + 2, 25, b + b"\1\2")), "redirect",
    bytes(sent6_n6(p)) + b"\1\2")
p = up6(dst="2001:db8:6::77") / udp
add("ipv6 neighbour not resolved", "n3", with_psc(p, 25), "slow", Ether(src=GNB, dst=N3, type=0x86dd) / p)
gtpu = UDP(sport=9, dport=2152) / gtp() / up()
in6("gtp-u in gtp-u", up6() / gtpu, reason=NESTED)
hop, dest, route = IPv6ExtHdrHopByHop(), IPv6ExtHdrDestOpt(), IPv6ExtHdrRouting(type=4)
in6("gtp-u in gtp-u, extension headers", up6() / hop / dest / route / IPv6ExtHdrFragment(m=1) / gtpu, reason=NESTED)
in6("gtp-u in gtp-u, later fragment", up6() / IPv6ExtHdrFragment(offset=9, nh=17) / Raw(bytes(gtpu)))
in6("six extension headers", up6() / hop / dest / dest / dest / dest / dest / udp)
in6("seven extension headers", up6() / hop / dest / dest / dest / dest / dest / dest / udp, reason="malformed inner packet")
in6("extension header cut", up6(nh=60) / Raw(b"\x11\xff\0\0\0\0\0\0" + bytes(20)))
in6("extension header, 4 octets", up6(nh=60) / Raw(b"\x11\0\0\0"))

# IPv4 and IPv6 in one session.
in6("ipv4v6", up6(NET6 + "3::9") / udp, 27)
in6("ipv4v6, another prefix", up6(NET6 + "2::9") / udp, 27, reason=SOURCE)
add("ipv4v6, ipv4", "n3", with_psc(up("10.45.0.14"), 27), "redirect", sent_n6(up("10.45.0.14")))
add("ipv4v6, wrong ipv4", "n3", with_psc(up("10.45.0.15"), 27), "drop", reason=SOURCE)
out6("ipv4v6", down6(NET6 + "3::1") / udp, 28, None)
add("ipv4v6, ipv4", "n6", n6(down("10.45.0.14")), "redirect", sent_n3(down("10.45.0.14"), 28))

out6("udp", down6() / udp)
out6("another address of the prefix", down6(NET6 + "2:1:2:3:4") / udp)
out6("fragment", down6() / IPv6ExtHdrFragment(m=1) / udp)
out6("later fragment", down6() / IPv6ExtHdrFragment(offset=3) / DATA)
out6("seven extension headers", down6() / hop / dest / dest / dest / dest / dest / dest / udp)
out6("largest for the mtu", down6() / UDP(sport=1, dport=2) / Raw(bytes(1500 - 44 - 48)))
out6("too big", down6() / UDP(sport=1, dport=2) / Raw(bytes(1501 - 44 - 48)), reason="too big")
out6("hop limit 1", down6(hlim=1) / udp, reason="TTL expired")
out6("unknown ue", down6(NET6 + "7777::1") / udp, reason="unknown UE address")
out6("link-local source", down6(src="fe80::1") / udp, reason=LOCAL)
p = down6() / udp
add("ipv6 longer than the frame", "n6", bytes(Ether(src=DN, dst=N6) / p)[:-1], "drop", reason="malformed inner packet")
add("ipv6 not in a pool", "n6", Ether(src=DN, dst=N6) / down6("2001:db8:6::1") / udp, "pass")
add("ipv6 plain to a gnb", "n6", Ether(src=DN, dst=N6) / down6("2001:db8:3::2") / udp, "drop", reason=PLAIN)

# Prefixes of other lengths: a /60 that was delegated, a /64 in it that is another UE's, and one address.
in6("delegated prefix", up6(NET6 + "1a::1") / udp, 31)
in6("beyond the delegated prefix", up6(NET6 + "20::1") / udp, 31, reason=SOURCE)
out6("delegated prefix", down6(NET6 + "1a::1") / udp, 32, None)
out6("longer prefix", down6(NET6 + "15::1") / udp, 36, None)
in6("one address", up6(NET6 + "20::5") / udp, 33)
in6("next to one address", up6(NET6 + "20::6") / udp, 33, reason=SOURCE)
out6("one address", down6(NET6 + "20::5") / udp, 34, None)
out6("next to one address", down6(NET6 + "20::6") / udp, reason="unknown UE address")

# Filters.
UE6 = NET6 + "4::9"


def f_in6(name, inner, reason="", qfi=1):
    in6("filter " + name, inner, 29, qfi, reason)

out6("paging policy", down6(NET6 + "35::9") / udp, 54, 2, PPP=1, PPI=3)


def f_out6(name, inner, qfi=None, reason="", rqi=0):
    out6("filter " + name, inner, 30, qfi, reason, rqi)


dns = UDP(sport=9, dport=53) / DATA
f_in6("udp", up6(UE6) / dns)
f_in6("udp, extension headers", up6(UE6) / hop / dest / dns)
f_in6("udp, first fragment", up6(UE6) / IPv6ExtHdrFragment(m=1) / dns)
f_in6("udp, later fragment", up6(UE6) / IPv6ExtHdrFragment(offset=1, nh=17) / Raw(bytes(dns)), NO_PDR)
f_in6("udp, other prefix", up6(UE6, "2001:db8:7::2") / dns, NO_PDR)
f_in6("udp, other port", up6(UE6) / UDP(sport=9, dport=54), NO_PDR)
f_in6("udp, header cut", up6(UE6, nh=17) / Raw(b"\0\x35"), NO_PDR)
f_in6("flow label", up6(UE6, fl=0xabcde) / TCP())
f_in6("other flow label", up6(UE6, fl=0xabcdf) / TCP(), NO_PDR)
f_in6("esp", up6(UE6) / ESP(spi=0x1000, data=bytes(20)), "gate closed")
f_in6("qfi", up6(UE6) / ICMPv6EchoRequest(), qfi=5)
f_in6("source", up6(NET6 + "5::1") / dns, SOURCE)
f_in6("hop limit", up6(UE6, hlim=1) / dns, "TTL expired")
f_in6("gtp-u in gtp-u", up6(UE6) / hop / UDP(sport=9, dport=2152) / DATA, NESTED, 5)
f_out6("udp", down6(UE6) / UDP(sport=1234, dport=7), 5, rqi=1)
f_out6("traffic class", down6(UE6, tc=0xba) / UDP(sport=1, dport=7), 7)
f_out6("ah", down6(UE6) / AH(spi=0x2000) / UDP(sport=1, dport=7))
f_out6("ah, too many extension headers", down6(UE6) / hop / dest / dest / dest / dest / dest / dest / AH(spi=0x2000),
       reason=NO_PDR)
f_out6("none", down6(UE6) / UDP(sport=1, dport=7), reason=NO_PDR)

out6("buffered", down6(NET6 + "30::1") / udp, reason="buffered")
out6("buffered, hop limit 1", down6(NET6 + "30::1", hlim=1) / udp, reason="TTL expired")
in6("counted", up6(NET6 + "31::1") / udp, 39)
out6("counted", down6(NET6 + "31::1") / udp, 40, None)
in6("quota used up", up6(NET6 + "32::1") / udp, 41, reason="quota used up")
out6("quota used up", down6(NET6 + "32::1") / udp, reason="quota used up")
in6("mbr", up6(NET6 + "33::1") / udp, 43, 4)
out6("mbr", down6(NET6 + "33::1") / udp, 44, 4)
out6("far drop", down6(NET6 + "34::1") / udp, reason="FAR drop")
in6("far drop", up6(NET6 + "34::1") / udp, 45, reason="FAR drop")

# ECN, RFC 6040: figure 4 of it, by the T-PDU's field and the outer header's, and figure 3.
NOT, ECT0, ECT1, CE = 0, 2, 1, 3
FIELDS = {NOT: "not-ect", ECT0: "ect(0)", ECT1: "ect(1)", CE: "ce"}
FIGURE4 = {NOT: (NOT, NOT, NOT, None), ECT0: (ECT0, ECT0, ECT1, CE), ECT1: (ECT1, ECT1, ECT1, CE), CE: (CE, CE, CE, CE)}
for mine, row in FIGURE4.items():
    for theirs, left in zip((NOT, ECT0, ECT1, CE), row):
        for family, inner in (("", lambda e: up(tos=0xb8 | e)), ("ipv6 ", lambda e: up6(tc=0xb8 | e) / udp)):
            frame = with_psc(inner(mine), 25 if family else 1, tos=0x28 | theirs)
            sent = None if left is None else sent6_n6(inner(left)) if family else sent_n6(inner(left))
            add(f"{family}ecn {FIELDS[mine]} in {FIELDS[theirs]}", "n3", frame, "drop" if sent is None else "redirect",
                sent, "congestion without ECN" if sent is None else "")
    add(f"ecn {FIELDS[mine]}", "n6", n6(down(tos=0xb8 | mine)), "redirect", sent_n3(down(tos=0xb8 | mine), 2, 1))
    out6(f"ecn {FIELDS[mine]}", down6(tc=0xb8 | mine) / udp)

for c in cases:
    c["name"] = c["program"] + " " + c["name"]
print("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]")
