#!/usr/bin/env python3
"""Frames for the tests of sink and generator. Every octet of headers and
checksums is scapy's; a signature is packed here. Run:

    python3 gen.py          writes sink.json and generator.json

What a sink expects by flow name is in flows_test.go."""
import json
import struct

from scapy.all import ARP, ICMP, IP, TCP, UDP, Ether, IPOption_NOP, IPv6, Raw
from scapy.contrib.gtp import GTP_U_Header, GTPPDUSessionContainer

N3, GNB = "02:75:70:66:03:02", "02:75:70:66:03:01"
N6, DN = "02:75:70:66:06:02", "02:75:70:66:06:01"
UPF_IP, GNB_IP, DN_IP = "192.168.13.151", "192.168.13.131", "192.168.16.152"
UES = ["10.45.0.2", "10.45.0.3", "10.45.1.200"]
UES6 = ["2001:db8:45:1::2", "2001:db8:45:2::2", "2001:db8:45:fffe::2"]
DN_IP6 = "2001:db8:6::2"
UPF_IP6, GNB_IP6 = "2001:db8:13::2", "2001:db8:13::1"
UL_TEID = [1, 0x12345678, 0xFFFFFFFE]
DL_TEID = [2, 0x87654321, 0xFFFFFFFF]
SIZE, TRIAL, QFI = 200, 2, 1


def signature(stream=0, seq=0, trial=TRIAL, magic=0x7566, intended=1_000_000, sent=1_000_500):
    return struct.pack("<HHIQQQ", magic, trial, stream, seq, intended, sent)


def payload(size=SIZE, **kw):
    return Raw(signature(**kw) + b"x" * (size - 32))


def inner(up, stream=0, ip=None, udp=None, size=SIZE, v6=False, number=None, **kw):
    ues, dn, header = (UES6, DN_IP6, IPv6) if v6 else (UES, DN_IP, IP)
    ends = dict(src=ues[stream % 3], dst=dn) if up else dict(src=dn, dst=ues[stream % 3])
    head = header(**{**ends, **(ip or {})}) / UDP(**{**dict(sport=1234, dport=1234), **(udp or {})})
    return head / payload(size=size, stream=stream if number is None else number, **kw)


def patched(frame, offset, value):
    """The frame with octets changed and no checksum made good."""
    b = bytearray(bytes(frame))
    b[offset % len(b):offset % len(b) + len(value)] = value
    return bytes(b)


def plain(up=True, eth=None, **kw):
    """As it arrives at the data network."""
    return Ether(**{**dict(src=N6, dst=DN), **(eth or {})}) / inner(up, **kw)


def psc(kind=0, qfi=QFI, **kw):
    return GTPPDUSessionContainer(type=kind, QFI=qfi, **kw)


def tunnel(ext=None, stream=0, teid=None, outer=None, outer_udp=None, gtp=None, eth=None, up=False, n36=False, **kw):
    """As it arrives at the gNB; ext None: a plain 8-octet header; n36: over IPv6."""
    ends, header = (dict(src=UPF_IP6, dst=GNB_IP6), IPv6) if n36 else (dict(src=UPF_IP, dst=GNB_IP), IP)
    g = GTP_U_Header(**{**dict(teid=DL_TEID[stream % 3] if teid is None else teid), **(gtp or {})})
    if ext is not None:
        g = g / ext
    return (Ether(**{**dict(src=N3, dst=GNB), **(eth or {})})
            / header(**{**ends, **(outer or {})})
            / UDP(**{**dict(sport=2152, dport=2152), **(outer_udp or {})}) / g / inner(up, stream=stream, **kw))


def uplink_as_sent(stream=0, eth=None, n36=False, outer=None, **kw):
    """What a wire leaves at the data network: the generator's G-PDU."""
    ends = dict(src=GNB_IP6, dst=UPF_IP6) if n36 else dict(src=GNB_IP, dst=UPF_IP)
    return tunnel(psc(1), stream=stream, teid=UL_TEID[stream % 3], outer={**ends, **(outer or {})}, n36=n36,
                  eth={**dict(src=N6, dst=DN), **(eth or {})}, up=True, **kw)


cases = []


def case(name, flow, frames, **want):
    frames = frames if isinstance(frames, list) else [frames]
    cases.append(dict(name=name, flow=flow, frames=[bytes(f).hex() for f in frames], **want))


def right(name, flow, frame):
    case(name, flow, frame, rx=1)


