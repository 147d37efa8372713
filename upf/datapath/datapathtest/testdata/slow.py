#!/usr/bin/env python3
"""Packets that do not fit, and G-PDUs that come in fragments, as scapy builds and fragments them, for
slow.go. Run in this folder: python3 slow.py > slow.txt

A line is a name, the link that takes frames of 3000 octets (the other one takes 1500), where the frames
come in and where what comes of them leaves, and the frames of both. The sessions are those of
FrameSessions, or Intermediate "from
tunnel to tunnel", OuterSession and ExitSessions."""
from scapy.all import IP, UDP, Ether, IPOption, IPOption_Router_Alert, IPv6, IPv6ExtHdrFragment, Raw, fragment, fragment6
from scapy.contrib.gtp import GTP_U_Header, GTPPDUSessionContainer

N3, GNB = "02:00:00:00:03:01", "02:00:00:00:03:02"
N6, DN = "02:00:00:00:06:01", "02:00:00:00:06:02"
UPF, PEER, UPF6, GNB6 = "192.0.2.1", "192.0.2.2", "2001:db8:3::1", "2001:db8:3::2"
DN_IP, EXIT, EXIT6 = "198.51.100.2", "198.51.100.1", "2001:db8:6::1"


def octets(n):
    return Raw(bytes(i * 7 & 255 for i in range(n)))


def aged(ip):
    ip = ip.__class__(bytes(ip))
    if ip.version == 6:
        ip.hlim -= 1
    else:
        ip.ttl -= 1
        del ip.chksum
    return ip.__class__(bytes(ip))


def up(src="10.45.0.2", size=32, dst=DN_IP, **kw):
    return IP(src=src, dst=dst, id=7, **kw) / UDP(sport=1234, dport=1234, chksum=0) / octets(size)


def down(dst="10.45.0.2", size=32, **kw):
    return IP(src=DN_IP, dst=dst, id=9, **kw) / UDP(sport=1234, dport=1234, chksum=0) / octets(size)


