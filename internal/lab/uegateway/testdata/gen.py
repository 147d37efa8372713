#!/usr/bin/env python3
"""Frames for the tests of the gNB's programs: what goes in, the verdict, what comes out,
and why it is dropped. Every octet is scapy's. Run: python3 gen.py > frames.json

The UEs that the frames belong to are in frames_test.go."""
import json

from scapy.all import (ARP, IP, TCP, UDP, Ether, ICMPv6EchoRequest, ICMPv6MLReport2, ICMPv6ND_NS, IPOption_NOP, IPv6,
                       IPv6ExtHdrDestOpt, IPv6ExtHdrFragment, Raw)
from scapy.contrib.gtp import GTP_U_Header, GTPPDUSessionContainer

# Interfaces: the UE's, the gNB's towards it, the gNB's N3, the UPF's N3.
UE, GNB_UE, GNB, UPF = (f"02:00:00:00:01:0{n}" for n in range(1, 5))
GNB_IP, UPF_IP, DN_IP, UE1, UE2 = "192.0.2.2", "192.0.2.1", "198.51.100.2", "10.45.0.2", "10.45.0.3"
# UE 1 has both families, UE 2 IPv4 and UE 3 IPv6. Any address of a UE's prefix is the UE's.
DN6, UE1_6, UE1_OTHER, UE3_6 = "2001:db8:6::2", "2001:db8:45:1::2", "2001:db8:45:1:a:b:c:d", "2001:db8:45:3::2"
cases = []


def add(name, program, frame, verdict, out=None, reason=""):
    cases.append(dict(name=name, program=program, frame=bytes(frame).hex(), verdict=verdict,
                      out=bytes(out).hex() if out is not None else "", reason=reason))


def text(size):
    return Raw(bytes(n & 255 for n in range(size)))


def ip(src, dst, size=32, **kw):
    return IP(src=src, dst=dst, ttl=64, id=7, **kw) / UDP(sport=1234, dport=80) / text(size)


def ip6(src, dst, size=32, **kw):
    return IPv6(src=src, dst=dst, hlim=64, fl=0x12345, **kw) / UDP(sport=1234, dport=80) / text(size)


def from_ue(inner):
    return Ether(src=UE, dst=GNB_UE) / inner


def sent(inner, teid, qfi):
    """What the gNB sends: no fragments, no UDP checksum, an UL PDU SESSION INFORMATION."""
    return (Ether(src=GNB, dst=UPF) / IP(src=GNB_IP, dst=UPF_IP, id=0, flags="DF", ttl=64)
            / UDP(sport=2152, dport=2152, chksum=0)
            / GTP_U_Header(teid=teid, gtp_type=255, E=1, next_ex=0x85)
            / GTPPDUSessionContainer(type=1, QFI=qfi) / inner)


def n3(payload, port=2152, **kw):
    fields = dict(src=UPF_IP, dst=GNB_IP, id=3)
    fields.update(kw)
    return Ether(src=UPF, dst=GNB) / IP(**fields) / UDP(sport=2152, dport=port) / payload


def gpdu(inner, teid=2, qfi=5, **kw):
    return n3(GTP_U_Header(teid=teid, gtp_type=255, E=1, next_ex=0x85) / GTPPDUSessionContainer(type=0, QFI=qfi) / inner, **kw)


def got(inner):
    """What the UE gets: the Ethernet source stays the UPF's."""
    return Ether(src=UPF, dst=UE) / inner


def uplink():
    one = ip(UE1, DN_IP)
    add("UDP of UE 1", "ue", from_ue(one), "redirect", sent(one, 0x11223344, 5))
    two = IP(src=UE2, dst=DN_IP, tos=0xb8) / TCP(sport=1, dport=2, flags="S", options=[("MSS", 1460)])
    add("TCP of UE 2", "ue", from_ue(two), "redirect", sent(two, 3, 63))
    options = ip(UE1, DN_IP, options=[IPOption_NOP()] * 4)
    add("IP options", "ue", from_ue(options), "redirect", sent(options, 0x11223344, 5))
    tail = IP(src=UE1, dst=DN_IP, frag=185, proto=17) / text(100)
    add("a fragment of the UE's", "ue", from_ue(tail), "redirect", sent(tail, 0x11223344, 5))
    full = ip(UE1, DN_IP, size=1500 - 28)
    add("as long as fits", "ue", from_ue(full), "redirect", sent(full, 0x11223344, 5))
    add("one octet too long", "ue", from_ue(ip(UE1, DN_IP, size=1501 - 28)), "drop", reason="TOO_BIG")
    add("nobody's address", "ue", from_ue(ip("10.45.0.9", DN_IP)), "drop", reason="UNKNOWN_UE")
    add("neither IPv4 nor IPv6", "ue", Ether(src=UE, dst=GNB_UE, type=0x88b5) / text(60), "drop", reason="NOT_IP")
    add("IPv4 in a frame of IPv6", "ue", Ether(src=UE, dst=GNB_UE, type=0x86dd) / one / text(20), "drop", reason="NOT_IP")
    add("ARP", "ue", Ether(src=UE, dst="ff:ff:ff:ff:ff:ff") / ARP(psrc=UE1, pdst=DN_IP), "pass")


