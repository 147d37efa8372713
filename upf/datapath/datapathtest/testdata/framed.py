#!/usr/bin/env python3
"""Frames of framed routes (networks behind UEs), made by scapy. The sessions are in
../framed.go. Run: python3 framed.py > framed.txt

A line is a name, where the frame comes in, the frame, and what leaves, in hex, or why
nothing does."""
from scapy.all import IP, UDP, Ether, IPv6, Raw
from scapy.contrib.gtp import GTP_U_Header

N3, GNB = "02:00:00:00:03:01", "02:00:00:00:03:02"
N6, DN = "02:00:00:00:06:01", "02:00:00:00:06:02"
DATA = Raw(b"behind a UE")


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


def down(name, to, teid, why=None):
    ip = (IPv6(src="2001:db8:6::2", dst=to) if ":" in to else IP(src="198.51.100.2", dst=to, id=9)) / UDP(sport=2, dport=1) / DATA
    out = Ether(src=N3, dst=GNB) / IP(src="192.0.2.1", dst="192.0.2.2", id=0, ttl=64) / UDP(sport=2152, dport=2152, chksum=0) / \
        GTP_U_Header(teid=teid, gtp_type=255) / aged(ip)
    line(name, "n6", Ether(src=DN, dst=N6) / ip, why or out)


def up(name, source, teid, why=None):
    six = ":" in source
    ip = (IPv6(src=source, dst="2001:db8:6::2") if six else IP(src=source, dst="198.51.100.2", id=7)) / UDP(sport=1, dport=2) / DATA
    out = Ether(src=N6, dst=DN, type=0x86dd if six else 0x800) / aged(ip)
    line(name, "n3", Ether(src=GNB, dst=N3) / IP(src="192.0.2.2", dst="192.0.2.1", id=3) / UDP(sport=2152, dport=2152) /
         GTP_U_Header(teid=teid, gtp_type=255) / ip, why or out)


WRONG, NOBODY = "inner source is not the UE", "unknown UE address"
down("to the ue", "10.45.3.1", 401)
down("to a network behind it", "10.45.200.9", 401)
down("to the last address of the network", "10.45.200.127", 401)
down("to a longer prefix, which is another's", "10.45.200.200", 411)
down("to a ue that has an address of the network", "10.45.200.5", 421)
down("beside the network", "10.45.201.9", 0, NOBODY)
down("ipv6, to the ue", "2001:db8:45:71::9", 401)
down("ipv6, to a network behind it", "2001:db8:45:7001::1", 401)
down("ipv6, beside the network", "2001:db8:45:7010::1", 0, NOBODY)
up("from the ue", "10.45.3.1", 400)
up("from a network behind it", "10.45.200.9", 400)
up("from a part of it that is another's downlink", "10.45.200.200", 400)
up("from beside the network", "10.45.201.9", 400, WRONG)
up("from the network behind another", "10.45.200.9", 410, WRONG)
up("ipv6, from the ue", "2001:db8:45:71::9", 400)
up("ipv6, from a network behind it", "2001:db8:45:7001::1", 400)
up("ipv6, from beside the network", "2001:db8:45:7010::1", 400, WRONG)
up("from a network alone", "10.45.202.3", 430)
up("from beside a network alone", "10.45.3.4", 430, WRONG)
