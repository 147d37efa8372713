"""What the checks see: a bench of one SMF, gNBs and hosts, and users with sessions through the UPF."""

import itertools
import socket
import struct

from scapy.all import ICMP, IP, TCP, UDP, Ether, IPv6, Raw, raw
from scapy.contrib.gtp import GTP_U_Header, GTPPDUSessionContainer

from bench import Link
from outcome import CannotBegin, Missing, Wrong, same, true
from smf import *

QFI = 9
MAGIC = b"\xc0nform!!"


def local(address):
    """Whether the kernel owns an address."""
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.bind((address, 0))
            return True
        except OSError:
            return False


class Bench:
    def __init__(self, arguments):
        self.a, self.patience = arguments, arguments.patience
        a = arguments
        self.kept = []
        played = {"n3": [a.gnb, a.gnb2, a.gnb6], "n6": [a.dn, a.dn6]}
        for address in filter(None, played["n3"]):  # a port that is closed would be answered by ICMP
            if local(address):
                self.kept.append(socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM))
                try:
                    self.kept[-1].bind((address, 2152))
                except OSError as e:
                    raise CannotBegin("cannot listen at %s port 2152 for GTP-U (%s): end the program that does, or give another address" % (address, e))
        played = {n: [x for x in l if x and not local(x)] for n, l in played.items()}
        if a.n3_interface == a.n6_interface:
            self.n3 = self.n6 = Link(a.n3_interface, played["n3"] + played["n6"])
        else:
            self.n3, self.n6 = Link(a.n3_interface, played["n3"]), Link(a.n6_interface, played["n6"])
        self.smf = SMF(a.smf, a.n4, a.patience)
        self.smf2 = SMF(a.smf2, a.n4, a.patience) if a.smf2 else None
        self.n3_mac, self.n6_mac = self.n3.resolve(a.n3, a.gnb), self.n6.resolve(a.n6, a.dn)
        for what, address, mac in (("N3", a.n3, self.n3_mac), ("N6", a.n6, self.n6_mac)):
            if mac is None:
                raise CannotBegin("nobody answers ARP for %s of the UPF on %s: is the address right, and the interface on that link?" % (address, what))
        self.hosts = [str(h) for h in itertools.islice(a.hosts.hosts(), 20)]
        self.hosts6 = [str(h) for h in itertools.islice(a.hosts6.hosts(), 20)] if a.ue_pool6 else []
        self.addresses = itertools.islice(a.ue_pool.hosts(), 9, None)
        self.prefixes = itertools.islice(a.ue_pool6.subnets(new_prefix=64), 3, None) if a.ue_pool6 else None
        self.numbers, self.running = itertools.count(1), ""
        self.never, self.late = {}, {}  # marks that must not come out, and by a check's name what came of its own

    def need(self, address, option):
        if not address:
            raise Missing("needs %s" % option)
        return address

    def mark(self):
        return MAGIC + struct.pack("!I", next(self.numbers))

    def user(self, **more):
        return User(self, **more)

    def has(self, mark):
        return lambda f: mark in f

    def marked(self, packets):
        """Frames with one of these packets."""
        marks = {mark_of(p) for p in packets}
        return lambda f: mark_in(f) in marks

    def to_gnb(self, gnb=None, kind=255, teid=None, port=2152):
        """Frames with GTP-U over IPv4 to a gNB."""
        address = socket.inet_aton(gnb or self.a.gnb)
        return lambda f: (len(f) >= 50 and f[12:14] == b"\x08\0" and f[23] == 17 and f[30:34] == address and f[36:38] == struct.pack("!H", port) and f[43] == kind
                          and (teid is None or f[46:50] == struct.pack("!I", teid)))

    def outer(self, src=None, **ip):
        """The headers of a gNB's G-PDU up to UDP."""
        src = src or self.a.gnb
        if ":" in src:
            return Ether(dst=self.n3_mac, src=self.n3.mac) / IPv6(src=src, dst=self.a.n3_6, **ip) / UDP(sport=2152, dport=2152)
        return Ether(dst=self.n3_mac, src=self.n3.mac) / IP(**{"src": src, "dst": self.a.n3, **ip}) / UDP(sport=2152, dport=2152, chksum=0)

    def from_dn(self, packet):
        return Ether(dst=self.n6_mac, src=self.n6.mac, type=0x86dd if packet.version == 6 else 0x800) / packet

    def absent(self, link, mark):
        """A packet that must not arrive did not, now that a later one has, nor does it until the end."""
        control = self.mark()
        self.control.send_up(self.control.packet(mark=control))
        true(self.n6.find(self.has(control), 0, self.patience), "the bench's plain session lost an uplink packet that came after")
        control = self.mark()
        self.control.send_down(self.control.packet(down=True, mark=control))
        true(self.n3.find(self.has(control), 0, self.patience), "the bench's plain session lost a downlink packet that came after")
        self.never[mark] = (self.running, link)
        found = link.find(lambda f: mark in f and not icmp(f), 0, 0.03)
        true(found is None, found and came_out(found))

    def sweep(self):
        """Forget a check's frames, but for those that must not come out: `late` says which came. The result is what is
        wrong with messages of the UPF that came meanwhile and cannot be read."""
        for link in {self.n3, self.n6}:
            for f in link.taken():
                name, where = self.never.get(mark_in(f.octets), ("", None))
                if where is link and not icmp(f.octets):
                    self.late.setdefault(name, came_out(f))
        return [what for smf in (self.smf, self.smf2) if smf for what in smf.taken()]