def pieces(ip, mtu):
    """The fragments of a packet whose header has no options, or options of which scapy's fragment makes
    no difference, on a link of the MTU. scapy counts what is after the header."""
    head = ip.ihl * 4
    return fragment(ip, (mtu - head) // 8 * 8)


def gtp(teid, inner, way=None, qfi=1, **marks):
    if way is None:
        return GTP_U_Header(teid=teid, gtp_type=255) / inner
    return GTP_U_Header(teid=teid, gtp_type=255, E=1, next_ex=0x85) / GTPPDUSessionContainer(type=way, QFI=qfi, **marks) / inner


def into(g, **kw):
    return IP(src=PEER, dst=UPF, id=3, **kw) / UDP(sport=2152, dport=2152) / g


def into6(g, **kw):
    return IPv6(src=GNB6, dst=UPF6, **kw) / UDP(sport=2152, dport=2152) / g


def from_gnb(packets):
    return [Ether(src=GNB, dst=N3) / p for p in packets]


def to_dn(packets):
    return [Ether(src=N6, dst=DN) / p for p in packets]


def to_gnb(packets):
    return [Ether(src=N3, dst=GNB) / p for p in packets]


def tunnel(g, tos=0):
    return IP(src=UPF, dst=PEER, id=0, ttl=64, tos=tos) / UDP(sport=2152, dport=2152, chksum=0) / g


def line(name, big, at, frames, leaves, out):
    hexed = [",".join(bytes(f).hex() for f in all) for all in (frames, out)]
    print(";".join([name, big, at, hexed[0], leaves, hexed[1]]))


# Downlink: the T-PDU is fragmented, each fragment has outer headers.
OVER, OVER6 = 44, 64
for name, ip in (
        ("downlink", down(size=2800)),
        ("downlink, an octet too much", down(size=1500 - OVER - 28 + 1)),
        ("downlink, a fragment", down(size=2000, flags="MF", frag=100)),
        ("downlink, the last fragment", down(size=2000, frag=100)),
        ("downlink, options", down(size=1996, options=[IPOption(copy_flag=0, optclass=2, option=30, length=4, value=b"xx"),
                                            IPOption_Router_Alert()])),
        ("downlink, marked", down(size=2800, tos=0xb8 | 2))):
    cut = pieces(aged(ip), 1500 - OVER)
    if "options" in name:  # the first fragment alone has an option that is not to be copied (RFC 791 section 3.1)
        for i, p in enumerate(cut[1:], 1):
            later = IP(bytes(p).replace(b"\x5e\x04xx", b"\1\1\1\1", 1))
            del later.chksum
            cut[i] = IP(bytes(later))
    line(name, "n6", "n6", [Ether(src=DN, dst=N6) / ip], "n3", to_gnb(tunnel(gtp(2, p, 0), p.tos & 3) for p in cut))
ip = down("10.45.0.15", 2800)
line("downlink with a paging policy", "n6", "n6", [Ether(src=DN, dst=N6) / ip], "n3", to_gnb(
    tunnel(gtp(48, p, 0, 9, PPP=1, PPI=5)) for p in pieces(aged(ip), 1500 - OVER - 4)))
ip = down("10.45.1.2", 2800)
line("downlink over ipv6", "n6", "n6", [Ether(src=DN, dst=N6) / ip], "n3", to_gnb(
    IPv6(src=UPF6, dst=GNB6, hlim=64) / UDP(sport=2152, dport=2152) / gtp(102, p, 0) for p in pieces(aged(ip), 1500 - OVER6)))

# Uplink: the packet is fragmented, or what is in a tunnel on N6.
ip = up(size=2800)
line("uplink", "n3", "n3", from_gnb([into(gtp(1, ip, 1))]), "n6", to_dn(pieces(aged(ip), 1500)))
ip = up("10.45.2.1", 2800, "203.0.113.7")
line("uplink into UDP/IPv4", "n3", "n3", from_gnb([into(gtp(202, ip))]), "n6", to_dn(
    IP(src=EXIT, dst=DN_IP, id=0, ttl=64, tos=0xb8) / UDP(sport=4000, dport=5000, chksum=0) / p for p in pieces(aged(ip), 1500 - 28)))
ip = up("10.45.2.4", 2800, "203.0.113.7")
line("uplink into IPv6", "n3", "n3", from_gnb([into(gtp(208, ip))]), "n6", to_dn(
    IPv6(src=EXIT6, dst="2001:db8:6::2", tc=0xb8, nh=4, hlim=64) / p for p in pieces(aged(ip), 1500 - 40)))

# From tunnel to tunnel: the outer packet is fragmented. It gets a container that it had not.
ip = up("10.45.0.2", 1500 - 36 - 28, "203.0.113.9")
whole = IP(bytes(tunnel(gtp(0x30, ip, 1, 7))))
whole.id = 1
line("from tunnel to tunnel", "", "n3", from_gnb([into(gtp(0x10, ip))]), "n3", to_gnb(pieces(whole, 1500)))

# G-PDUs that come in fragments.
ip = up(size=1000)
line("uplink in fragments", "", "n3", from_gnb(pieces(IP(bytes(into(gtp(1, ip, 1)))), 600)), "n6", to_dn([aged(ip)]))
line("uplink in fragments, the last first", "", "n3", from_gnb(pieces(IP(bytes(into(gtp(1, ip, 1)))), 600)[::-1]), "n6", to_dn([aged(ip)]))
ecn = up(size=1000, tos=2)
marked = pieces(IP(bytes(into(gtp(1, ecn, 1), tos=2))), 600)
marked[1].tos = 3
del marked[1].chksum
line("uplink in fragments, one has met congestion", "", "n3", from_gnb(marked), "n6", to_dn([aged(up(size=1000, tos=3))]))
ip = up("10.45.1.2", 1000)
line("uplink in fragments over ipv6", "", "n3",
     from_gnb(fragment6(IPv6(bytes(into6(gtp(101, ip, 1))))[IPv6].__class__(src=GNB6, dst=UPF6) / IPv6ExtHdrFragment(id=5) /
                        UDP(bytes(IPv6(bytes(into6(gtp(101, ip, 1))))[UDP])), 700)), "n6", to_dn([aged(ip)]))
ip = up("10.45.0.2", 1000, "203.0.113.9")
line("from tunnel to tunnel in fragments", "", "n3", from_gnb(pieces(IP(bytes(into(gtp(0x10, ip, 1, 5)))), 600)), "n3",
     to_gnb([tunnel(gtp(0x30, ip, 1, 7))]))
