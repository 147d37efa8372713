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


def gpdu(teid, inner, way, qfi=None, rqi=0, **more):
    if qfi is None:
        return GTP_U_Header(teid=teid, gtp_type=255) / inner
    return GTP_U_Header(teid=teid, gtp_type=255, E=1, next_ex=0x85) / GTPPDUSessionContainer(type=way, QFI=qfi, RQI=rqi, **more) / inner


def into(g, tos=0):
    return Ether(src=PEER, dst=ME) / IP(src=OTHER, dst=UPF, id=3, tos=tos) / UDP(sport=2152, dport=2152) / g


def out(g, tos=0):
    ip = IP(src=UPF, dst=OTHER, id=0, tos=tos) / UDP(sport=2152, dport=2152, chksum=0) / g
    return Ether(src=ME, dst=PEER) / ip


def back(ttl=64):
    return packet("198.51.100.9", "10.45.0.2", ttl)


def paged(src="192.0.2.66"):
    return packet(src, "10.45.0.2")


UP, DOWN = 1, 0
# Containers with fields of those who measure from end to end, TS 38.415 clauses 5.5.2.1 and 5.5.2.2.
SENT = dict(QMP=1, dlSendTime=0x0102030405060708, SNP=1, dlQFISeqNum=0x0a0b0c, PPP=1, PPI=3)
STAMP = dict(QMP=1, dlSendTime=0x0102030405060708)
NUMBER = dict(SNP=1, dlQFISeqNum=0x0a0b0c)
MEASURED = dict(QMP=1, dlDelayInd=1, ulDelayInd=1, dlSendTimeRpt=0x1112131415161718, dlRecvTime=0x2122232425262728,
                ulSendTime=0x3132333435363738, dlDelayRslt=7, ulDelayRslt=9)


def too_long(teid):
    """A container of 68 octets, built by hand: its fields are none of a release."""
    container = bytes([17, 0x18, 5]) + bytes(range(64)) + b"\0"
    return GTP_U_Header(teid=teid, gtp_type=255, E=1, next_ex=0x85) / Raw(container + bytes(packet()))


