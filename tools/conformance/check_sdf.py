"""Which PDR a packet takes: SDF filters, QFI, precedence (TS 29.244 clauses 5.2.1A, 8.2.5)."""

from scapy.all import ESP

from outcome import check, table, true
from world import *


def only(u, pdi, down_pdi=None):
    """A session that forwards nothing but what its filters match."""
    return u.open(up={"pdi": pdi}, down={"pdi": down_pdi or pdi})


# Each row: a filter, packets that it matches and packets that it does not, as fields for uplink; downlink is
# the mirror. h(n) is the n-th host.
def udp(host=0, ue_port=5000, host_port=7000, **ip):
    return dict(host=host, sport=ue_port, dport=host_port, **ip)


def tcp(**fields):
    return dict(udp(**fields), tcp=True)


FILTERS = [
    ("any", "ip from any to any", "permit out ip from any to assigned", [udp(), tcp()], []),
    ("protocol.udp", "17 (UDP)", "permit out 17 from any to assigned", [udp()], [tcp()]),
    ("protocol.tcp", "6 (TCP)", "permit out 6 from any to assigned", [tcp()], [udp()]),
    ("host", "one host", "permit out ip from {h3} to assigned", [udp(host=3)], [udp(host=4)]),
    ("network", "a prefix of hosts", "permit out ip from {h4}/30 to assigned", [udp(host=4), udp(host=5)], [udp(host=9)]),
    ("host-port", "a host's port", "permit out 17 from any 7100 to assigned", [udp(host_port=7100)], [udp(host_port=7101), tcp(host_port=7100)]),
    ("port-range", "a range of ports", "permit out 17 from any 7100-7200 to assigned", [udp(host_port=7100), udp(host_port=7200)], [udp(host_port=7099), udp(host_port=7201)]),
    ("port-list", "a list of ports and ranges", "permit out 17 from any 7100,7300-7310 to assigned", [udp(host_port=7100), udp(host_port=7305)], [udp(host_port=7200)]),
    ("ue-port", "the UE's port", "permit out 17 from any to assigned 5100", [udp(ue_port=5100)], [udp(ue_port=5000)]),
    ("both-ports", "ports of both", "permit out 17 from any 7100 to assigned 5100", [udp(ue_port=5100, host_port=7100)], [udp(ue_port=5100), udp(host_port=7100)]),
    ("all", "host, port and protocol", "permit out 6 from {h2} 7100 to assigned", [tcp(host=2, host_port=7100)], [tcp(host=3, host_port=7100), udp(host=2, host_port=7100)]),
]


def build(u, fields, down):
    fields = dict(fields)
    host, proto = u.b.hosts[fields.pop("host")], TCP if fields.pop("tcp", False) else UDP
    ports = fields.pop("sport"), fields.pop("dport")
    sport, dport = reversed(ports) if down else ports
    return u.packet(down=down, host=host, proto=proto, sport=sport, dport=dport, **fields)


def compare(b, pdi, match, miss, down):
    u = only(b.user(), pdi)
    for fields in match:
        (u.passes_down if down else u.passes_up)(build(u, fields, down))
    for fields in miss:
        (u.blocked_down if down else u.blocked_up)(build(u, fields, down))
    u.close()


@table([("sdf.%s.%s" % (name, "downlink" if down else "uplink"), "a filter on %s takes what it names, %s" % (title, "downlink" if down else "uplink"), text, match, miss, down)
        for name, title, text, match, miss in FILTERS for down in (False, True)], "29.244 5.2.1A.2A, 29.212 5.4.2")
def _(b, text, match, miss, down):
    text = text.format(**{"h%d" % n: h for n, h in enumerate(b.hosts)})
    compare(b, [sdf(text)], match, miss, down)


@table([("sdf.tos.%s" % ("downlink" if down else "uplink"), "a filter on the type of service under its mask takes what has it, %s" % ("downlink" if down else "uplink"), down) for down in (False, True)], "29.244 8.2.5")
def _(b, down):
    compare(b, [sdf("permit out ip from any to assigned", TTC=1, tos_traffic_class=0xb8, tos_traffic_mask=0xfc)], [udp(tos=0xb8), udp(tos=0xb9)], [udp(tos=0)], down)


