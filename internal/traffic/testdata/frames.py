#!/usr/bin/env python3
"""Prints the frames of the load profiles of the published study, as scapy makes them, and the
same with DF."""
from scapy.all import Ether, IP, UDP
from scapy.contrib.gtp import GTP_U_Header, GTPPDUSessionContainer

E = dict(src="02:75:70:66:03:01", dst="02:75:70:66:03:02")


def up(flags):
    return (Ether(**E) / IP(src="192.168.13.131", dst="192.168.13.151", version=4, flags=flags) / UDP(dport=2152, sport=2152)
            / GTP_U_Header(teid=1) / GTPPDUSessionContainer(type=1, QFI=1)
            / IP(src="10.45.0.2", dst="192.168.16.152", version=4, flags=flags) / UDP(dport=1234, sport=1234))


def down(flags):
    return Ether(**E) / IP(dst="10.45.0.2", src="192.168.16.152", version=4, flags=flags) / UDP(dport=1234, sport=1234)


for flags, sizes in ((0, (1400, 32, 33, 64, 570, 1401, 3434, 8900)), ("DF", (64, 1401))):
    for name, frame in (("uplink", up), ("downlink", down)):
        for size in sizes:
            print(name, size, flags or "-", bytes(frame(flags) / (size * "x")).hex())