CASES = {
    "uplink keeps its QFI": (into(gpdu(0x10, packet(), UP, 5)), out(gpdu(0x20, packet(), UP, 5))),
    "uplink without a QFI": (into(gpdu(0x10, packet(), UP)), out(gpdu(0x20, packet(), UP))),
    "the TTL stays": (into(gpdu(0x10, packet(ttl=1), UP, 5)), out(gpdu(0x20, packet(ttl=1), UP, 5))),
    "downlink keeps QFI and RQI": (into(gpdu(0x11, back(), DOWN, 9, 1)), out(gpdu(0x21, back(), DOWN, 9, 1))),
    "downlink of another UE": (into(gpdu(0x11, packet("198.51.100.9", "10.45.0.3"), DOWN, 9)), None),
    "uplink of another UE": (into(gpdu(0x10, packet("10.45.0.3"), UP, 5)), None),
    "downlink keeps its RQI under another QFI": (into(gpdu(0x11, packet("203.0.113.9", "10.45.0.2"), DOWN, 9, 1)),
                                                 out(gpdu(0x21, packet("203.0.113.9", "10.45.0.2"), DOWN, 7, 1))),
    "downlink keeps its RQI and more under another QFI": (
        into(gpdu(0x11, packet("203.0.113.9", "10.45.0.2"), DOWN, 9, 1, PPP=1, PPI=5)),
        out(gpdu(0x21, packet("203.0.113.9", "10.45.0.2"), DOWN, 7, 1, PPP=1, PPI=5))),
    "downlink without an RQI under another QFI": (into(gpdu(0x11, packet("203.0.113.9", "10.45.0.2"), DOWN, 9)),
                                                  out(gpdu(0x21, packet("203.0.113.9", "10.45.0.2"), DOWN, 7))),
    "to another N9": (into(gpdu(0x10, packet(dst="203.0.113.9"), UP, 5)), out(gpdu(0x30, packet(dst="203.0.113.9"), UP, 7))),
    "downlink keeps the paging policy": (into(gpdu(0x11, back(), DOWN, 9, 1, PPP=1, PPI=5)), out(gpdu(0x21, back(), DOWN, 9, 1, PPP=1, PPI=5))),
    "downlink keeps time stamps": (into(gpdu(0x11, back(), DOWN, 9, **SENT)), out(gpdu(0x21, back(), DOWN, 9, **SENT))),
    "uplink keeps time stamps": (into(gpdu(0x10, packet(), UP, 5, **MEASURED)), out(gpdu(0x20, packet(), UP, 5, **MEASURED))),
    "uplink keeps time stamps, another QFI": (into(gpdu(0x10, packet(dst="203.0.113.9"), UP, 5, **MEASURED)),
                                              out(gpdu(0x30, packet(dst="203.0.113.9"), UP, 7, **MEASURED))),
    "downlink gets a paging policy": (into(gpdu(0x11, paged(), DOWN, 9)), out(gpdu(0x21, paged(), DOWN, 9, PPP=1, PPI=6))),
    "downlink with an RQI gets a paging policy": (into(gpdu(0x11, paged(), DOWN, 9, 1)), out(gpdu(0x21, paged(), DOWN, 9, 1, PPP=1, PPI=6))),
    "downlink gets another paging policy": (into(gpdu(0x11, paged(), DOWN, 9, PPP=1, PPI=3)), out(gpdu(0x21, paged(), DOWN, 9, PPP=1, PPI=6))),
    "downlink without a container has no paging policy": (into(gpdu(0x11, paged(), DOWN)), out(gpdu(0x21, paged(), DOWN))),
    "downlink gets a paging policy before a time stamp": (
        into(gpdu(0x11, paged(), DOWN, 9, 1, **STAMP)), out(gpdu(0x21, paged(), DOWN, 9, 1, PPP=1, PPI=6, **STAMP))),
    "downlink gets a paging policy before a number": (
        into(gpdu(0x11, paged(), DOWN, 9, **NUMBER)), out(gpdu(0x21, paged(), DOWN, 9, PPP=1, PPI=6, **NUMBER))),
    "downlink gets a paging policy before both": (
        into(gpdu(0x11, paged(), DOWN, 9, **STAMP, **NUMBER)), out(gpdu(0x21, paged(), DOWN, 9, PPP=1, PPI=6, **STAMP, **NUMBER))),
    "downlink gets another paging policy before both": (
        into(gpdu(0x11, paged(), DOWN, 9, **SENT)), out(gpdu(0x21, paged(), DOWN, 9, **{**SENT, "PPI": 6}))),
    "downlink gets QFI and paging policy 0": (
        into(gpdu(0x11, paged("192.0.2.130"), DOWN, 9, 1)), out(gpdu(0x21, paged("192.0.2.130"), DOWN, 7, 1, PPP=1, PPI=0))),
    "downlink gets QFI and paging policy 0 before a time stamp": (
        into(gpdu(0x11, paged("192.0.2.130"), DOWN, 9, **STAMP)), out(gpdu(0x21, paged("192.0.2.130"), DOWN, 7, PPP=1, PPI=0, **STAMP))),
    "downlink without a container gets one": (
        into(gpdu(0x11, paged("192.0.2.130"), DOWN)), out(gpdu(0x21, paged("192.0.2.130"), DOWN, 7, PPP=1, PPI=0))),
    "more than a container may have": (into(too_long(0x10)), out(gpdu(0x20, packet(), UP, 5))),
    "congestion before": (into(gpdu(0x10, packet(tos=2), UP, 5), 3), out(gpdu(0x20, packet(tos=3), UP, 5), 3)),
    "congestion on the way": (into(gpdu(0x10, packet(tos=3), UP, 5), 2), out(gpdu(0x20, packet(tos=3), UP, 5), 3)),
    "congestion of what knows no ECN": (into(gpdu(0x10, packet(), UP, 5), 3), None),
    "to N6 here": (into(gpdu(0x10, packet(dst="198.51.100.2"), UP, 5)), Ether(src=N6, dst=DN) / packet(dst="198.51.100.2", ttl=63)),
}

for name, (frame, sent) in CASES.items():
    print(name.replace(" ", "_"), bytes(frame).hex(), bytes(sent).hex() if sent is not None else "-")