def uplink6():
    one = ip6(UE1_6, DN6)
    add("IPv6 of UE 1", "ue", from_ue(one), "redirect", sent(one, 0x11223344, 5))
    other = ip6(UE1_OTHER, DN6)
    add("IPv6 of another address of UE 1's prefix", "ue", from_ue(other), "redirect", sent(other, 0x11223344, 5))
    three = IPv6(src=UE3_6, dst=DN6, tc=0xb8) / TCP(sport=1, dport=2, flags="S", options=[("MSS", 1440)])
    add("IPv6 TCP of UE 3", "ue", from_ue(three), "redirect", sent(three, 5, 9))
    ping = IPv6(src=UE3_6, dst=DN6) / ICMPv6EchoRequest(id=1, seq=2) / text(8)
    add("ICMPv6 of UE 3", "ue", from_ue(ping), "redirect", sent(ping, 5, 9))
    options = IPv6(src=UE1_6, dst=DN6) / IPv6ExtHdrDestOpt() / UDP(sport=1, dport=2) / text(32)
    add("IPv6 with an extension header", "ue", from_ue(options), "redirect", sent(options, 0x11223344, 5))
    tail = IPv6(src=UE1_6, dst=DN6) / IPv6ExtHdrFragment(nh=17, offset=181, id=7) / text(100)
    add("a fragment of IPv6", "ue", from_ue(tail), "redirect", sent(tail, 0x11223344, 5))
    empty = IPv6(src=UE1_6, dst=DN6, nh=59)
    add("IPv6 without a payload", "ue", from_ue(empty), "redirect", sent(empty, 0x11223344, 5))
    full = ip6(UE1_6, DN6, size=1500 - 48)
    add("IPv6 as long as fits", "ue", from_ue(full), "redirect", sent(full, 0x11223344, 5))
    add("IPv6 one octet too long", "ue", from_ue(ip6(UE1_6, DN6, size=1501 - 48)), "drop", reason="TOO_BIG")
    add("IPv6 from nobody's prefix", "ue", from_ue(ip6("2001:db8:45:9::2", DN6)), "drop", reason="UNKNOWN_UE")
    add("IPv6 of a prefix that begins as UE 2's IPv4 address", "ue", from_ue(ip6("a2d:3::2", DN6)), "drop", reason="UNKNOWN_UE")
    add("IPv6 from a link-local address", "ue", from_ue(ip6("fe80::1", DN6)), "drop", reason="UNKNOWN_UE")
    report = IPv6(src="::", dst="ff02::16", hlim=1) / ICMPv6MLReport2()
    add("a report of a listener", "ue", from_ue(report), "pass")
    ask = IPv6(src="fe80::1", dst="ff02::1:ff84:1", hlim=255) / ICMPv6ND_NS(tgt="fe80::84:1")
    add("a Neighbour Solicitation", "ue", from_ue(ask), "pass")


