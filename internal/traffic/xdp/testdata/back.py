#!/usr/bin/env python3
"""Frames that a sink sends back: for each case what arrives, and what goes back, with the times
that arrived. Run: python3 back.py > back.json"""
import json
import struct

from scapy.all import IP, UDP, Ether, Raw
from scapy.contrib.gtp import GTP_U_Header, GTPPDUSessionContainer

N3, GNB = "02:75:70:66:03:02", "02:75:70:66:03:01"
N6, DN = "02:75:70:66:06:02", "02:75:70:66:06:01"
UPF_IP, GNB_IP, DN_IP = "192.168.13.151", "192.168.13.131", "192.168.16.152"
UES = ["10.45.0.2", "10.45.0.3", "10.45.1.200"]
UL_TEID = [1, 0x12345678, 0xFFFFFFFE]
DL_TEID = [2, 0x87654321, 0xFFFFFFFF]


def inner(up, stream, seq, magic, ttl):
    ends = dict(src=UES[stream], dst=DN_IP) if up else dict(src=DN_IP, dst=UES[stream])
    signature = struct.pack("<HHIQQQ", magic, 2, stream, seq, 1_000_000, 1_000_500)
    return IP(ttl=ttl, **ends) / UDP(sport=1234, dport=1234) / Raw(signature + b"x" * 168)


def tunnel(eth, up, teid, packet, psc=True, **udp):
    ends = dict(src=GNB_IP, dst=UPF_IP) if up else dict(src=UPF_IP, dst=GNB_IP)
    head = GTP_U_Header(teid=teid)
    if psc:
        head = head / GTPPDUSessionContainer(type=1 if up else 0, QFI=1)
    return Ether(**eth) / IP(**ends) / UDP(sport=2152, dport=2152, **udp) / head / packet


def case(name, flow, arrives, goes):
    return dict(name=name, flow=flow, arrives=bytes(arrives).hex(), back=bytes(goes).hex())


HERE, BACK = 0x7566, 0xBA75
cases = []
for s in range(3):
    at_dn, from_dn = dict(src=N6, dst=DN), dict(src=DN, dst=N6)
    at_gnb, from_gnb = dict(src=N3, dst=GNB), dict(src=GNB, dst=N3)
    up, down = inner(True, s, 64, HERE, 63), inner(False, s, 64, HERE, 63)
    reply, answer = inner(False, s, 64, BACK, 63), inner(True, s, 64, BACK, 63)
    plain = Ether(**from_dn) / reply
    in_tunnel = tunnel(from_gnb, True, UL_TEID[s], answer, chksum=0)
    cases += [
        case("uplink", "uplink", Ether(**at_dn) / up, plain),
        case("uplink over a wire", "wire uplink", tunnel(at_dn, True, UL_TEID[s], up), plain),
        case("downlink", "downlink", tunnel(at_gnb, False, DL_TEID[s], down), in_tunnel),
        case("downlink, no container", "downlink without PSC", tunnel(at_gnb, False, DL_TEID[s], down, psc=False), in_tunnel),
        case("downlink over a wire", "wire downlink", Ether(**at_gnb) / down, in_tunnel),
    ]
print(json.dumps(cases, indent=1))
