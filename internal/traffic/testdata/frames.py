#!/usr/bin/env python3
"""Prints the frames of the load profiles of the published study, as scapy makes them, the same with
DF, those of a UE with IPv6, and G-PDUs over IPv6 of either."""
from scapy.all import Ether, IP, IPv6, UDP
from scapy.contrib.gtp import GTP_U_Header, GTPPDUSessionContainer

E = dict(src="02:75:70:66:03:01", dst="02:75:70:66:03:02")


UE6, DN6 = "2001:db8:45:1::2", "2001:db8:6::2"


def header(flags, src, dst, src6, dst6):
    return IPv6(src=src6, dst=dst6) if flags in ("IPv6", "6in6") else IP(src=src, dst=dst, version=4, flags=0 if flags == "4in6" else flags)


def outer(flags):
    if flags in ("4in6", "6in6"):
        return IPv6(src="2001:db8:13::1", dst="2001:db8:13::2")
    return IP(src="192.168.13.131", dst="192.168.13.151", version=4, flags=0 if flags == "IPv6" else flags)


def up(flags):
    return (Ether(**E) / outer(flags) / UDP(dport=2152, sport=2152)
            / GTP_U_Header(teid=1) / GTPPDUSessionContainer(type=1, QFI=1)
            / header(flags, "10.45.0.2", "192.168.16.152", UE6, DN6) / UDP(dport=1234, sport=1234))


def down(flags):
    return Ether(**E) / header(flags, "192.168.16.152", "10.45.0.2", DN6, UE6) / UDP(dport=1234, sport=1234)


for flags, sizes in ((0, (1400, 32, 33, 64, 570, 1401, 3434, 8900)), ("DF", (64, 1401)), ("IPv6", (32, 33, 1400, 1401, 8900)), ("4in6", (32, 33, 1401)), ("6in6", (32, 33, 1401))):
    for name, frame in (("uplink", up), ("downlink", down))[:1 if flags in ("4in6", "6in6") else 2]:
        for size in sizes:
            print(name, size, flags or "-", bytes(frame(flags) / (size * "x")).hex())