@check("sdf.spi", "29.244 8.2.5", "a filter on the security parameter index takes only ESP packets with it")
def _(b):
    u = only(b.user(), [sdf("permit out ip from any to assigned", SPI=1, security_parameter_index=0x1234)])
    u.passes_up(u.packet(proto=ESP(spi=0x1234, seq=1)))
    u.blocked_up(u.packet(proto=ESP(spi=0x1235, seq=1)))
    u.close()


@check("sdf.several", "29.244 8.2.5", "several filters of a PDI are alternatives")
def _(b):
    compare(b, [sdf("permit out 17 from any 7100 to assigned"), sdf("permit out 17 from any 7200 to assigned")], [udp(host_port=7100), udp(host_port=7200)], [udp()], False)


@check("sdf.fragments", "RFC 1858, 29.244 5.2.1A", "a filter on ports does not take fragments other than the first")
def _(b):
    u = only(b.user(), [sdf("permit out 17 from any 7100 to assigned")])
    u.passes_up(u.packet(dport=7100, flags=1, size=540))
    u.blocked_up(u.packet(dport=7100, flags=0, frag=64, size=540))
    u.close()


@check("sdf.updated", "29.244 7.5.4.2", "a filter that a modification replaces is the one that counts")
def _(b):
    u = only(b.user(), [sdf("permit out 17 from any 7100 to assigned")])
    u.passes_up(u.packet(dport=7100))
    u.modify(u.up(kind=IE_UpdatePDR, pdi=[sdf("permit out 17 from any 7200 to assigned")], fteid=IE_FTEID(V4=1, TEID=u.teid, ipv4=b.a.n3)))
    u.passes_up(u.packet(dport=7200))
    u.blocked_up(u.packet(dport=7100))
    u.close()


@check("sdf.bidirectional", "29.244 8.2.5", "a PDR that names a filter by its ID has that filter", optional=True)
def _(b):
    u = b.user().open(up={"pdi": [sdf("permit out 17 from any 7100 to assigned", BID=1, sdf_filter_id=7)]}, down={"pdi": [sdf(BID=1, sdf_filter_id=7)]})
    u.passes_up(u.packet(dport=7100)), u.passes_down(u.packet(down=True, sport=7100))
    u.blocked_down(u.packet(down=True, sport=7200))
    u.close()


@check("sdf.bidirectional.updated", "29.244 8.2.5, 7.5.4.2", "an update of a filter is one for the PDR that names it by its ID, too", optional=True)
def _(b):
    u = b.user().open(up={"pdi": [sdf("permit out 17 from any 7100 to assigned", BID=1, sdf_filter_id=7)]}, down={"pdi": [sdf(BID=1, sdf_filter_id=7)]})
    u.modify(u.up(kind=IE_UpdatePDR, pdi=[sdf("permit out 17 from any 7200 to assigned", BID=1, sdf_filter_id=7)], fteid=IE_FTEID(V4=1, TEID=u.teid, ipv4=b.a.n3)))
    u.passes_up(u.packet(dport=7200)), u.passes_down(u.packet(down=True, sport=7200))
    u.blocked_down(u.packet(down=True, sport=7100))
    u.close()


@check("pdr.precedence", "29.244 5.2.1A.2", "of PDRs that match, the one with the lowest Precedence value decides, in whatever order they come")
def _(b):
    for first_value, second_value, passes in ((100, 50, False), (50, 100, True)):
        u = b.user()
        drop = IE_CreateFAR(IE_list=[IE_FAR_Id(id=9), action(DROP=1)])
        u.choose = False
        u.open(replace=[u.up(precedence=first_value)], more=[u.up(id=3, far=9, precedence=second_value, pdi=[sdf("permit out 17 from any to assigned")]), drop])
        (u.passes_up if passes else u.blocked_up)()
        u.close()


