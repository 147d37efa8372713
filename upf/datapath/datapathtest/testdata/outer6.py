#!/usr/bin/env python3
"""Frames over IPv6 on N3: what goes in, and what comes out; made by scapy. The sessions
are in ../outer6.go. Run: python3 outer6.py > outer6.txt

A line is a name, where the frame comes in, the frame, and what leaves, in hex, or why
nothing does."""
from scapy.all import IP, UDP, Ether, IPv6, IPv6ExtHdrFragment, Raw
from scapy.contrib.gtp import GTP_U_Header, GTPPDUSessionContainer

N3, GNB = "02:00:00:00:03:01", "02:00:00:00:03:02"
N6, DN = "02:00:00:00:06:01", "02:00:00:00:06:02"
UPF6, GNB6 = "2001:db8:3::1", "2001:db8:3::2"
DATA = Raw(bytes(n & 255 for n in range(33)))  # odd: the checksum is padded


def line(name, at, frame, out):
    print(f"{name};{at};{bytes(frame).hex()};{out if isinstance(out, str) else bytes(out).hex()}")


def aged(ip):
    ip = ip.__class__(bytes(ip))
    if ip.version == 6:
        ip.hlim -= 1
    else:
        ip.ttl -= 1
        del ip.chksum
    return bytes(ip)


def tunnel(src, dst, macs, inner, teid, qfi=None, kind=1, tc=0, **udp):
    head = GTP_U_Header(teid=teid, gtp_type=255)
    if qfi is not None:
        head = GTP_U_Header(teid=teid, gtp_type=255, E=1, next_ex=0x85) / GTPPDUSessionContainer(type=kind, QFI=qfi)
    return Ether(src=macs[0], dst=macs[1]) / IPv6(src=src, dst=dst, hlim=64, tc=tc) / UDP(sport=2152, dport=2152, **udp) / head / inner


def from_gnb(inner, teid=101, qfi=None, **udp):
    return tunnel(GNB6, UPF6, (GNB, N3), inner, teid, qfi, **udp)


def to_gnb(inner, teid, qfi=None):
    tc = (inner.tc if inner.version == 6 else inner.tos) & 3
    return tunnel(UPF6, GNB6, (N3, GNB), Raw(aged(inner)), teid, qfi, 0, tc)


def n6(inner, kind):
    return Ether(src=N6, dst=DN, type=kind) / Raw(aged(inner))


up4 = IP(src="10.45.1.2", dst="198.51.100.2", id=7) / UDP(sport=1234, dport=1234) / DATA
up6 = IPv6(src="2001:db8:45:50::9", dst="2001:db8:6::2") / UDP(sport=1234, dport=1234) / DATA
down4 = IP(src="198.51.100.2", dst="10.45.1.2", id=9) / UDP(sport=1234, dport=1234) / DATA
down6 = IPv6(src="2001:db8:6::2", dst="2001:db8:45:50::9") / UDP(sport=1234, dport=1234) / DATA
line("uplink ipv4", "n3", from_gnb(up4), n6(up4, 0x800))
line("uplink ipv6", "n3", from_gnb(up6, qfi=1), n6(up6, 0x86dd))
line("uplink, no checksum", "n3", from_gnb(up6, qfi=1, chksum=0), n6(up6, 0x86dd))
line("downlink ipv4", "n6", Ether(src=DN, dst=N6) / down4, to_gnb(down4, 102, 1))
line("downlink ipv6", "n6", Ether(src=DN, dst=N6) / down6, to_gnb(down6, 102, 1))
big = IPv6(src="2001:db8:6::2", dst="2001:db8:45:50::9") / UDP(sport=1, dport=2) / Raw(bytes(1500 - 64 - 48))
line("downlink, largest for the mtu", "n6", Ether(src=DN, dst=N6) / big, to_gnb(big, 102, 1))
line("downlink, too big", "n6", Ether(src=DN, dst=N6) / IPv6(src="2001:db8:6::2", dst="2001:db8:45:50::9") /
     UDP(sport=1, dport=2) / Raw(bytes(1501 - 64 - 48)), "too big")
line("unknown teid", "n3", from_gnb(up4, 0xabcdef), "unknown TEID")
line("to another address", "n3", tunnel(GNB6, "2001:db8:3::9", (GNB, N3), up4, 101), "pass")
line("fragment", "n3", Ether(src=GNB, dst=N3) / IPv6(src=GNB6, dst=UPF6) / IPv6ExtHdrFragment(m=1) / UDP(sport=2152, dport=2152) / DATA, "pass")
line("echo request", "n3", Ether(src=GNB, dst=N3) / IPv6(src=GNB6, dst=UPF6) / UDP(sport=2152, dport=2152) /
     GTP_U_Header(gtp_type=1, S=1, seq=5), "pass")
line("udp longer than ip", "n3", from_gnb(up4, len=500), "malformed outer header")
line("other port", "n3", Ether(src=GNB, dst=N3) / IPv6(src=GNB6, dst=UPF6) / UDP(sport=2152, dport=9) / DATA, "pass")


def ecn4(field):
    return IP(src="10.45.1.2", dst="198.51.100.2", id=7, tos=field) / UDP(sport=1234, dport=1234) / DATA


def ecn6(field):
    return IPv6(src="2001:db8:45:50::9", dst="2001:db8:6::2", tc=field) / UDP(sport=1234, dport=1234) / DATA


# RFC 6040: congestion goes to the T-PDU, and its field to the outer header.
line("ecn uplink ipv4", "n3", from_gnb(ecn4(2), tc=3), n6(ecn4(3), 0x800))
line("ecn uplink ipv6", "n3", from_gnb(ecn6(2), qfi=1, tc=3), n6(ecn6(3), 0x86dd))
line("ecn uplink ipv6, ect(1)", "n3", from_gnb(ecn6(2), qfi=1, tc=1), n6(ecn6(1), 0x86dd))
line("ecn uplink, none there", "n3", from_gnb(ecn4(0), tc=3), "congestion without ECN")
for field in (1, 2, 3):
    frame = IP(src="198.51.100.2", dst="10.45.1.2", id=9, tos=field) / UDP(sport=1234, dport=1234) / DATA
    line(f"ecn downlink ipv4, {field}", "n6", Ether(src=DN, dst=N6) / frame, to_gnb(frame, 102, 1))
    frame = IPv6(src="2001:db8:6::2", dst="2001:db8:45:50::9", tc=field) / UDP(sport=1234, dport=1234) / DATA
    line(f"ecn downlink ipv6, {field}", "n6", Ether(src=DN, dst=N6) / frame, to_gnb(frame, 102, 1))
