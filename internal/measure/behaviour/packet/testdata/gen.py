#!/usr/bin/env python3
"""Writes the packets that the tests expect, as scapy builds them: python3 gen.py > packets.txt"""
from scapy.all import IP, UDP, TCP, ICMP, IPv6, Raw, raw
from scapy.contrib.gtp import GTP_U_Header, GTPPDUSessionContainer

MARK = bytes.fromhex("0102030405060708" + "000000000000002a")


def payload(n):
    return Raw(MARK + bytes(i & 255 for i in range(16, n)))


inner = IP(src="10.45.0.2", dst="198.51.100.10", id=7, ttl=64, flags="DF") / UDP(sport=1000, dport=2000) / payload(72)
PACKETS = {
    "udp": inner,
    "tcp": IP(src="10.45.0.2", dst="198.51.100.10", id=7, ttl=64, tos=0xb8, flags=0) / TCP(sport=1000, dport=2000, seq=1, ack=1, flags="PA", window=0x1000) / payload(40),
    "icmp": IP(src="10.45.0.2", dst="198.51.100.10", id=7, ttl=64, flags=0) / ICMP(id=1, seq=1) / payload(40),
    "udp6": IPv6(src="2001:db8:45::1", dst="2001:db8:6::10", hlim=64) / UDP(sport=1000, dport=2000) / payload(72),
    "gpdu": IP(src="192.0.2.1", dst="192.0.2.3", id=0, ttl=64, flags=0) / UDP(sport=2152, dport=2152, chksum=0) /
            GTP_U_Header(teid=0x1001, E=1, next_ex=0x85) / GTPPDUSessionContainer(type=1, QFI=9) / inner,
    "gpdu-plain": IP(src="192.0.2.1", dst="192.0.2.3", id=0, ttl=64, flags=0) / UDP(sport=2152, dport=2152, chksum=0) / GTP_U_Header(teid=0x1001) / inner,
}
for name, p in PACKETS.items():
    print(name, raw(p).hex())