def downlink6():
    one = ip6(DN6, UE1_6)
    add("IPv6 for UE 1", "n3", gpdu(one), "redirect", got(one))
    other = ip6(DN6, UE1_OTHER)
    add("IPv6 for another address of UE 1's prefix", "n3", gpdu(other), "redirect", got(other))
    add("IPv6 without an extension header of GTP-U", "n3", n3(GTP_U_Header(teid=2, gtp_type=255) / one), "redirect", got(one), reason="other QFI")
    add("IPv6 with a sequence number", "n3", n3(GTP_U_Header(teid=2, gtp_type=255, S=1, seq=9) / one), "redirect", got(one), reason="other QFI")
    tcp = IPv6(src=DN6, dst=UE3_6) / TCP(sport=80, dport=5) / text(1000)
    add("IPv6 TCP for UE 3", "n3", gpdu(tcp, teid=6, qfi=9), "redirect", got(tcp))
    empty = IPv6(src=DN6, dst=UE1_6, nh=59)
    add("IPv6 without a payload", "n3", gpdu(empty), "redirect", got(empty))
    add("IPv6 for a UE of IPv4", "n3", gpdu(one, teid=4, qfi=63), "drop", reason="WRONG_UE")
    add("IPv6 for another UE", "n3", gpdu(ip6(DN6, UE3_6)), "drop", reason="WRONG_UE")
    add("IPv4 for a UE of IPv6", "n3", gpdu(ip(DN_IP, UE1), teid=6, qfi=9), "drop", reason="WRONG_UE")
    add("IPv6 cut off inside", "n3", gpdu(ip6(DN6, UE1_6, plen=400)), "drop", reason="MALFORMED")
    add("half an IPv6 header", "n3", gpdu(Raw(bytes(one)[:30])), "drop", reason="MALFORMED")
    add("a T-PDU of IP version 5", "n3", gpdu(Raw(b"\x55" + bytes(59))), "drop", reason="MALFORMED")
    add("no T-PDU", "n3", n3(GTP_U_Header(teid=2, gtp_type=255, E=1, next_ex=0x85, length=8) / GTPPDUSessionContainer(type=0, QFI=5)),
        "drop", reason="MALFORMED")


def downlink():
    one = ip(DN_IP, UE1)
    add("PDU session container", "n3", gpdu(one), "redirect", got(one))
    add("another QFI", "n3", gpdu(one, qfi=9), "redirect", got(one), reason="other QFI")
    add("no extension header", "n3", n3(GTP_U_Header(teid=2, gtp_type=255) / one), "redirect", got(one), reason="other QFI")
    add("sequence number", "n3", n3(GTP_U_Header(teid=2, gtp_type=255, S=1, seq=9) / one), "redirect", got(one), reason="other QFI")
    add("TCP for UE 2", "n3", gpdu(IP(src=DN_IP, dst=UE2) / TCP(sport=80, dport=5) / text(1000), teid=4, qfi=63), "redirect",
        got(IP(src=DN_IP, dst=UE2) / TCP(sport=80, dport=5) / text(1000)))
    add("outer IP options", "n3", gpdu(one, options=[IPOption_NOP()] * 4), "redirect", got(one))
    add("no such TEID", "n3", gpdu(one, teid=99), "drop", reason="UNKNOWN_TEID")
    add("TEID of another gNB address", "n3", gpdu(one, dst="192.0.2.9"), "drop", reason="UNKNOWN_TEID")
    add("another UE's packet", "n3", gpdu(ip(DN_IP, UE2)), "drop", reason="WRONG_UE")
    add("cut off inside", "n3", gpdu(IP(src=DN_IP, dst=UE1, len=400) / UDP() / text(32)), "drop", reason="MALFORMED")
    add("GTP-U length too long", "n3", n3(GTP_U_Header(teid=2, gtp_type=255, length=999) / one), "drop", reason="MALFORMED")
    add("GTP version 2", "n3", n3(GTP_U_Header(version=2, teid=2, gtp_type=255) / one), "drop", reason="MALFORMED")
    add("extension of no length", "n3", n3(GTP_U_Header(teid=2, gtp_type=255, E=1, next_ex=0x85) / Raw(bytes(8)) / one), "drop", reason="MALFORMED")
    add("an outer fragment", "n3", gpdu(one, flags="MF"), "drop", reason="FRAGMENT")
    add("Echo Request", "n3", n3(GTP_U_Header(teid=0, gtp_type=1, S=1, seq=1)), "pass")
    add("End Marker", "n3", n3(GTP_U_Header(teid=2, gtp_type=254)), "pass")
    add("another UDP port", "n3", n3(text(40), port=9), "pass")
    add("TCP to the gNB", "n3", Ether(src=UPF, dst=GNB) / IP(src=UPF_IP, dst=GNB_IP) / TCP(), "pass")
    add("ARP", "n3", Ether(src=UPF, dst="ff:ff:ff:ff:ff:ff") / ARP(psrc=UPF_IP, pdst=GNB_IP), "pass")


uplink()
downlink()
uplink6()
downlink6()
print("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]")