@check("pdr.added", "29.244 7.5.4.2", "a PDR that a modification creates takes effect, and its removal too")
def _(b):
    u = b.user().open()
    u.modify(u.down(id=9, far=9, precedence=10, pdi=[sdf("permit out 17 from any 7100 to assigned")]), IE_CreateFAR(IE_list=[IE_FAR_Id(id=9), action(DROP=1)]))
    u.blocked_down(u.packet(down=True, sport=7100))
    u.passes_down()
    u.modify(IE_RemovePDR(IE_list=[IE_PDR_Id(id=9)]), IE_RemoveFAR(IE_list=[IE_FAR_Id(id=9)]))
    u.passes_down(u.packet(down=True, sport=7100))
    u.close()


def named(u, *more, source=0):
    """A PDR that has the user's packets, and nothing that a predefined rule may have."""
    tunnel = [u.fteid()] if source == 0 else []
    removal = [IE_OuterHeaderRemoval(header=0)] if source == 0 else []
    return IE_CreatePDR(IE_list=[IE_PDR_Id(id=9 + source), IE_Precedence(precedence=10), IE_PDI(IE_list=[
        IE_SourceInterface(interface=source), *tunnel, *u.instance(), u.address(source)]), *removal, *more])


@check("pdr.predefined", "29.244 5.19, 8.2.72, 8.2.73", "PDRs that activate a predefined rule have its filters and its FAR, until they are removed or have another", optional=True)
def _(b):
    b.need(b.a.predefined, "--predefined")
    u, name, host = b.user(), b.a.predefined, b.hosts[19]
    u.choose = False
    u.open(more=[named(u, IE_ActivatePredefinedRules(name=name)), named(u, IE_ActivatePredefinedRules(name=name), source=1)])
    u.passes_up(), u.passes_down()
    u.blocked_up(u.packet(host=host)), u.blocked_down(u.packet(down=True, host=host))
    u.modify(IE_UpdatePDR(IE_list=[IE_PDR_Id(id=9), IE_DeactivatePredefinedRules(name=name), IE_FAR_Id(id=1), IE_PDI(IE_list=[
        IE_SourceInterface(interface=0), u.fteid(), *u.instance(), u.address(0), sdf("permit out 17 from %s to assigned" % host)])]))
    u.passes_up(u.packet(host=host)), u.blocked_down(u.packet(down=True, host=host))
    u.modify(IE_RemovePDR(IE_list=[IE_PDR_Id(id=10)]))
    u.passes_down(u.packet(down=True, host=host)), u.passes_up(), u.passes_down()
    u.close()


@check("pdr.many", "29.244 5.2.1A", "of 20 PDRs with filters each takes its own packets")
def _(b):
    u = b.user()
    more = [u.down(id=10 + n, far=10 + n, precedence=10 + n, pdi=[sdf("permit out 17 from any %d to assigned" % (7100 + n))]) for n in range(20)]
    u.open(more=more + [u.to_access(10 + n, teid=0x0c000000 + 32 * u.gnb_teid % 0x100000 + n) for n in range(20)])
    for n in (0, 7, 19):
        u.passes_down(u.packet(down=True, sport=7100 + n), teid=0x0c000000 + 32 * u.gnb_teid % 0x100000 + n)
    u.passes_down()
    u.close()


@check("pdr.qfi", "29.244 8.2.89, 38.415 5.5.2.2", "an uplink PDR with a QFI takes packets of this QFI alone")
def _(b):
    u = b.user().open(up={"pdi": [IE_QFI(QFI=QFI)]})
    u.passes_up(qfi=QFI)
    u.blocked_up(qfi=QFI + 1)
    u.close()


@check("pdr.qfi.several", "29.244 7.5.2.2", "an uplink PDR with several QFIs takes packets of each")
def _(b):
    u = b.user().open(up={"pdi": [IE_QFI(QFI=5), IE_QFI(QFI=33)]})
    u.passes_up(qfi=5), u.passes_up(qfi=33)
    u.blocked_up(qfi=6)
    u.close()


@check("pdr.update.far", "29.244 7.5.4.2", "a PDR that a modification gives another FAR goes by that")
def _(b):
    u = b.user().open(more=[IE_CreateFAR(IE_list=[IE_FAR_Id(id=9), action(DROP=1)])])
    u.modify(IE_UpdatePDR(IE_list=[IE_PDR_Id(id=1), IE_FAR_Id(id=9)]))
    u.blocked_up()
    u.passes_down()
    u.close()
