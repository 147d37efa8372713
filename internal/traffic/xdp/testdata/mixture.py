#!/usr/bin/env python3
"""Frames of mixtures, for the tests of the generator and the sink: for each case
the shapes, and what scapy makes of each session and shape in each direction, with
'x' where the signature goes. Run: python3 mixture.py > mixture.json"""
import json

from scapy.all import IP, UDP, Ether, IPv6, Raw
from scapy.contrib.gtp import GTP_U_Header, GTPPDUSessionContainer

N3, GNB = "02:75:70:66:03:02", "02:75:70:66:03:01"
N6, DN = "02:75:70:66:06:02", "02:75:70:66:06:01"
UPF_IP, GNB_IP, DN_IP = "192.168.13.151", "192.168.13.131", "192.168.16.152"
UES = ["10.45.0.2", "10.45.0.3", "10.45.1.200"]
UES6 = ["2001:db8:45:1::2", "2001:db8:45:2::2", "2001:db8:45:fffe::2"]
DN_IP6 = "2001:db8:6::2"
UPF_IP6, GNB_IP6 = "2001:db8:13::2", "2001:db8:13::1"
UL_TEID = [1, 0x12345678, 0xFFFFFFFE]


def frame(up, stream, shape, v6=False, n36=False):
    content = bytes.fromhex(shape["content"]) or b"x" * (shape["payload"] - 32)
    ues, dn, header = (UES6, DN_IP6, IPv6) if v6 else (UES, DN_IP, IP)
    ends = dict(src=ues[stream], dst=dn) if up else dict(src=dn, dst=ues[stream])
    packet = header(**ends) / UDP(sport=shape["source"], dport=shape["destination"]) / Raw(b"x" * 32 + content)
    if not up:
        return bytes(Ether(src=DN, dst=N6) / packet).hex()
    outer = IPv6(src=GNB_IP6, dst=UPF_IP6) if n36 else IP(src=GNB_IP, dst=UPF_IP)
    return bytes(Ether(src=GNB, dst=N3) / outer / UDP(sport=2152, dport=2152)
                 / GTP_U_Header(teid=UL_TEID[stream]) / GTPPDUSessionContainer(type=1, QFI=1) / packet).hex()


def shape(payload, content=b"", source=1234, destination=1234):
    return dict(payload=payload, content=content.hex(), source=source, destination=destination)


def case(name, *shapes, families=(False,), n36=False):
    """families: whether the addresses of a session are of IPv6; each has a stream. n36: N3 is over IPv6."""
    streams = [(s, v6) for s in range(3) for v6 in families]
    up, down = [[[frame(way, s, h, v6, n36) for h in shapes] for s, v6 in streams] for way in (True, False)]
    name = "tunnel6 " * n36 + name
    name += {(True,): " IPv6", (False, True): " both"}.get(families, "")
    return dict(name=name, shapes=shapes, uplink=up, downlink=down)


def text(n):
    return bytes((7 * i + n) % 256 for i in range(n - 32))


fill = ("fill", shape(32), shape(33), shape(75), shape(76, source=53, destination=40000), shape(570), shape(1400))
contents = ("contents", shape(32), shape(33, text(33)), shape(40, text(40), destination=80), shape(41, text(41)),
            shape(300), shape(1001, text(1001), source=443, destination=65535), shape(1400, text(1400)))
print(json.dumps([case(*c, families=f, n36=n)
                  for n in (False, True) for f in ((False,), (True,), (False, True)) for c in (fill, contents)], indent=1))
