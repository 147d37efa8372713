#!/usr/bin/env python3
"""Frames of an intermediate UPF, as scapy builds them, for relay_test.go.

Run in this folder: python3 relay.py > relay.txt
A line is a name, the frame that comes in by N3 or N6, and what leaves; "-" for nothing."""
from scapy.all import IP, UDP, Ether, Raw, ICMPv6ND_RS, IPv6
from scapy.contrib.gtp import GTP_U_Header, GTPPDUSessionContainer

ME, PEER = "02:00:00:00:03:01", "02:00:00:00:03:02"
N6, DN = "02:00:00:00:06:01", "02:00:00:00:06:02"
UPF, OTHER = "192.0.2.1", "192.0.2.2"


def packet(src="10.45.0.2", dst="198.51.100.9", ttl=64, tos=0):
    return IP(src=src, dst=dst, ttl=ttl, id=7, tos=tos) / UDP(sport=1234, dport=1234) / Raw(b"through two UPFs")


def gpdu(teid, inner, way, qfi=None, rqi=0):
    if qfi is None:
        return GTP_U_Header(teid=teid, gtp_type=255) / inner
    return GTP_U_Header(teid=teid, gtp_type=255, E=1, next_ex=0x85) / GTPPDUSessionContainer(type=way, QFI=qfi, RQI=rqi) / inner


def into(g, tos=0):
    return Ether(src=PEER, dst=ME) / IP(src=OTHER, dst=UPF, id=3, tos=tos) / UDP(sport=2152, dport=2152) / g


def out(g, tos=0):
    ip = IP(src=UPF, dst=OTHER, id=0, tos=tos) / UDP(sport=2152, dport=2152, chksum=0) / g
    return Ether(src=ME, dst=PEER) / ip


def back(ttl=64):
    return packet("198.51.100.9", "10.45.0.2", ttl)


UP, DOWN = 1, 0
CASES = {
    "uplink keeps its QFI": (into(gpdu(0x10, packet(), UP, 5)), out(gpdu(0x20, packet(), UP, 5))),
    "uplink without a QFI": (into(gpdu(0x10, packet(), UP)), out(gpdu(0x20, packet(), UP))),
    "the TTL stays": (into(gpdu(0x10, packet(ttl=1), UP, 5)), out(gpdu(0x20, packet(ttl=1), UP, 5))),
    "downlink keeps QFI and RQI": (into(gpdu(0x11, back(), DOWN, 9, 1)), out(gpdu(0x21, back(), DOWN, 9, 1))),
    "downlink of another UE": (into(gpdu(0x11, packet("198.51.100.9", "10.45.0.3"), DOWN, 9)), None),
    "uplink of another UE": (into(gpdu(0x10, packet("10.45.0.3"), UP, 5)), None),
    "to another N9": (into(gpdu(0x10, packet(dst="203.0.113.9"), UP, 5)), out(gpdu(0x30, packet(dst="203.0.113.9"), UP, 7))),
    "congestion before": (into(gpdu(0x10, packet(tos=2), UP, 5), 3), out(gpdu(0x20, packet(tos=3), UP, 5), 3)),
    "congestion on the way": (into(gpdu(0x10, packet(tos=3), UP, 5), 2), out(gpdu(0x20, packet(tos=3), UP, 5), 3)),
    "congestion of what knows no ECN": (into(gpdu(0x10, packet(), UP, 5), 3), None),
    "to N6 here": (into(gpdu(0x10, packet(dst="198.51.100.2"), UP, 5)), Ether(src=N6, dst=DN) / packet(dst="198.51.100.2", ttl=63)),
}

for name, (frame, sent) in CASES.items():
    print(name.replace(" ", "_"), bytes(frame).hex(), bytes(sent).hex() if sent is not None else "-")