def icmp(f):
    """Whether a frame is ICMP outside of tunnels: it may quote a packet that must not come out."""
    return len(f) > 34 and f[12:14] == b"\x08\0" and f[23] == 1


def came_out(frame):
    return "the packet came out: %s" % frame.octets.hex()


def routed(packet):
    """The octets of an IP packet after one router: a hop less, and its checksum."""
    out = packet.copy()
    if out.version == 6:
        out.hlim -= 1
    else:
        out.ttl -= 1
        del out.chksum
    return raw(out)


def forms(packet):
    """What may come of a packet where its TTL is not what is checked: that is what ip.ttl.lowered does alone."""
    return routed(packet), raw(packet)


def inner(source, destination, mark, size=0, down=False, proto=UDP, sport=None, dport=None, **ip):
    """An IP packet whose payload begins with a mark; size is of the whole packet."""
    sport, dport = sport or (7000 if down else 5000), dport or (5000 if down else 7000)
    if "proto_number" in ip:
        ip["proto"] = ip.pop("proto_number")
    head = IPv6(src=source, dst=destination, **{"hlim": 60, **ip}) if ":" in source else IP(src=source, dst=destination, **{"ttl": 60, "id": 0x4711, **ip})
    if proto in (UDP, TCP):
        head = head / proto(sport=sport, dport=dport)
    elif proto is not None:
        head = head / proto
    packet = head / Raw(mark)
    if size > len(raw(packet)):
        packet = head / Raw(mark + bytes(i % 251 for i in range(size - len(raw(packet)))))
    return packet.__class__(raw(packet))