def wrong(name, reason, flow, frame):
    case(name, flow, frame, wrong=reason)


U, D, P = "uplink", "downlink", "downlink without PSC"

# Right ones. Scapy computed the inner checksums: that they are accepted proves ours.
right("decapsulated", U, plain())
right("decapsulated, a hop later", U, plain(ip=dict(ttl=63)))
right("decapsulated, stream 1", U, plain(stream=1, seq=3))
right("decapsulated, stream 2, large numbers", U,
      plain(stream=2, seq=2**40 + 5, intended=0x1122334455, sent=0x1122334466))
right("G-PDU with PSC", D, tunnel(psc()))
right("G-PDU with PSC, a hop later", D, tunnel(psc(), ip=dict(ttl=63)))
right("G-PDU with PSC, stream 2", D, tunnel(psc(), stream=2))
right("G-PDU with PSC, no outer UDP checksum", D, tunnel(psc(), outer_udp=dict(chksum=0)))
right("G-PDU with PSC, a hashed outer source port", D, tunnel(psc(), outer_udp=dict(sport=51234)))
right("G-PDU with PSC and a sequence number", D, tunnel(psc(), gtp=dict(S=1, seq=77)))
right("G-PDU without PSC", P, tunnel())
right("G-PDU without PSC, S flag", P, tunnel(gtp=dict(S=1, seq=77)))
right("wire, uplink unchanged", "wire uplink", uplink_as_sent())
right("wire, uplink unchanged, stream 1", "wire uplink", uplink_as_sent(stream=1))
right("wire, downlink unchanged", "wire downlink", plain(up=False, eth=dict(src=N3, dst=GNB)))

# DF: the identification means nothing.
FU, FD = "uplink DF", "downlink DF"
right("DF, decapsulated", FU, plain(ip=dict(flags="DF")))
right("DF, decapsulated, another identification", FU, plain(ip=dict(flags="DF", id=0x1234)))
right("DF, G-PDU", FD, tunnel(psc(), ip=dict(flags="DF")))
right("DF, G-PDU, another identification", FD, tunnel(psc(), ip=dict(flags="DF", id=0)))

