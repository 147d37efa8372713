#!/usr/bin/env python3
"""Writes packets.json: packets by scapy, and what the kernel would hand over in their
place: the first packet's headers with the lengths of all, the sum of the pseudo header
for a checksum, and all payloads. Run it in this folder."""

import json
import struct

from scapy.all import IP, UDP, TCP, IPv6, Raw, in4_chksum, in6_chksum, raw

def payload(n, seed):
    return bytes((seed * 7 + i) & 0xFF for i in range(n))


def ip4(i, **more):
    return IP(src="10.45.0.2", dst="198.51.100.2", id=(0xFFFE + i) & 0xFFFF, ttl=64, tos=0xB8, **more)


def down4(i, **more):
    return IP(src="198.51.100.2", dst="10.45.0.2", id=(0x1000 + i) & 0xFFFF, ttl=64, **more)


def ip6(i):
    return IPv6(src="2001:db8:45::2", dst="2001:db8:6::2", hlim=64, tc=0xB8, fl=0x12345)


def tcp(seq, flags):
    return TCP(sport=40000, dport=443, seq=seq & 0xFFFFFFFF, ack=77, window=501, flags=flags,
               options=[("NOP", None), ("NOP", None), ("Timestamp", (1000, 2000))])


def whole_of(network, transport, data, proto, size):
    """The packet before it is cut."""
    p = network / transport / Raw(data)
    b = bytearray(raw(p))
    at = 40 if network.version == 6 else 20
    length = len(b) - at
    if network.version == 6:
        word = in6_chksum(proto, p, b"\0" * length)
        # in6_chksum over zeros is the complement of the pseudo header's sum
    else:
        word = in4_chksum(proto, p[IP].__class__(bytes(b)), b"\0" * length)
    field = at + (16 if proto == 6 else 6)
    b[field:field + 2] = struct.pack("!H", ~word & 0xFFFF)
    kind = 5 if proto == 17 else (4 if network.version == 6 else 1)
    headers = len(b) - len(data)
    header = {"Flags": 1, "GSO": kind, "HeaderBytes": headers, "SegmentBytes": size, "SumFrom": at, "SumAt": field - at}
    return {"Whole": bytes(b).hex(), "Header": header}


def case(name, network, proto, sizes, flags="A", last="A", first="A", merge=True):
    packets, data, seq = [], b"", 0xFFFFFF00
    for i, n in enumerate(sizes):
        part = payload(n, i)
        f = last if i == len(sizes) - 1 else (first if i == 0 else flags)
        t = tcp(seq, f) if proto == 6 else UDP(sport=1234, dport=5678)
        packets.append(raw(network(i) / t / Raw(part)).hex())
        data += part
        seq += n
    all_flags = "".join(sorted(set(first + flags + last)))
    t = tcp(0xFFFFFF00, all_flags) if proto == 6 else UDP(sport=1234, dport=5678)
    c = {"Name": name, "Merge": merge, "Packets": packets}
    c.update(whole_of(network(0), t, data, proto, sizes[0]))
    return c


cases = [
    case("TCP over IPv4", ip4, 6, [1000, 1000, 1000, 300], last="PA"),
    case("TCP over IPv4, odd payloads", ip4, 6, [333, 333, 1]),
    case("UDP over IPv4", ip4, 17, [1200, 1200, 1200, 7]),
    case("UDP over IPv4, equal", lambda i: ip4(i, flags="DF"), 17, [64, 64]),
    case("TCP downlink", down4, 6, [1000, 1000, 1000, 300], last="PA"),
    case("UDP downlink", down4, 17, [1200, 1200, 1200, 7]),
    case("TCP over IPv6", ip6, 6, [1000, 1000, 300], last="PA", merge=False),
    case("UDP over IPv6", ip6, 17, [1200, 1200, 8], merge=False),
    case("TCP that ends and whose window was reduced", ip4, 6, [500, 500, 500], first="CA", last="FPA", merge=False),
]

with open("packets.json", "w") as f:
    json.dump(cases, f, indent=1)
    f.write("\n")