class User:
    """A UE with its session: addresses, the tunnel at the UPF (teid) and that at the gNB (gnb_teid)."""

    def __init__(self, bench, v4=True, v6=False, smf=None, gnb=None):
        self.b, self.smf, self.gnb = bench, smf or bench.smf, gnb or bench.a.gnb
        self.ip = str(next(bench.addresses)) if v4 else None
        self.prefix = next(bench.prefixes) if v6 else None
        self.ip6 = str(self.prefix[0x10]) if v6 else None
        n = next(bench.numbers)
        self.seid, self.teid, self.gnb_teid, self.up_seid = 0xC0000000 + n, 0x00A00000 + n, 0x0B000000 + n, None
        self.choose, self.network = bench.a.teid == "choose", bench.a.network_instance
        self.control_qfi = QFI

    # Rules.

    def address(self, sd):
        return IE_UE_IP_Address(SD=sd, V4=int(bool(self.ip)), V6=int(bool(self.ip6)), ipv4=self.ip or "0.0.0.0", ipv6=str(self.prefix[0]) if self.prefix else "::")

    def fteid(self):
        if self.choose:
            return IE_FTEID(CH=1, V4=1)
        return IE_FTEID(V4=1, TEID=self.teid, ipv4=self.b.a.n3)

    def instance(self):
        return [IE_NetworkInstance(instance=self.network)] if self.network else []

    def up(self, id=1, far=1, precedence=100, pdi=(), qers=(1,), urrs=(), removal=0, fteid=None, kind=IE_CreatePDR, address=True):
        return kind(IE_list=[IE_PDR_Id(id=id), IE_Precedence(precedence=precedence), IE_PDI(IE_list=[
            IE_SourceInterface(interface=0), fteid or self.fteid(), *self.instance(), *([self.address(0)] if address else []), *pdi,
            IE_3GPP_InterfaceType(interface_type=11)]), IE_OuterHeaderRemoval(header=removal), IE_FAR_Id(id=far), *[IE_URR_Id(id=u) for u in urrs], *[IE_QER_Id(id=q) for q in qers]])

    def down(self, id=2, far=2, precedence=100, pdi=(), qers=(1,), urrs=(), kind=IE_CreatePDR):
        return kind(IE_list=[IE_PDR_Id(id=id), IE_Precedence(precedence=precedence), IE_PDI(IE_list=[
            IE_SourceInterface(interface=1), *self.instance(), self.address(1), *pdi, IE_3GPP_InterfaceType(interface_type=17)]),
            IE_FAR_Id(id=far), *[IE_URR_Id(id=u) for u in urrs], *[IE_QER_Id(id=q) for q in qers]])

    def to_core(self, id=1, *more):
        return IE_CreateFAR(IE_list=[IE_FAR_Id(id=id), action(FORW=1), IE_ForwardingParameters(IE_list=[IE_DestinationInterface(interface=1), *self.instance(),
            IE_3GPP_InterfaceType(interface_type=17), *more])])

    def tunnel(self, teid=None, gnb=None):
        gnb = gnb or self.gnb
        if ":" in gnb:
            return IE_OuterHeaderCreation(GTPUUDPIPV6=1, TEID=teid or self.gnb_teid, ipv6=gnb)
        return IE_OuterHeaderCreation(GTPUUDPIPV4=1, TEID=teid or self.gnb_teid, ipv4=gnb)

    def to_access(self, id=2, *more, teid=None, gnb=None, does=None, kind=IE_CreateFAR, parameters=IE_ForwardingParameters):
        return kind(IE_list=[IE_FAR_Id(id=id), does or action(FORW=1), parameters(IE_list=[IE_DestinationInterface(interface=0), *self.instance(), self.tunnel(teid, gnb),
            IE_3GPP_InterfaceType(interface_type=11), *more])])

    def rules(self, replace=(), more=(), up=None, down=None):
        """The plain session: two PDRs, two FARs and a QER. `replace` takes the place of rules of the same kind and number."""
        plain = [self.up(**(up or {})), self.down(**(down or {})), self.to_core(), self.to_access(), qer(1)]
        taken = {(type(r), number(r)) for r in replace}
        return [r for r in plain if (type(r), number(r)) not in taken] + list(replace) + list(more)

    def request(self, ies):
        pdn = 3 if self.ip and self.ip6 else 2 if self.ip6 else 1
        return PFCPSessionEstablishmentRequest(IE_list=[self.smf.node(), self.smf.fseid(self.seid), *ies, IE_PDNType(pdn_type=pdn)])

    def open(self, replace=(), more=(), **parts):
        return self.establish(self.rules(replace, more, **parts))

    def establish(self, ies):
        """Set the session up by rules, given as IEs."""
        self.answer = self.smf.ask(self.request(ies), seid=0)
        cause_is(self.answer, ACCEPTED)
        fseid = first(self.answer.payload, IE_FSEID)
        true(fseid is not None, "no UP F-SEID in the answer")
        same("the SEID of the answer's header", self.answer.seid, self.seid)
        self.up_seid = fseid.seid
        SEIDS[self.seid] = self.up_seid
        if self.choose:
            chosen = first(self.answer.payload, IE_FTEID)
            true(chosen is not None, "CHOOSE, and no F-TEID in Created PDR")
            self.teid = chosen.TEID
        return self

    def modify(self, *ies):
        answer = self.smf.ask(PFCPSessionModificationRequest(IE_list=list(ies)), seid=self.up_seid)
        cause_is(answer, ACCEPTED)
        return answer

    def close(self):
        answer = self.smf.ask(PFCPSessionDeletionRequest(), seid=self.up_seid)
        cause_is(answer, ACCEPTED)
        return answer

    # Packets.

    def packet(self, down=False, mark=None, host=None, v6=None, **fields):
        v6 = self.ip is None if v6 is None else v6
        own, other = (self.ip6, host or self.b.hosts6[0]) if v6 else (self.ip, host or self.b.hosts[0])
        source, destination = (other, own) if down else (own, other)
        return inner(fields.pop("src", source), fields.pop("dst", destination), mark or self.b.mark(), down=down, **fields)

    def gpdu(self, packet, teid=None, qfi=QFI, container=None, outer=None, **header):
        """A G-PDU of the gNB, PDU type 1 (TS 38.415 clause 5.5.2.2); qfi None leaves the container out."""
        head = GTP_U_Header(teid=self.teid if teid is None else teid, gtp_type=255, **({"E": 1, "next_ex": 0x85} if qfi is not None else {}), **header)
        if qfi is not None:
            head = head / (container or GTPPDUSessionContainer(type=1, QFI=qfi))
        return (outer or self.b.outer(self.gnb)) / Raw(raw(head / Raw(packet if isinstance(packet, bytes) else raw(packet))))

    def send_up(self, packet, **how):
        self.b.n3.send(self.gpdu(packet, **how))

    def send_down(self, packet):
        self.b.n6.send(self.b.from_dn(packet))

    def passes_up(self, packet=None, wanted=None, **how):
        """An uplink packet comes out on N6 as a router sends it on."""
        packet = packet or self.packet()
        since = self.b.n6.count()
        self.send_up(packet, **how)
        return self.arrived(packet, since, wanted)

    def arrived(self, packet, since, wanted=None):
        found = self.b.n6.find(self.b.has(mark_of(packet)), since, self.b.patience)
        true(found, "an uplink packet did not arrive on N6")
        wanted = wanted or forms(packet)
        if found.octets[14:14 + len(wanted[0])] not in wanted:
            raise Wrong("on N6 came %s, not %s" % (found.octets[14:].hex(), wanted[0].hex()))
        return found

    def passes_down(self, packet=None, wanted=None, qfi=QFI, teid=None, gnb=None, **container):
        """A downlink packet reaches the gNB in the session's tunnel."""
        packet = packet or self.packet(down=True)
        since = self.b.n3.count()
        self.send_down(packet)
        return self.delivered(packet, since, wanted, qfi, teid, gnb, **container)

    def delivered(self, packet, since, wanted=None, qfi=QFI, teid=None, gnb=None, only=None, **container):
        gnb = gnb or self.gnb
        found = self.b.n3.find(only or self.b.has(mark_of(packet)), since, self.b.patience)
        true(found, "a downlink packet did not arrive at the gNB")
        head, inside = self.opened(found, gnb)
        same("the TEID", "%#x" % head.teid, "%#x" % (teid or self.gnb_teid))
        if qfi is not None:
            true(GTPPDUSessionContainer in head, "no PDU session container: %s" % found.octets.hex())
            psc = head[GTPPDUSessionContainer]
            same("the PDU type", psc.type, 0)
            same("the QFI", psc.QFI, qfi)
            for field, value in {"RQI": 0, "PPP": 0, **container}.items():
                same(field, getattr(psc, field), value)
        wanted = wanted or forms(packet)
        if inside not in wanted:
            raise Wrong("in the tunnel came %s, not %s" % (inside.hex(), wanted[0].hex()))
        return found

    def opened(self, found, gnb):
        """The GTP-U header of a frame to the gNB and the octets in it, once its outer headers are found right."""
        eth = found.parsed()
        if ":" in gnb:
            same("the outer addresses", (eth[IPv6].src, eth[IPv6].dst), (self.b.a.n3_6, gnb))
            true(eth[UDP].chksum != 0, "an outer UDP checksum of 0 over IPv6 (RFC 8200 clause 8.1)")
        else:
            same("the outer addresses", (eth[IP].src, eth[IP].dst), (self.b.a.n3, gnb))
            fresh = eth[IP].copy()
            del fresh.chksum
            same("the outer header's checksum", eth[IP].chksum, IP(raw(fresh)).chksum)
        udp = eth[UDP]
        same("the outer destination port", udp.dport, 2152)
        octets = raw(udp)[8:udp.len]
        if udp.chksum and not found.unfinished:
            fresh = (eth[IPv6] if ":" in gnb else eth[IP]).copy()
            del fresh[UDP].chksum
            same("the outer UDP checksum", udp.chksum, fresh.__class__(raw(fresh))[UDP].chksum)
        head = GTP_U_Header(octets)
        same("GTP-U version, protocol type, message", (head.version, head.PT, head.gtp_type), (1, 1, 255))
        same("the GTP-U length", head.length, len(octets) - 8)
        return head, octets[8 + extensions(octets):]

    def blocked_up(self, packet=None, frame=None, **how):
        packet = packet or self.packet()
        self.b.n3.send(frame) if frame is not None else self.send_up(packet, **how)
        self.b.absent(self.b.n6, mark_of(packet))

    def blocked_down(self, packet=None):
        packet = packet or self.packet(down=True)
        self.send_down(packet)
        self.b.absent(self.b.n3, mark_of(packet))