wrong("sent to another MAC", "destination MAC", U, plain(eth=dict(dst="02:75:70:66:06:09")))
wrong("outer source", "outer IP header", D, tunnel(psc(), outer=dict(src="192.168.13.152")))
wrong("outer destination", "outer IP header", D, tunnel(psc(), outer=dict(dst="192.168.13.132")))
wrong("outer header checksum", "outer IP header", D, tunnel(psc(), outer=dict(chksum=0x1234)))
wrong("outer total length", "outer IP header", D, tunnel(psc(), outer=dict(len=100)))
wrong("outer UDP length", "outer UDP header", D, tunnel(psc(), outer_udp=dict(len=100)))
wrong("no G-PDU but an end marker", "GTP-U header", D, tunnel(psc(), gtp=dict(gtp_type=254)))
wrong("GTP version 2", "GTP-U header", D, tunnel(psc(), gtp=dict(version=2)))
wrong("GTP'", "GTP-U header", D, tunnel(psc(), gtp=dict(PT=0)))
wrong("GTP length", "GTP-U header", D, tunnel(psc(), gtp=dict(length=9)))
wrong("a PSC of 8 octets", "GTP-U header", D, tunnel(Raw(bytes([2, 0, QFI, 0, 0, 0, 0, 0])), gtp=dict(E=1, next_ex=0x85)))
wrong("a second extension header", "GTP-U header", D, tunnel(psc(NextExtHdr=0x40)))
wrong("another session's TEID", "TEID", D, tunnel(psc(), teid=DL_TEID[1]))
wrong("the uplink TEID", "TEID", D, tunnel(psc(), teid=UL_TEID[0]))
wrong("no extension header", "no PDU session container", D, tunnel())
wrong("S flag only", "no PDU session container", D, tunnel(gtp=dict(S=1, seq=1)))
wrong("another QFI", "QFI", D, tunnel(psc(qfi=9)))
wrong("an uplink PSC", "QFI", D, tunnel(psc(kind=1)))
wrong("another QFI where no PSC is asked for", "QFI", P, tunnel(psc(qfi=9)))
wrong("plain at the gNB", "not encapsulated", D, plain(up=False, eth=dict(src=N3, dst=GNB)))
wrong("G-PDU at the data network", "still encapsulated", U, uplink_as_sent())
wrong("TTL 59", "inner IP header", U, plain(ip=dict(ttl=59)))
wrong("TTL 65", "inner IP header", U, plain(ip=dict(ttl=65)))
wrong("a DSCP", "inner IP header", U, plain(ip=dict(tos=0xb8)))
wrong("another identification", "inner IP header", U, plain(ip=dict(id=2)))
wrong("DF that was not sent", "inner IP header", U, plain(ip=dict(flags="DF")))
wrong("DF that is gone", "inner IP header", FU, plain())
wrong("DF that is gone, G-PDU", "inner IP header", FD, tunnel(psc()))
wrong("DF and more fragments", "inner IP header", FU, plain(ip=dict(flags="DF+MF")))
wrong("more fragments", "inner IP header", U, plain(ip=dict(flags="MF")))
wrong("inner header checksum", "inner IP header", U, plain(ip=dict(chksum=0x1234)))
wrong("TTL 63 with the checksum of 64", "inner IP header", U, patched(plain(), 14 + 8, b"\x3f"))
wrong("another UE", "inner address", U, plain(ip=dict(src="10.45.0.9")))
wrong("a translated destination", "inner address", U, plain(ip=dict(dst="192.168.16.153")))
wrong("another UE in a G-PDU", "inner address", D, tunnel(psc(), ip=dict(dst=UES[1])))
wrong("inner source port", "inner UDP header", U, plain(udp=dict(sport=1235)))
wrong("inner destination port", "inner UDP header", U, plain(udp=dict(dport=1235)))
wrong("inner UDP length", "inner UDP header", U, plain(udp=dict(len=100)))
wrong("inner UDP checksum", "inner UDP checksum", U, plain(udp=dict(chksum=0x1234)))
wrong("inner UDP checksum 0", "inner UDP checksum", U, plain(udp=dict(chksum=0)))
wrong("inner UDP checksum in a G-PDU", "inner UDP checksum", D, tunnel(psc(), udp=dict(chksum=0x1234)))
wrong("the payload's last octet, frame sampled", "payload", U, patched(plain(seq=64), -1, b"y"))
wrong("an octet in the middle, frame sampled", "payload", D, patched(tunnel(psc(), seq=128), -90, b"\x00"))
right("an octet in the middle, frame not sampled", D, patched(tunnel(psc(), seq=1), -90, b"\x00"))
wrong("cut short, every header right", "payload", U, bytes(plain(seq=1))[:-60])
wrong("octets behind the packet", "payload", U, bytes(plain(seq=1)) + b"\x00" * 4)
wrong("another magic number", "signature", U, plain(magic=0x6675))
wrong("a stream that is not", "signature", U, plain(stream=3))
wrong("a stream far beyond", "signature", D, tunnel(psc(), stream=2**32 - 2))

# UEs with IPv6 (RFC 8200), and those with both families: their IPv4 address has stream 2 n, IPv6 2 n + 1.
U6, D6, P6 = "uplink IPv6", "downlink IPv6", "downlink without PSC IPv6"
UB, DB = "uplink both", "downlink both"
right("IPv6, decapsulated", U6, plain(v6=True))
right("IPv6, decapsulated, a hop later", U6, plain(v6=True, ip=dict(hlim=63)))
right("IPv6, decapsulated, stream 2, large numbers", U6,
      plain(v6=True, stream=2, seq=2**40 + 5, intended=0x1122334455, sent=0x1122334466))
