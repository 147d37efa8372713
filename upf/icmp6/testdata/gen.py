#!/usr/bin/env python3
"""What UEs send to their router, and what it answers, as scapy builds them.

Run: python3 gen.py > messages.txt"""
from scapy.all import (ICMPv6EchoRequest, ICMPv6ND_NA, ICMPv6ND_NS, ICMPv6ND_RA, ICMPv6ND_RS, ICMPv6NDOptPrefixInfo,
                       ICMPv6NDOptSrcLLAddr, ICMPv6PacketTooBig, ICMPv6TimeExceeded, IPv6, Raw, UDP)

UE, ROUTER = "fe80::9", "fe80::1"
PREFIX = "2001:db8:45:2::"


def to_router(payload, src=UE, dst="ff02::2", hlim=255):
    return IPv6(src=src, dst=dst, hlim=hlim) / payload


def advertisement(dst, prefix=PREFIX):
    ra = IPv6(src=ROUTER, dst=dst, hlim=255) / ICMPv6ND_RA(chlim=64, M=0, O=0, prf=0, routerlifetime=9000)
    if prefix:
        ra /= ICMPv6NDOptPrefixInfo(prefixlen=64, L=0, A=1, R=0, prefix=prefix)
    return ra


ns = ICMPv6ND_NS(tgt=ROUTER)
long = IPv6(src="2001:db8:45:2::9", dst="2001:db8:6::2") / UDP(sport=1, dport=2) / Raw(bytes(n & 255 for n in range(1460)))
bad = bytearray(bytes(to_router(ICMPv6ND_RS())))
bad[42] ^= 1
for name, packet in {
    "rs": to_router(ICMPv6ND_RS()),
    "rs-option": to_router(ICMPv6ND_RS() / ICMPv6NDOptSrcLLAddr(lladdr="02:00:00:00:00:09")),
    "rs-no-source": to_router(ICMPv6ND_RS(), "::"),
    "rs-routed": to_router(ICMPv6ND_RS(), hlim=254),
    "rs-code": to_router(ICMPv6ND_RS(code=1)),
    "rs-checksum": bad,
    "ra": advertisement(UE),
    "ra-all": advertisement("ff02::1"),
    "ra-no-prefix": advertisement(UE, None),
    "ns": to_router(ns, dst="ff02::1:ff00:1"),
    "ns-other": to_router(ICMPv6ND_NS(tgt="fe80::2"), dst="ff02::1:ff00:2"),
    "ns-no-source": to_router(ns, "::", "ff02::1:ff00:1"),
    "na": IPv6(src=ROUTER, dst=UE, hlim=255) / ICMPv6ND_NA(R=1, S=1, O=0, tgt=ROUTER),
    "echo": to_router(ICMPv6EchoRequest(), dst=ROUTER),
    "long": long,
    "too-big": IPv6(src=ROUTER, dst="2001:db8:45:2::9", hlim=64) / ICMPv6PacketTooBig(mtu=1500) / Raw(bytes(long)[:1232]),
    "too-big-least": IPv6(src=ROUTER, dst="2001:db8:45:2::9", hlim=64) / ICMPv6PacketTooBig(mtu=1280) / Raw(bytes(long)[:1232]),
    "expired": IPv6(src=ROUTER, dst="2001:db8:45:2::9", hlim=64) / ICMPv6TimeExceeded() / Raw(bytes(long)[:1232]),
    "error": IPv6(src="2001:db8:45:2::9", dst="2001:db8:6::2") / ICMPv6PacketTooBig(mtu=1280) / Raw(bytes(1400)),
}.items():
    print(name, bytes(packet).hex())