def extensions(octets):
    """The octets between a GTP-U header's first eight and the T-PDU (TS 29.281 clause 5.2)."""
    if not octets[0] & 7:
        return 0
    at = 12
    kind = octets[11] if octets[0] & 4 else 0
    while kind:
        at, kind = at + 4 * octets[at], octets[at + 4 * octets[at] - 1]
    return at - 8


def mark_of(packet):
    return mark_in(packet if isinstance(packet, bytes) else raw(packet))


def mark_in(octets):
    """The mark in octets; None."""
    at = octets.find(MAGIC)
    return octets[at:at + len(MAGIC) + 4] if at >= 0 else None


def number(rule):
    for ie in rule.IE_list:
        if isinstance(ie, (IE_PDR_Id, IE_FAR_Id, IE_QER_Id, IE_URR_Id, IE_BAR_Id)):
            return ie.id
    return None


def action(**flags):
    """Apply Action of two octets (TS 29.244 clause 8.2.26)."""
    return IE_ApplyAction(extra_data=b"\0", **flags)


def qer(id=1, ul=0, dl=0, qfi=QFI, *more, mbr=None, kind=IE_CreateQER):
    """A QER; mbr is kbit/s uplink and downlink; gates 0 open, 1 closed."""
    return kind(IE_list=[IE_QER_Id(id=id), IE_GateStatus(ul=ul, dl=dl), *([IE_MBR(ul=mbr[0], dl=mbr[1])] if mbr else []), *([IE_QFI(QFI=qfi)] if qfi is not None else []), *more])


def sdf(description=None, **more):
    if description is not None:
        more.update(FD=1, flow_description=description)
    return IE_SDF_Filter(**more)