right("IPv6, G-PDU with PSC", D6, tunnel(psc(), v6=True))
right("IPv6, G-PDU with PSC, stream 1", D6, tunnel(psc(), v6=True, stream=1, seq=64))
right("IPv6, G-PDU without PSC", P6, tunnel(v6=True))
right("IPv6, wire, uplink unchanged", "wire uplink IPv6", uplink_as_sent(v6=True, stream=1))
right("IPv6, wire, downlink unchanged", "wire downlink IPv6", plain(up=False, v6=True, eth=dict(src=N3, dst=GNB)))
right("both, decapsulated IPv4", UB, plain(stream=1, number=2))
right("both, decapsulated IPv6", UB, plain(stream=1, number=3, v6=True))
right("both, G-PDU of IPv4", DB, tunnel(psc(), stream=2, number=4))
right("both, G-PDU of IPv6", DB, tunnel(psc(), stream=2, number=5, v6=True))
case("both, families in turn", UB,
     [plain(stream=n // 2, number=n, v6=n % 2 == 1, seq=s) for s in range(3) for n in range(6)], rx=18)
wrong("IPv6, sent to another MAC", "destination MAC", U6, plain(v6=True, eth=dict(dst="02:75:70:66:06:09")))
wrong("IPv6, plain at the gNB", "not encapsulated", D6, plain(up=False, v6=True, eth=dict(src=N3, dst=GNB)))
wrong("IPv6, G-PDU at the data network", "still encapsulated", U6, uplink_as_sent(v6=True))
wrong("IPv6, hop limit 59", "inner IP header", U6, plain(v6=True, ip=dict(hlim=59)))
wrong("IPv6, hop limit 65", "inner IP header", D6, tunnel(psc(), v6=True, ip=dict(hlim=65)))
wrong("IPv6, a traffic class", "inner IP header", U6, plain(v6=True, ip=dict(tc=0xb8)))
wrong("IPv6, a flow label", "inner IP header", D6, tunnel(psc(), v6=True, ip=dict(fl=0x12345)))
wrong("IPv6, payload length", "inner IP header", U6, plain(v6=True, ip=dict(plen=100), udp=dict(len=8 + SIZE)))
wrong("IPv6, another next header in a G-PDU", "inner IP header", D6, patched(tunnel(psc(), v6=True), 58 + 6, b"\x3c"))
wrong("IPv6, version 5 in a G-PDU", "inner IP header", D6, patched(tunnel(psc(), v6=True), 58, b"\x50"))
wrong("IPv6, another prefix", "inner address", U6, plain(v6=True, ip=dict(src=UES6[1])))
wrong("IPv6, another interface identifier", "inner address", D6, tunnel(psc(), v6=True, ip=dict(dst="2001:db8:45:1::3")))
wrong("IPv6, another pool", "inner address", U6, plain(v6=True, ip=dict(src="2001:db9:45:1::2")))
wrong("IPv6, a translated destination", "inner address", U6, plain(v6=True, ip=dict(dst="2001:db8:6::3")))
wrong("IPv6, inner source port", "inner UDP header", U6, plain(v6=True, udp=dict(sport=1235)))
wrong("IPv6, inner UDP length", "inner UDP header", U6, plain(v6=True, udp=dict(len=100), ip=dict(plen=8 + SIZE)))
wrong("IPv6, inner UDP checksum", "inner UDP checksum", U6, plain(v6=True, udp=dict(chksum=0x1234)))
wrong("IPv6, inner UDP checksum 0", "inner UDP checksum", D6, tunnel(psc(), v6=True, udp=dict(chksum=0)))
wrong("IPv6, another session's TEID", "TEID", D6, tunnel(psc(), v6=True, teid=DL_TEID[1]))
wrong("IPv6, the payload's last octet, frame sampled", "payload", U6, patched(plain(v6=True, seq=64), -1, b"y"))
wrong("IPv6, cut short, every header right", "payload", U6, bytes(plain(v6=True, seq=1))[:-60])
wrong("IPv6, another magic number", "signature", U6, plain(v6=True, magic=0x6675))
wrong("both, IPv6 with IPv4's number", "inner IP header", UB, plain(stream=1, number=2, v6=True))
wrong("both, IPv4 with IPv6's number", "inner IP header", DB, tunnel(psc(), stream=1, number=3))
case("both, IPv6 without UDP", UB, Ether(src=N6, dst=DN) / IPv6(nh=59) / Raw(b"x" * 56), foreign=1)
case("IPv6, other UDP", U6, Ether(src=N6, dst=DN) / IPv6(src=UES6[0], dst=DN_IP6) / UDP(dport=53) / Raw(b"q" * 80), foreign=1)
case("IPv6, too short for a signature", U6,
     Ether(src=N6, dst=DN) / IPv6(src=UES6[0], dst=DN_IP6) / UDP(dport=1234) / Raw(b"x" * 8), foreign=1)
case("IPv6, the warm-up's", U6, plain(v6=True, trial=TRIAL - 1), stale=1)

# N3 over IPv6, of UEs with IPv4, IPv6 and both.
T = "tunnel6 "
right("over IPv6, decapsulated", T + U, plain())
right("over IPv6, decapsulated IPv6", T + U6, plain(v6=True))
for name, flow, kw in (("IPv4", D, {}), ("IPv6", D6, dict(v6=True))):
    t6 = {**kw, "n36": True}
    right(f"over IPv6, {name}, G-PDU with PSC", T + flow, tunnel(psc(), **t6))
    right(f"over IPv6, {name}, stream 2, a hop later, large numbers", T + flow,
          tunnel(psc(), stream=2, ip={"hlim" if kw else "ttl": 63}, seq=2**40 + 5, intended=0x1122334455, sent=0x1122334466, **t6))
    right(f"over IPv6, {name}, a hashed outer source port, a flow label", T + flow,
          tunnel(psc(), outer_udp=dict(sport=51234), outer=dict(fl=0x12345, hlim=255, tc=0xb8), **t6))
    right(f"over IPv6, {name}, PSC and a sequence number", T + flow, tunnel(psc(), gtp=dict(S=1, seq=77), **t6))
    wrong(f"over IPv6, {name}, outer source", "outer IP header", T + flow, tunnel(psc(), outer=dict(src="2001:db8:13::3"), **t6))
    wrong(f"over IPv6, {name}, outer destination", "outer IP header", T + flow, tunnel(psc(), outer=dict(dst="2001:db8:13::3"), **t6))
    wrong(f"over IPv6, {name}, outer destination of another subnet", "outer IP header", T + flow,
          tunnel(psc(), outer=dict(dst="2001:db8:14::1"), **t6))
    wrong(f"over IPv6, {name}, outer payload length", "outer IP header", T + flow, tunnel(psc(), outer=dict(plen=100), **t6))
    wrong(f"over IPv6, {name}, outer UDP length", "outer UDP header", T + flow, tunnel(psc(), outer_udp=dict(len=100), **t6))
    wrong(f"over IPv6, {name}, outer UDP checksum 0", "outer UDP header", T + flow, tunnel(psc(), outer_udp=dict(chksum=0), **t6))
    wrong(f"over IPv6, {name}, outer UDP checksum", "outer UDP header", T + flow, tunnel(psc(), outer_udp=dict(chksum=0x1234), **t6))
    wrong(f"over IPv6, {name}, over IPv4 all the same", "outer IP header", T + flow, tunnel(psc(), **kw))
    wrong(f"over IPv6, {name}, another session's TEID", "TEID", T + flow, tunnel(psc(), teid=DL_TEID[1], **t6))
    wrong(f"over IPv6, {name}, another QFI", "QFI", T + flow, tunnel(psc(qfi=9), **t6))
    wrong(f"over IPv6, {name}, no extension header", "no PDU session container", T + flow, tunnel(**t6))
    wrong(f"over IPv6, {name}, an end marker", "GTP-U header", T + flow, tunnel(psc(), gtp=dict(gtp_type=254), **t6))
    wrong(f"over IPv6, {name}, inner UDP checksum", "inner UDP checksum", T + flow, tunnel(psc(), udp=dict(chksum=0x1234), **t6))
    wrong(f"over IPv6, {name}, the payload's last octet, frame sampled", "payload", T + flow,
          patched(tunnel(psc(), seq=64, **t6), -1, b"y"))
    wrong(f"over IPv6, {name}, G-PDU at the data network", "still encapsulated", T + flow.replace(D, U), uplink_as_sent(**t6))
    wrong(f"over IPv6, {name}, plain at the gNB", "not encapsulated", T + flow, plain(up=False, eth=dict(src=N3, dst=GNB), **kw))
    wrong(f"over IPv6, {name}, sent to another MAC", "destination MAC", T + flow, tunnel(psc(), eth=dict(dst="02:75:70:66:03:09"), **t6))
right("over IPv6, G-PDU without PSC", T + P, tunnel(n36=True))
right("over IPv6, wire, uplink unchanged", T + "wire uplink", uplink_as_sent(stream=1, n36=True))
right("over IPv6, wire, uplink unchanged, IPv6", T + "wire uplink IPv6", uplink_as_sent(stream=1, v6=True, n36=True))
wrong("over IPv6, wire, another gNB", "outer IP header", T + "wire uplink", uplink_as_sent(n36=True, outer=dict(src="2001:db8:13::9")))
right("over IPv6, wire, downlink unchanged", T + "wire downlink", plain(up=False, eth=dict(src=N3, dst=GNB)))
right("over IPv6, both, G-PDU of IPv4", T + DB, tunnel(psc(), stream=2, number=4, n36=True))
right("over IPv6, both, G-PDU of IPv6", T + DB, tunnel(psc(), stream=2, number=5, v6=True, n36=True))
case("over IPv6, echo request", T + D, Ether(src=N3, dst=GNB) / IPv6(src=UPF_IP6, dst=GNB_IP6) / UDP(sport=2152, dport=2152)
     / GTP_U_Header(gtp_type=1, S=1, seq=1), foreign=1)
case("over IPv6, IPv6 without a tunnel", T + D, Ether(src=N3, dst=GNB) / IPv6(src=UPF_IP6, dst=GNB_IP6) / UDP(dport=53) / Raw(b"x" * 90), foreign=1)

case("ARP", U, Ether(src=N6, dst=DN) / ARP(psrc="192.168.16.151", pdst=DN_IP) / Raw(b"\0" * 18), foreign=1)
case("ICMP", U, Ether(src=N6, dst=DN) / IP(src=UES[0], dst=DN_IP) / ICMP() / Raw(b"x" * 56), foreign=1)
case("TCP", U, Ether(src=N6, dst=DN) / IP(src=UES[0], dst=DN_IP) / TCP(dport=1234) / Raw(b"x" * 56), foreign=1)
case("IPv6", U, Ether(src=N6, dst=DN) / IPv6() / UDP(dport=1234) / Raw(b"x" * 56), foreign=1)
case("IP options", U, plain(ip=dict(options=[IPOption_NOP()] * 4)), foreign=1)
case("other UDP", U, Ether(src=N6, dst=DN) / IP(src=UES[0], dst=DN_IP) / UDP(dport=53) / Raw(b"q" * 80), foreign=1)
case("too short for a signature", U,
     Ether(src=N6, dst=DN) / IP(src=UES[0], dst=DN_IP) / UDP(dport=1234) / Raw(b"x" * 8), foreign=1)
case("echo request", D, Ether(src=N3, dst=GNB) / IP(src=UPF_IP, dst=GNB_IP) / UDP(sport=2152, dport=2152)
     / GTP_U_Header(gtp_type=1, S=1, seq=1), foreign=1)

case("the warm-up's", U, plain(trial=TRIAL - 1), stale=1)
case("the trial before", D, tunnel(psc(), trial=TRIAL - 2), stale=1)
case("an old one, broken too", D, tunnel(psc(), trial=0, udp=dict(chksum=0x1234)), stale=1)

case("in order", U, [plain(seq=n) for n in range(5)], rx=5)
case("twice", U, [plain(seq=n) for n in (0, 1, 1, 2)], rx=3, duplicates=1)
case("three times, one late", U, [plain(seq=n) for n in (0, 1, 1, 2, 0)], rx=3, duplicates=2)
case("swapped", D, [tunnel(psc(), seq=n) for n in (0, 2, 1, 3)], rx=4, reordered=1)
case("one late, then again", D, [tunnel(psc(), seq=n) for n in (0, 2, 1, 3, 1)], rx=4, reordered=1, duplicates=1)
case("a gap is neither", U, [plain(seq=n) for n in (0, 700, 701)], rx=3)
case("a gap beyond the window", U, [plain(seq=n) for n in (0, 5000, 5001, 5001)], rx=3, duplicates=1)
case("streams do not mix", U, [plain(stream=s, seq=n) for n in (0, 1) for s in (0, 1, 2)], rx=6)
case("a wrong one does not use its number up", U,
     [plain(seq=0, udp=dict(chksum=0x1234)), plain(seq=0)], rx=1, wrong="inner UDP checksum")

json.dump(cases, open("sink.json", "w"), indent=1)


# What the generator sends, but for signature and inner checksum.
def sent(up, stream, size, v6, n36):
    eth = Ether(src=GNB, dst=N3) if up else Ether(src=DN, dst=N6)
    ues, dn, header = (UES6, DN_IP6, IPv6) if v6 else (UES, DN_IP, IP)
    ends = dict(src=ues[stream], dst=dn) if up else dict(src=dn, dst=ues[stream])
    packet = header(**ends) / UDP(sport=1234, dport=1234) / Raw(b"x" * size)
    if up:
        outer = IPv6(src=GNB_IP6, dst=UPF_IP6) if n36 else IP(src=GNB_IP, dst=UPF_IP)
        packet = (outer / UDP(sport=2152, dport=2152) / GTP_U_Header(teid=UL_TEID[stream])
                  / psc(1) / packet)
    return bytes(eth / packet).hex()


json.dump([dict(uplink=up, payload=size, ipv6=v6, tunnel6=n36, frames=[sent(up, s, size, v6, n36) for s in range(3)])
           for n36 in (False, True) for v6 in (False, True) for up in (True, False)[:1 if n36 else 2] for size in (32, 33, 1400)], open("generator.json", "w"), indent=1)
