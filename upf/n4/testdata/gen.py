#!/usr/bin/env python3
"""Writes the requests that the tests send and the answers that they expect,
as scapy builds them.

Run in this folder: python3 gen.py > messages.txt
A line is a name and the message in hex. The SEIDs, TEIDs and time stamps of
the answers are those that the tests make the server choose."""
from socket import AF_INET6, inet_aton, inet_pton

from scapy.contrib.pfcp import *

SMF, GNB, N3, N4, UE = "127.0.0.7", "192.0.2.1", "198.18.0.1", "127.0.0.8", "10.45.0.2"
SMF2, SMF3, CP2 = "127.0.0.17", "127.0.0.27", 0x99AABBCCDDEEFF00
N36, GNB6 = "2001:db8:3::1", "2001:db8:3::2"
SMF6, SMF6B, N46 = "2001:db8:4::7", "2001:db8:4::17", "2001:db8:4::8"
PREFIX = "2001:db8:45:2::"
CP, UP = 0x1122334455667788, 0x99
RECOVERY, STARTED = 3900000000, 3900001000
CHOSEN = 0x1001  # the first TEID that the server chooses


def node(typ, seq, ies):
    return PFCP(version=1, S=0, seq=seq) / typ(IE_list=ies)


def session(typ, seq, seid, ies):
    return PFCP(version=1, S=1, seid=seid, seq=seq) / typ(IE_list=ies)


def features(extra=b"\x10\x04", **more):
    """MNOP and VTIME scapy has no field for."""
    return IE_UPFunctionFeatures(length=4, FTUP=1, PFDM=1, EMPU=1, PDIU=1, QUOAC=1, FRRT=1, PFDE=1, extra_data=extra, **more)


def dns(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))


# The IEs of SMF sets, which scapy has no fields for; tshark reads them as they are meant.
def cp_features(sset=0, mpas=0):
    return IE_CPFunctionFeatures(spare=sset << 1 | mpas << 3)


def set_id(name="set.example.org"):
    return IE_NotImplemented(ietype=180, data=b"\0" + dns(name))


def instead(address, preferred=0):
    return IE_NotImplemented(ietype=178, data=bytes([2 | preferred << 2]) + inet_aton(address))


def retain(*addresses):
    return IE_NotImplemented(ietype=183, data=b"".join(bytes(IE_NotImplemented(ietype=185, data=b"\2" + inet_aton(a))) for a in addresses))


def accepted():
    return IE_Cause(cause=1)


def me():
    return IE_NodeId(id_type=0, ipv4=SMF)


def you():
    return IE_NodeId(id_type=0, ipv4=N4)


def me6():
    return IE_NodeId(id_type=1, ipv6=SMF6)


def you6():
    return IE_NodeId(id_type=1, ipv6=N46)


def established6(seq):
    return session(PFCPSessionEstablishmentResponse, seq, CP, [you6(), accepted(), IE_FSEID(v6=1, seid=UP, ipv6=N46)])


def given(teid=1):
    return IE_FTEID(V4=1, TEID=teid, ipv4=N3)


def ue6(**fields):
    return IE_UE_IP_Address(**fields)


def raw_ue(flags, address="", *more):
    """A UE IP Address with what scapy has no fields for."""
    data = bytes([flags]) + (inet_pton(AF_INET6, address) if address else b"") + bytes(more)
    return IE_NotImplemented(ietype=93, length=len(data), data=data)


def uplink_pdr(fteid, pdr=1, far=1, qers=(1,), extra=(), ue=None, removal=0):
    return IE_CreatePDR(IE_list=[
        IE_PDR_Id(id=pdr), IE_Precedence(precedence=255),
        IE_PDI(IE_list=[IE_SourceInterface(interface=0), fteid,
                        IE_NetworkInstance(instance="internet"),
                        ue or IE_UE_IP_Address(V4=1, ipv4=UE)] + list(extra)),
        IE_OuterHeaderRemoval(header=removal), IE_FAR_Id(id=far)] + [IE_QER_Id(id=q) for q in qers])


def downlink_pdr(pdr=2, far=2, ue=UE, extra=(), around=()):
    return IE_CreatePDR(IE_list=[
        IE_PDR_Id(id=pdr), IE_Precedence(precedence=255),
        IE_PDI(IE_list=[IE_SourceInterface(interface=1),
                        IE_UE_IP_Address(V4=1, SD=1, ipv4=ue) if isinstance(ue, str) else ue] + list(extra)),
        *around, IE_FAR_Id(id=far), IE_QER_Id(id=1)])


def uplink_far(far=1):
    return IE_CreateFAR(IE_list=[IE_FAR_Id(id=far), IE_ApplyAction(FORW=1),
        IE_ForwardingParameters(IE_list=[IE_DestinationInterface(interface=1)])])


def exit_far(interface=1, number=1, **header):
    """An uplink FAR into a tunnel on N6."""
    return IE_CreateFAR(IE_list=[IE_FAR_Id(id=number), IE_ApplyAction(FORW=1), IE_ForwardingParameters(IE_list=[
        IE_DestinationInterface(interface=interface), IE_OuterHeaderCreation(**header)])])


def tunnelled(seq, removal, **header):
    """A session whose packets are in tunnels on N6."""
    return establish(seq, uplink_pdr(given()), downlink_pdr(around=[IE_OuterHeaderRemoval(header=removal)]),
                     exit_far(**header), downlink_far(), qer())


def waiting(seq, pdr, flow):
    """A Downlink Data Report."""
    return (session(PFCPSessionReportRequest, seq, CP, [IE_ReportType(DLDR=1), IE_DownlinkDataReport(IE_list=[
        IE_PDR_Id(id=pdr), IE_DownlinkDataServiceInformation(PPI=1, ppi_val=46, QFII=1, qfi_val=flow)])]),
            session(PFCPSessionReportResponse, seq, UP, [accepted()]))


def bars(*ies):
    """An answer to the first report, with an Update BAR."""
    return (session(PFCPSessionReportResponse, 1, UP, [accepted(), IE_UpdateBAR_SRR(IE_list=list(ies))]), PFCP())


def buffering_far(far=2):
    return IE_CreateFAR(IE_list=[IE_FAR_Id(id=far), IE_ApplyAction(BUFF=1, NOCP=1),
        IE_ForwardingParameters(IE_list=[IE_DestinationInterface(interface=0)]), IE_BAR_Id(id=3)])


def outer(teid, peer):
    return IE_OuterHeaderCreation(GTPUUDPIPV4=1, TEID=teid, ipv4=peer)


def downlink_far(far=2):
    return IE_CreateFAR(IE_list=[IE_FAR_Id(id=far), IE_ApplyAction(FORW=1),
        IE_ForwardingParameters(IE_list=[IE_DestinationInterface(interface=0), outer(2, GNB)])])


def downlink_far6():
    return IE_CreateFAR(IE_list=[
        IE_FAR_Id(id=2), IE_ApplyAction(FORW=1), IE_ForwardingParameters(IE_list=[
            IE_DestinationInterface(interface=0),
            IE_OuterHeaderCreation(GTPUUDPIPV6=1, TEID=2, ipv6=GNB6)])])


def qer(number=1, flow=9):
    return IE_CreateQER(IE_list=[IE_QER_Id(id=number), IE_GateStatus(ul=0, dl=0), IE_MBR(ul=200000000, dl=100000), IE_QFI(QFI=flow)])


def establish(seq, *ies, head=None):
    head = [me(), IE_FSEID(v4=1, seid=CP, ipv4=SMF)] if head is None else head
    return session(PFCPSessionEstablishmentRequest, seq, 0, head + list(ies))


def plain(*ies):
    return list(ies) + [uplink_far(), downlink_far(), qer()]


def sdf(text, number=0):
    if number:
        return IE_SDF_Filter(FD=1, BID=1, flow_description=text, sdf_filter_id=number)
    return IE_SDF_Filter(FD=1, flow_description=text)


def established(seq, *created):
    return session(PFCPSessionEstablishmentResponse, seq, CP,
                   [you(), accepted(), IE_FSEID(v4=1, seid=UP, ipv4=N4)] + list(created))


def created(pdr, teid=CHOSEN):
    return IE_CreatedPDR(IE_list=[IE_PDR_Id(id=pdr), IE_FTEID(V4=1, TEID=teid, ipv4=N3)])


def updated(pdr, teid):
    """An Updated PDR, 256, which scapy has no class for."""
    return IE_NotImplemented(ietype=256, data=bytes(IE_PDR_Id(id=pdr)) + bytes(IE_FTEID(V4=1, TEID=teid, ipv4=N3)))


def leased(pdr, four, six, fteid=False):
    ue = IE_UE_IP_Address(V4=1, V6=1, ipv4=four, ipv6=six)
    return IE_CreatedPDR(IE_list=[IE_PDR_Id(id=pdr)] + ([IE_FTEID(V4=1, TEID=CHOSEN, ipv4=N3)] if fteid else []) + [ue])


def refused(seq, cause, *more, seid=CP):
    return session(PFCPSessionEstablishmentResponse, seq, seid, [you(), IE_Cause(cause=cause)] + list(more))


def modify(seq, *ies, seid=UP):
    return session(PFCPSessionModificationRequest, seq, seid, list(ies))


def modified(seq, *more, cause=1, seid=CP):
    return session(PFCPSessionModificationResponse, seq, seid, [IE_Cause(cause=cause)] + list(more))


def failed_urr(rule):
    return IE_FailedRuleId(type=3, urr_id=rule)


def failed(kind, rule):
    return IE_FailedRuleId(type=kind, **{("pdr_id", "far_id", "qer_id")[kind]: rule})


def named(pdr, source, *more):
    """A PDR whose packets are the UE's, and those of predefined rules."""
    tunnel = [given()] if source == 0 else []
    return IE_CreatePDR(IE_list=[IE_PDR_Id(id=pdr), IE_Precedence(precedence=9), IE_PDI(IE_list=[
        IE_SourceInterface(interface=source), *tunnel, IE_UE_IP_Address(V4=1, SD=source, ipv4=UE)]), *more])


def activate(*names):
    return [IE_ActivatePredefinedRules(name=name) for name in names]


def update(seq, pdr, *more):
    return modify(seq, IE_UpdatePDR(IE_list=[IE_PDR_Id(id=pdr), *more]))


def by_endpoint(pdr, source, endpoint, far, *extra):
    """A PDR whose PDI refers to a traffic endpoint."""
    more = [IE_OuterHeaderRemoval(header=0)] if source == 0 else []
    return IE_CreatePDR(IE_list=[
        IE_PDR_Id(id=pdr), IE_Precedence(precedence=255),
        IE_PDI(IE_list=[IE_SourceInterface(interface=source), IE_TrafficEndpointId(id=endpoint)] + list(extra))] + more + [IE_FAR_Id(id=far)])


def endpoint(number, *ies, kind=IE_CreateTrafficEndpoint):
    return kind(IE_list=[IE_TrafficEndpointId(id=number)] + list(ies))


BOTH = (endpoint(0, IE_FTEID(CH=1, V4=1), IE_UE_IP_Address(V4=1, ipv4=UE)), endpoint(2, IE_UE_IP_Address(V4=1, SD=1, ipv4=UE)))


NOW = 1_800_000_000 + 2208988800  # the tests' clock, in PFCP's seconds


def with_urr(ie):
    ie.IE_list = ie.IE_list + [IE_URR_Id(id=1)]
    return ie


def urr(triggers, *more, number=1, method=dict(VOLUM=1, DURAT=1)):
    return IE_CreateURR(IE_list=[IE_URR_Id(id=number), IE_MeasurementMethod(**method), IE_ReportingTriggers(**triggers)] + list(more))


def counted(seq, *more):
    """A session whose two PDRs are counted."""
    return (establish(seq, with_urr(uplink_pdr(given())), with_urr(downlink_pdr()), uplink_far(), downlink_far(), qer(), *more),
            established(seq))


def senseless(seq, offending, rule):
    return counted(seq, rule)[0], refused(seq, 69, IE_OffendingIE(type=offending), failed_urr(1))


def action_session(seq, triggers, far, *quota, both=False):
    """A session whose uplink packets, or all, go by a FAR when a quota is used up: 3 is a tunnel on N6."""
    away = exit_far(number=3, IPV4=1, ipv4="203.0.113.9")
    return establish(seq, with_urr(uplink_pdr(given())), with_urr(downlink_pdr()) if both else downlink_pdr(), uplink_far(), downlink_far(), away,
                     qer(), urr(triggers, IE_FAR_Id(id=far), *quota))


def validity(seconds):
    """A Quota Validity Time, 181."""
    return IE_NotImplemented(ietype=181, data=seconds.to_bytes(4, "big"))


def usage(kind, number, trigger, up=0, down=0, start=0, end=0, first=None, seconds=0, urr=1, more=(), last=None):
    bits = IE_UsageReportTrigger(extra_data=b"\0", **{trigger: 1}) if isinstance(trigger, str) else IE_NotImplemented(ietype=63, data=trigger)
    ies = [IE_URR_Id(id=urr), IE_UR_SEQN(number=number), bits]
    if trigger not in ("START", "STOPT"):
        ies += [IE_StartTime(timestamp=NOW + start), IE_EndTime(timestamp=NOW + end),
                IE_VolumeMeasurement(TOVOL=1, ULVOL=1, DLVOL=1, total=up + down, uplink=up, downlink=down),
                IE_DurationMeasurement(duration=seconds)]
    if first is not None:
        ies += [IE_TimeOfFirstPacket(timestamp=NOW + first), IE_TimeOfLastPacket(timestamp=NOW + (first if last is None else last))]
    return kind(IE_list=ies + list(more))


def report(seq, *ies):
    """What the UPF sends, and the CP function's answer."""
    return (session(PFCPSessionReportRequest, seq, CP, [IE_ReportType(USAR=1)] + list(ies)),
            session(PFCPSessionReportResponse, seq, UP, [accepted()]))


WEB = "permit out 6 from 198.51.100.0/24 80 to assigned"
TLS = "permit out 6 from 198.51.100.0/24 443 to assigned"
QUIC = b"permit out 17 from 198.51.100.0/24 443 to assigned"


def counted_text(text):
    return len(text).to_bytes(2, "big") + text


def pfd(seq, *applications, cause=1, more=()):
    """PFD management: applications are an ID and contents each."""
    ies = []
    for name, *contents in applications:
        context = [IE_PFDContext(IE_list=contents)] if contents else []
        ies.append(IE_ApplicationID_PFDs(IE_list=[IE_ApplicationId(id=name)] + context))
    return (node(PFCPPFDManagementRequest, seq, ies), node(PFCPPFDManagementResponse, seq, [IE_Cause(cause=cause)] + list(more)))


def set_deletion(seq, *sets, cause=1, more=()):
    return (node(PFCPSessionSetDeletionRequest, seq, [me()] + list(sets)),
            node(PFCPSessionSetDeletionResponse, seq, [you(), IE_Cause(cause=cause)] + list(more)))


PAIRS = {
    "heartbeat": (node(PFCPHeartbeatRequest, 7, [IE_RecoveryTimeStamp(timestamp=RECOVERY)]),
                  node(PFCPHeartbeatResponse, 7, [IE_RecoveryTimeStamp(timestamp=STARTED)])),
    "setup": (node(PFCPAssociationSetupRequest, 1, [me(), IE_RecoveryTimeStamp(timestamp=RECOVERY), IE_CPFunctionFeatures()]),
              node(PFCPAssociationSetupResponse, 1, [you(), accepted(), IE_RecoveryTimeStamp(timestamp=STARTED),
                                                     features()])),
    # N4 over IPv6: Node IDs of type 1, F-SEIDs with V6, one of the SMF's with both families.
    "ipv6-n4-setup": (node(PFCPAssociationSetupRequest, 1, [me6(), IE_RecoveryTimeStamp(timestamp=RECOVERY), IE_CPFunctionFeatures()]),
                      node(PFCPAssociationSetupResponse, 1, [you6(), accepted(), IE_RecoveryTimeStamp(timestamp=STARTED), features()])),
    "ipv6-n4-establish": (establish(10, *plain(uplink_pdr(given()), downlink_pdr()), head=[me6(), IE_FSEID(v6=1, seid=CP, ipv6=SMF6)]),
                          established6(10)),
    "ipv6-n4-move": (modify(11, IE_FSEID(v6=1, seid=CP, ipv6=SMF6B)), modified(11)),
    "ipv6-n4-both": (modify(12, IE_FSEID(v4=1, v6=1, seid=CP, ipv4=SMF, ipv6=SMF6)), modified(12)),
    "ipv6-n4-delete": (session(PFCPSessionDeletionRequest, 13, UP, []), session(PFCPSessionDeletionResponse, 13, CP, [accepted()])),
    "setup-holding": (node(PFCPAssociationSetupRequest, 1, [me(), IE_RecoveryTimeStamp(timestamp=RECOVERY), IE_CPFunctionFeatures()]),
                      node(PFCPAssociationSetupResponse, 1, [you(), accepted(), IE_RecoveryTimeStamp(timestamp=STARTED),
                                                             features(DDND=1, UDBC=1)])),
    # SMF sets: an association of each SMF (MPAS), and one of the set (SSET).
    "set-setup": (node(PFCPAssociationSetupRequest, 320, [me(), IE_RecoveryTimeStamp(timestamp=RECOVERY), cp_features(mpas=1), set_id()]),
                  node(PFCPAssociationSetupResponse, 320, [you(), accepted(), IE_RecoveryTimeStamp(timestamp=STARTED), features(b"\x10\x05")])),
    "set-setup-2": (node(PFCPAssociationSetupRequest, 321, [IE_NodeId(id_type=0, ipv4=SMF2), IE_RecoveryTimeStamp(timestamp=RECOVERY),
                                                            cp_features(mpas=1), set_id(), instead(SMF, 1)]),
                    node(PFCPAssociationSetupResponse, 321, [you(), accepted(), IE_RecoveryTimeStamp(timestamp=STARTED), features(b"\x10\x05")])),
    "set-shared": (node(PFCPAssociationSetupRequest, 322, [IE_NodeId(id_type=2, id="set.example.org"), IE_RecoveryTimeStamp(timestamp=RECOVERY),
                                                           cp_features(sset=1), instead(SMF2)]),
                   node(PFCPAssociationSetupResponse, 322, [you(), accepted(), IE_RecoveryTimeStamp(timestamp=STARTED), features(b"\x18\x04")])),
    "set-setup-3": (node(PFCPAssociationSetupRequest, 336, [IE_NodeId(id_type=0, ipv4=SMF3), IE_RecoveryTimeStamp(timestamp=RECOVERY),
                                                            cp_features(mpas=1), set_id()]),
                    node(PFCPAssociationSetupResponse, 336, [you(), accepted(), IE_RecoveryTimeStamp(timestamp=STARTED), features(b"\x10\x05")])),
    "set-establish": (establish(337, with_urr(uplink_pdr(given())), with_urr(downlink_pdr()), uplink_far(), downlink_far(), qer(),
                                urr(dict(volume_threshold=1), IE_VolumeThreshold(TOVOL=1, total=1000)),
                                head=[IE_NodeId(id_type=2, id="set.example.org"), IE_FSEID(v4=1, seid=CP, ipv4=SMF)]), established(337)),
    "set-update": (node(PFCPAssociationUpdateRequest, 323, [me(), instead(SMF2)]),
                   node(PFCPAssociationUpdateResponse, 323, [you(), accepted(), features(b"\x10\x05")])),
    "set-no-id": (node(PFCPAssociationSetupRequest, 324, [me(), IE_RecoveryTimeStamp(timestamp=RECOVERY), cp_features(mpas=1)]),
                  node(PFCPAssociationSetupResponse, 324, [you(), IE_Cause(cause=67), IE_OffendingIE(type=180)])),
    "set-short-id": (node(PFCPAssociationSetupRequest, 325, [me(), IE_RecoveryTimeStamp(timestamp=RECOVERY), IE_NotImplemented(ietype=180, data=b"\0")]),
                     node(PFCPAssociationSetupResponse, 325, [you(), IE_Cause(cause=68), IE_OffendingIE(type=180)])),
    "set-short-address": (node(PFCPAssociationSetupRequest, 326, [me(), IE_RecoveryTimeStamp(timestamp=RECOVERY), IE_NotImplemented(ietype=178, data=b"\2abc")]),
                          node(PFCPAssociationSetupResponse, 326, [you(), IE_Cause(cause=68), IE_OffendingIE(type=178)])),
    "set-short-entity": (node(PFCPAssociationSetupRequest, 327, [me(), IE_RecoveryTimeStamp(timestamp=RECOVERY), IE_NotImplemented(
                              ietype=183, data=bytes(IE_NotImplemented(ietype=185, data=b"\1abcd")))]),
                         node(PFCPAssociationSetupResponse, 327, [you(), IE_Cause(cause=68), IE_OffendingIE(type=185)])),
    "set-takeover": (modify(328, IE_FSEID(v4=1, seid=CP2, ipv4=SMF2), IE_NodeId(id_type=0, ipv4=SMF2)), modified(328, seid=CP2)),
    "set-takeover-nameless": (modify(329, IE_FSEID(v4=1, seid=CP2, ipv4=SMF2)), modified(329, IE_OffendingIE(type=60), cause=67)),
    "set-takeover-unknown": (modify(330, IE_NodeId(id_type=2, id="smf.example.org")), modified(330, cause=72)),
    "set-takeover-outside": (modify(331, IE_NodeId(id_type=2, id="out.example.org")), modified(331, cause=64)),
    "set-outside": (node(PFCPAssociationSetupRequest, 332, [IE_NodeId(id_type=2, id="out.example.org"), IE_RecoveryTimeStamp(timestamp=RECOVERY),
                                                            cp_features(mpas=1), set_id("other.example.org")]),
                    node(PFCPAssociationSetupResponse, 332, [you(), accepted(), IE_RecoveryTimeStamp(timestamp=STARTED), features(b"\x10\x05")])),
    "setup-retain": (node(PFCPAssociationSetupRequest, 333, [me(), IE_RecoveryTimeStamp(timestamp=RECOVERY + 9), cp_features(mpas=1), set_id(), retain()]),
                     node(PFCPAssociationSetupResponse, 333, [you(), accepted(), IE_RecoveryTimeStamp(timestamp=STARTED), features(b"\x10\x05"),
                                                              IE_NotImplemented(ietype=184, data=b"\1")])),
    "setup-retain-one": (node(PFCPAssociationSetupRequest, 334, [me(), IE_RecoveryTimeStamp(timestamp=RECOVERY), retain(SMF2, SMF)]),
                         node(PFCPAssociationSetupResponse, 334, [you(), accepted(), IE_RecoveryTimeStamp(timestamp=STARTED), features(),
                                                                  IE_NotImplemented(ietype=184, data=b"\1")])),
    "setup-retain-other": (node(PFCPAssociationSetupRequest, 335, [me(), IE_RecoveryTimeStamp(timestamp=RECOVERY), retain(SMF2)]),
                           node(PFCPAssociationSetupResponse, 335, [you(), accepted(), IE_RecoveryTimeStamp(timestamp=STARTED), features(),
                                                                    IE_NotImplemented(ietype=184, data=b"\1")])),
    # A report that the session's SMF does not answer, to another one.
    "report-to-other": (session(PFCPSessionReportRequest, 2, 0, [IE_ReportType(USAR=1), usage(IE_UsageReport_SRR, 0, "PERIO", 0, 0, 0, 10),
                                                                 IE_FSEID(v4=1, seid=CP, ipv4=SMF)]),
                        session(PFCPSessionReportResponse, 2, UP, [accepted(), IE_FSEID(v4=1, seid=CP2, ipv4=SMF2)])),
    "report-redirected": (session(PFCPSessionReportRequest, 1, CP, [IE_ReportType(USAR=1), usage(IE_UsageReport_SRR, 0, "PERIO", 0, 0, 0, 10)]),
                          session(PFCPSessionReportResponse, 1, UP, [IE_Cause(cause=78), instead(SMF2)])),
    "setup-no-recovery": (node(PFCPAssociationSetupRequest, 2, [me()]),
                          node(PFCPAssociationSetupResponse, 2, [you(), IE_Cause(cause=66), IE_OffendingIE(type=96)])),
    "update": (node(PFCPAssociationUpdateRequest, 3, [me()]),
               node(PFCPAssociationUpdateResponse, 3, [you(), accepted(), features()])),
    "release": (node(PFCPAssociationReleaseRequest, 4, [me()]),
                node(PFCPAssociationReleaseResponse, 4, [you(), accepted()])),
    # What a client sends that does not know its own address, pfcpsim for one.
    "release-unspecified": (node(PFCPAssociationReleaseRequest, 9, [IE_NodeId(id_type=0, ipv4="0.0.0.0")]),
                            node(PFCPAssociationReleaseResponse, 9, [you(), accepted()])),
    "release-unknown": (node(PFCPAssociationReleaseRequest, 5, [IE_NodeId(id_type=2, id="smf.example.org")]),
                        node(PFCPAssociationReleaseResponse, 5, [you(), IE_Cause(cause=72)])),
    "pfd": (node(PFCPPFDManagementRequest, 6, []),
            node(PFCPPFDManagementResponse, 6, [IE_Cause(cause=72)])),
    "version-2": (PFCP(version=2, S=0, seq=8, message_type=1) / b"",
                  node(PFCPVersionNotSupportedResponse, 8, [])),

    "establish-given": (establish(10, *plain(uplink_pdr(given()), downlink_pdr())), established(10)),
    "establish-choose": (establish(11, *plain(uplink_pdr(IE_FTEID(CH=1, V4=1)), downlink_pdr())),
                         established(11, created(1))),
    "update-choose": (update(401, 1, IE_PDI(IE_list=[IE_SourceInterface(interface=0), IE_FTEID(CH=1, V4=1), IE_UE_IP_Address(V4=1, ipv4=UE)])),
                      modified(401, updated(1, CHOSEN + 1))),
    "update-choose-given": (update(402, 1, IE_PDI(IE_list=[IE_SourceInterface(interface=0), IE_FTEID(CH=1, V4=1), IE_UE_IP_Address(V4=1, ipv4=UE)])),
                            modified(402, updated(1, CHOSEN))),
    "renew-choose": (modify(403, IE_RemovePDR(IE_list=[IE_PDR_Id(id=1)]), uplink_pdr(IE_FTEID(CH=1, V4=1))), modified(403, created(1, CHOSEN + 1))),
    "establish-choose-shared": (
        establish(12, uplink_pdr(IE_FTEID(CH=1, CHID=1, V4=1, choose_id=5), extra=[IE_QFI(QFI=1)]),
                  uplink_pdr(IE_FTEID(CH=1, CHID=1, V4=1, choose_id=5), pdr=3, extra=[IE_QFI(QFI=2)]),
                  downlink_pdr(), uplink_far(), downlink_far(), qer()),
        established(12, created(1), created(3))),
    "establish-urr-bar": (
        establish(13, *plain(uplink_pdr(given()), downlink_pdr()),
                  IE_CreateURR(IE_list=[IE_URR_Id(id=1), IE_MeasurementMethod(VOLUM=1), IE_ReportingTriggers()]),
                  IE_Create_BAR(IE_list=[IE_BAR_Id(id=1)])),
        established(13)),
    "establish-any-sdf": (
        establish(14, *plain(uplink_pdr(given(), extra=[IE_SDF_Filter(FD=1, flow_description="permit out ip from any to assigned")]),
                             downlink_pdr())),
        established(14)),

    "no-node-id": (establish(20, *plain(uplink_pdr(given()), downlink_pdr()), head=[IE_FSEID(v4=1, seid=CP, ipv4=SMF)]),
                   refused(20, 66, IE_OffendingIE(type=60))),
    "no-f-seid": (establish(21, *plain(uplink_pdr(given()), downlink_pdr()), head=[me()]),
                  refused(21, 66, IE_OffendingIE(type=57), seid=0)),
    "no-pdr": (establish(22, uplink_far()), refused(22, 66, IE_OffendingIE(type=1))),
    "no-far": (establish(23, uplink_pdr(given())), refused(23, 66, IE_OffendingIE(type=3))),
    "no-pdi": (establish(24, IE_CreatePDR(IE_list=[IE_PDR_Id(id=1), IE_Precedence(precedence=1), IE_FAR_Id(id=1)]), uplink_far()),
               refused(24, 66, IE_OffendingIE(type=2))),
    "no-precedence": (establish(25, IE_CreatePDR(IE_list=[IE_PDR_Id(id=1), IE_FAR_Id(id=1),
                                IE_PDI(IE_list=[IE_SourceInterface(interface=1)])]), uplink_far()),
                      refused(25, 66, IE_OffendingIE(type=29))),
    "no-far-id": (establish(26, IE_CreatePDR(IE_list=[IE_PDR_Id(id=1), IE_Precedence(precedence=1),
                            IE_PDI(IE_list=[IE_SourceInterface(interface=1)])]), uplink_far()),
                  refused(26, 67, IE_OffendingIE(type=108))),
    "no-forwarding-parameters": (
        establish(27, uplink_pdr(given()), IE_CreateFAR(IE_list=[IE_FAR_Id(id=1), IE_ApplyAction(FORW=1)])),
        refused(27, 67, IE_OffendingIE(type=4))),
    "unknown-qer": (establish(28, *plain(uplink_pdr(given(), qers=(1, 7)), downlink_pdr())),
                    refused(28, 73, failed(0, 1))),
    "unknown-far": (establish(29, *plain(uplink_pdr(given(), far=8), downlink_pdr())), refused(29, 73, failed(0, 1))),
    "other-n3": (establish(30, *plain(uplink_pdr(IE_FTEID(V4=1, TEID=1, ipv4="198.18.0.9")), downlink_pdr())),
                 refused(30, 73, failed(0, 1))),
    "narrow-sdf": (
        establish(31, *plain(uplink_pdr(given(), extra=[sdf("permit out 17 from any to assigned 53")]), downlink_pdr())),
        established(31)),
    # What pfcpsim sends for its filter udp:any:any:allow.
    "pfcpsim-filter": (
        establish(36, *plain(uplink_pdr(given(), extra=[sdf("permit out udp from any to assigned", 1)]),
                             downlink_pdr(extra=[sdf("permit out udp from any to assigned", 1)]))),
        established(36)),
    "sdf-by-id": (
        establish(37, *plain(uplink_pdr(given(), extra=[IE_SDF_Filter(BID=1, sdf_filter_id=7)]),
                             downlink_pdr(extra=[sdf("permit out 6 from 198.51.100.0/24 80,8000-8100 to assigned", 7)]))),
        established(37)),
    "sdf-unknown-id": (
        establish(38, *plain(uplink_pdr(given(), extra=[IE_SDF_Filter(BID=1, sdf_filter_id=8)]), downlink_pdr())),
        refused(38, 73, failed(0, 1))),
    "sdf-deny": (
        establish(39, *plain(uplink_pdr(given(), extra=[sdf("deny out ip from any to assigned")]), downlink_pdr())),
        refused(39, 73, failed(0, 1))),
    "buffer": (establish(32, uplink_pdr(given(), far=1), uplink_far(),
                         IE_CreateFAR(IE_list=[IE_FAR_Id(id=2), IE_ApplyAction(BUFF=1, NOCP=1)]), qer()),
               refused(32, 73, failed(1, 2))),
    "ethernet-pdn": (establish(33, *plain(uplink_pdr(given()), downlink_pdr()), IE_PDNType(pdn_type=5)),
                     refused(33, 76, IE_OffendingIE(type=113))),
    "ipv6": (establish(33, *plain(uplink_pdr(given(), ue=ue6(V6=1, ipv6=PREFIX)), downlink_pdr(ue=ue6(V6=1, SD=1, ipv6=PREFIX))),
                       IE_PDNType(pdn_type=2)), established(33)),
    "ipv4v6": (establish(33, *plain(uplink_pdr(given(), ue=ue6(V6=1, V4=1, ipv4=UE, ipv6=PREFIX)),
                                    downlink_pdr(ue=ue6(V6=1, V4=1, SD=1, ipv4=UE, ipv6=PREFIX))), IE_PDNType(pdn_type=3)),
               established(33)),
    "choose-ue": (establish(33, *plain(uplink_pdr(IE_FTEID(V4=1, CH=1), ue=raw_ue(0x30)), downlink_pdr(ue=raw_ue(0x34)))),
                  established(33, leased(1, "10.46.0.1", "2001:db8:46::", fteid=True), leased(2, "10.46.0.1", "2001:db8:46::"))),
    "choose-ue-next": (establish(34, *plain(uplink_pdr(given(3), ue=raw_ue(0x32)), downlink_pdr(ue=raw_ue(0x36)))),
                       session(PFCPSessionEstablishmentResponse, 34, CP, [
                           you(), accepted(), IE_FSEID(v4=1, seid=UP + 1, ipv4=N4), leased(1, "10.46.0.2", "2001:db8:46:1::"),
                           leased(2, "10.46.0.2", "2001:db8:46:1::")])),
    "choose-ue-full": (establish(35, *plain(uplink_pdr(given(4), ue=raw_ue(0x10)), downlink_pdr(ue=raw_ue(0x10)))), refused(35, 79)),
    "choose-ue-none": (establish(33, *plain(uplink_pdr(given(), ue=raw_ue(0x20)), downlink_pdr())), refused(33, 73, failed(0, 1))),
    "ue-of-pool": (establish(36, *plain(uplink_pdr(given(5), ue=ue6(V4=1, ipv4="10.46.0.1")),
                                        downlink_pdr(ue="10.46.0.1"))), refused(36, 73, failed(0, 1))),
    "outer6-given": (establish(33, uplink_pdr(IE_FTEID(V6=1, TEID=1, ipv6=N36), removal=1), downlink_pdr(), uplink_far(), downlink_far6(), qer()),
                     established(33)),
    "outer6-choose": (establish(33, uplink_pdr(IE_FTEID(V4=1, V6=1, CH=1), removal=6), downlink_pdr(), uplink_far(), downlink_far6(), qer()),
                      established(33, IE_CreatedPDR(IE_list=[IE_PDR_Id(id=1), IE_FTEID(V4=1, V6=1, TEID=CHOSEN, ipv4=N3, ipv6=N36)]))),
    "outer6-other-address": (establish(33, *plain(uplink_pdr(IE_FTEID(V6=1, TEID=1, ipv6="2001:db8:3::9")), downlink_pdr())),
                             refused(33, 73, failed(0, 1))),
    "outer6-none": (establish(33, *plain(uplink_pdr(IE_FTEID(V6=1, CH=1)), downlink_pdr())), refused(33, 73, failed(0, 1))),
    "outer6-removal-none": (establish(33, *plain(uplink_pdr(given(), removal=1), downlink_pdr())), refused(33, 73, failed(0, 1))),
    "framed": (establish(190, *plain(
        uplink_pdr(given(), extra=[IE_FramedRoute(framed_route="192.168.7.0/24 10.45.0.2 1"), IE_FramedIPv6Route(framed_ipv6_route="2001:db8:7::/56 :: 1")]),
        downlink_pdr(extra=[IE_FramedRoute(framed_route="192.168.7.0/24"), IE_FramedRoute(framed_route="172.30.0.1"),
                            IE_FramedIPv6Route(framed_ipv6_route="2001:db8:7::/56")]))), established(190)),
    "framed-bad": (establish(191, *plain(uplink_pdr(given()), downlink_pdr(extra=[IE_FramedRoute(framed_route="default")]))), refused(191, 73, failed(0, 2))),
    "framed-family": (establish(192, *plain(uplink_pdr(given()), downlink_pdr(extra=[IE_FramedRoute(framed_route="2001:db8::/32")]))),
                      refused(192, 73, failed(0, 2))),
    "framed-many": (establish(193, *plain(uplink_pdr(given()), downlink_pdr(extra=[IE_FramedRoute(framed_route=f"10.{n}.0.0/16") for n in range(17)]))),
                    refused(193, 73, failed(0, 2))),
    "framed-all": (establish(194, *plain(uplink_pdr(given()), downlink_pdr(extra=[IE_FramedRoute(framed_route="0.0.0.0/0")]))), refused(194, 73, failed(0, 2))),
    "framed-empty": (establish(195, *plain(uplink_pdr(given()), downlink_pdr(extra=[IE_FramedRoute(framed_route="")]))),
                     refused(195, 68, IE_OffendingIE(type=153))),
    "exit-udp4": (tunnelled(170, 2, UDPIPV4=1, ipv4="203.0.113.1", port=5000), established(170)),
    "exit-udp6": (tunnelled(171, 3, UDPIPV6=1, ipv6="2001:db8:77::1", port=5001), established(171)),
    "exit-ip4": (tunnelled(172, 4, IPV4=1, ipv4="203.0.113.1"), established(172)),
    "exit-ip6": (tunnelled(173, 5, IPV6=1, ipv6="2001:db8:77::1"), established(173)),
    "exit-no-port": (tunnelled(174, 2, UDPIPV4=1, ipv4="203.0.113.1", port=0), refused(174, 73, failed(1, 1))),
    "exit-two": (tunnelled(175, 2, UDPIPV4=1, IPV4=1, ipv4="203.0.113.1", port=5), refused(175, 73, failed(1, 1))),
    "exit-vlan": (tunnelled(176, 2, CTAG=1, ctag=5), refused(176, 73, failed(1, 1))),
    "exit-access": (establish(177, uplink_pdr(given()), downlink_pdr(), exit_far(interface=0, IPV4=1, ipv4="203.0.113.1"), downlink_far(), qer()),
                    refused(177, 73, failed(1, 1))),
    "exit-removal-7": (tunnelled(178, 7, IPV4=1, ipv4="203.0.113.1"), refused(178, 73, failed(0, 2))),
    "exit-change": (modify(179, IE_UpdateFAR(IE_list=[IE_FAR_Id(id=1), IE_UpdateForwardingParameters(IE_list=[
        IE_OuterHeaderCreation(IPV4=1, ipv4="203.0.113.2"), IE_PFCPSMReqFlags(SNDEM=1)])])), modified(179)),
    "removal-3": (establish(33, *plain(uplink_pdr(given(), removal=3), downlink_pdr())), refused(33, 73, failed(0, 1))),
    "ipv6-delegated": (establish(33, *plain(uplink_pdr(given(), ue=raw_ue(0x09, PREFIX, 4)),
                                            downlink_pdr(ue=raw_ue(0x0d, PREFIX, 4)))), established(33)),
    "ipv6-length": (establish(33, *plain(uplink_pdr(given(), ue=raw_ue(0x41, PREFIX, 128)),
                                         downlink_pdr(ue=raw_ue(0x45, PREFIX, 128)))), established(33)),
    "ipv6-too-long": (establish(33, *plain(uplink_pdr(given(), ue=raw_ue(0x41, PREFIX, 129)), downlink_pdr())),
                      refused(33, 73, failed(0, 1))),
    "ipv6-short": (establish(33, *plain(uplink_pdr(given(), ue=raw_ue(0x41, PREFIX)), downlink_pdr())),
                   refused(33, 68, IE_OffendingIE(type=93))),
    "ipv6-link-local": (establish(33, *plain(uplink_pdr(given(), ue=raw_ue(0x01, "fe80::1")), downlink_pdr())),
                        refused(33, 73, failed(0, 1))),
    "no-address-in-ue": (establish(33, *plain(uplink_pdr(given(), ue=raw_ue(0)), downlink_pdr())), refused(33, 73, failed(0, 1))),
    "short-fteid": (establish(34, *plain(uplink_pdr(IE_NotImplemented(ietype=21, length=3, data=b"\1\0\0")), downlink_pdr())),
                    refused(34, 68, IE_OffendingIE(type=21))),
    "node-id-type": (establish(35, *plain(uplink_pdr(given()), downlink_pdr()),
                               head=[IE_NotImplemented(ietype=60, length=5, data=b"\7\1\2\3\4"), IE_FSEID(v4=1, seid=CP, ipv4=SMF)]),
                     refused(35, 69, IE_OffendingIE(type=60))),

    "modify-handover": (
        modify(40, IE_UpdateFAR(IE_list=[IE_FAR_Id(id=2), IE_UpdateForwardingParameters(IE_list=[
            outer(0x22, "192.0.2.2"), IE_PFCPSMReqFlags(SNDEM=1)])])),
        modified(40)),
    # Two FARs of one tunnel, which both leave it.
    "establish-two-fars": (establish(410, uplink_pdr(given()), downlink_pdr(),
                                     IE_CreatePDR(IE_list=[IE_PDR_Id(id=4), IE_Precedence(precedence=9), IE_PDI(IE_list=[
                                         IE_SourceInterface(interface=1), IE_UE_IP_Address(V4=1, SD=1, ipv4=UE), sdf(WEB)]), IE_FAR_Id(id=4)]),
                                     uplink_far(), downlink_far(), downlink_far(4), qer()), established(410)),
    "handover-two-fars": (
        modify(411, *[IE_UpdateFAR(IE_list=[IE_FAR_Id(id=far), IE_UpdateForwardingParameters(IE_list=[
            outer(0x22, "192.0.2.2"), IE_PFCPSMReqFlags(SNDEM=1)])]) for far in (2, 4)]),
        modified(411)),
    "modify-drop": (modify(41, IE_UpdateFAR(IE_list=[IE_FAR_Id(id=2), IE_ApplyAction(DROP=1)])), modified(41)),
    "modify-qer": (modify(42, IE_UpdateQER(IE_list=[IE_QER_Id(id=1), IE_GateStatus(ul=1, dl=0), IE_QFI(QFI=5)])), modified(42)),
    "modify-add": (
        modify(43, IE_RemovePDR(IE_list=[IE_PDR_Id(id=1)]), uplink_pdr(IE_FTEID(CH=1, V4=1), pdr=7)),
        modified(43, created(7))),
    "modify-update-pdr": (
        modify(44, IE_UpdatePDR(IE_list=[IE_PDR_Id(id=1), IE_Precedence(precedence=32), IE_PDI(IE_list=[
            IE_SourceInterface(interface=0), given(6), IE_UE_IP_Address(V4=1, ipv4=UE)])])),
        modified(44)),
    "modify-unknown-far": (
        modify(45, IE_UpdateFAR(IE_list=[IE_FAR_Id(id=9), IE_ApplyAction(DROP=1)])),
        modified(45, failed(1, 9), cause=73)),
    "modify-half": (
        modify(46, IE_UpdateFAR(IE_list=[IE_FAR_Id(id=2), IE_ApplyAction(DROP=1)]), IE_RemoveQER(IE_list=[IE_QER_Id(id=4)])),
        modified(46, failed(2, 4), cause=73)),
    "modify-used-far": (
        modify(47, IE_RemoveFAR(IE_list=[IE_FAR_Id(id=1)])), modified(47, failed(0, 1), cause=73)),
    "modify-unknown-session": (
        modify(48, IE_UpdateFAR(IE_list=[IE_FAR_Id(id=1), IE_ApplyAction(DROP=1)]), seid=0x77),
        modified(48, cause=65, seid=0)),
    "establish-counted": counted(60, urr({})),
    "query": (modify(61, IE_QueryURR(IE_list=[IE_URR_Id(id=1)])),
              modified(61, usage(IE_UsageReport_SMR, 0, "IMMER", 1000, 500, 0, 10, 2, 8))),
    "query-all": (modify(62, IE_PFCPSMReqFlags(QUARR=1)),
                  modified(62, usage(IE_UsageReport_SMR, 1, "IMMER", 0, 0, 10, 10))),
    "query-reference": (modify(405, IE_QueryURR(IE_list=[IE_URR_Id(id=1)]), IE_QueryURRReference(reference=4711)),
                        modified(405, usage(IE_UsageReport_SMR, 0, "IMMER", 1000, 500, 0, 10, 2, 8, more=[IE_QueryURRReference(reference=4711)]))),
    "query-all-reference": (modify(406, IE_PFCPSMReqFlags(QUARR=1), IE_QueryURRReference(reference=4712)),
                            modified(406, usage(IE_UsageReport_SMR, 1, "IMMER", 0, 0, 10, 10, more=[IE_QueryURRReference(reference=4712)]))),
    "query-unknown": (modify(63, IE_QueryURR(IE_list=[IE_URR_Id(id=9)])), modified(63, failed_urr(9), cause=73)),
    "remove-urr": (modify(64, IE_RemoveURR(IE_list=[IE_URR_Id(id=1)])),
                   modified(64, usage(IE_UsageReport_SMR, 0, "TERMR", 1000, 500, 0, 10, 2, 8))),
    "renew-urr": (modify(191, IE_RemoveURR(IE_list=[IE_URR_Id(id=1)]), urr(dict(volume_quota=1), IE_VolumeQuota(TOVOL=1, total=300))),
                  modified(191, usage(IE_UsageReport_SMR, 0, "TERMR", 1000, 500, 0, 10, 2, 8))),
    "query-renewed": (modify(192, IE_QueryURR(IE_list=[IE_URR_Id(id=1)])),
                      modified(192, usage(IE_UsageReport_SMR, 0, "IMMER", 0, 0, 10, 10))),
    "delete-counted": (session(PFCPSessionDeletionRequest, 65, UP, []),
                       session(PFCPSessionDeletionResponse, 65, CP, [
                           accepted(), usage(IE_UsageReport_SDR, 0, "TERMR", 1000, 500, 0, 10, 2, 8)])),
    # Time that counts from the beginning, asked for each 1.9 s: 1.9 s in all, 3.8 s, 5.7 s.
    "establish-immediate": counted(407, urr({}, IE_MeasurementInformation(ISTM=1))),
    **{f"query-duration-{n}": (modify(410 + n, IE_QueryURR(IE_list=[IE_URR_Id(id=1)])), modified(410 + n, usage(
        IE_UsageReport_SMR, n, "IMMER", 0, 0, 19 * n // 10, 19 * (n + 1) // 10, seconds=19 * (n + 1) // 10 - 19 * n // 10))) for n in range(6)},
    "establish-threshold": counted(66, urr(dict(volume_threshold=1), IE_VolumeThreshold(TOVOL=1, total=1000))),
    "report-threshold": report(1, usage(IE_UsageReport_SRR, 0, "VOLTH", 600, 500, 0, 10, 10)),
    "report-times": report(1, usage(IE_UsageReport_SRR, 0, "VOLTH", 1200, 0, 0, 6, 2, 4, last=6)),
    "report-times-again": report(2, usage(IE_UsageReport_SRR, 1, "VOLTH", 1200, 0, 6, 12, 8, 6, last=12)),
    "report-threshold-again": report(2, usage(IE_UsageReport_SRR, 1, "VOLTH", 0, 1200, 10, 20, 20, seconds=10)),
    "endpoints": (establish(150, *plain(*BOTH, by_endpoint(1, 0, 0, 1), by_endpoint(2, 1, 2, 2))),
                  established(150, endpoint(0, IE_FTEID(V4=1, TEID=CHOSEN, ipv4=N3), kind=IE_CreatedTrafficEndpoint))),
    "endpoints-update": (modify(151, endpoint(0, given(5), kind=IE_UpdateTrafficEndpoint),
                                endpoint(2, IE_UE_IP_Address(V4=1, SD=1, ipv4="10.45.0.9"), kind=IE_UpdateTrafficEndpoint)), modified(151)),
    "endpoints-choose": (modify(404, endpoint(0, IE_FTEID(CH=1, V4=1), kind=IE_UpdateTrafficEndpoint)),
                         modified(404, endpoint(0, IE_FTEID(V4=1, TEID=CHOSEN + 1, ipv4=N3), kind=IE_CreatedTrafficEndpoint))),
    "endpoints-remove": (modify(152, endpoint(2, kind=IE_RemoveTrafficEndpoint)), modified(152)),
    "endpoint-remove-unknown": (modify(153, endpoint(7, kind=IE_RemoveTrafficEndpoint)), modified(153, IE_OffendingIE(type=131), cause=73)),
    "endpoint-update-unknown": (modify(154, endpoint(7, kind=IE_UpdateTrafficEndpoint)), modified(154, IE_OffendingIE(type=131), cause=73)),
    "endpoint-unknown": (establish(155, *plain(*BOTH, by_endpoint(1, 0, 9, 1))), refused(155, 73, failed(0, 1))),
    "endpoint-twice": (establish(156, *plain(BOTH[0], BOTH[0], by_endpoint(1, 0, 0, 1))), refused(156, 73, IE_OffendingIE(type=131))),
    "endpoint-and-fteid": (establish(157, *plain(*BOTH, by_endpoint(1, 0, 0, 1, given()))), refused(157, 73, failed(0, 1))),
    "endpoint-no-id": (establish(158, *plain(IE_CreateTrafficEndpoint(IE_list=[given()]), by_endpoint(1, 0, 0, 1))),
                       refused(158, 66, IE_OffendingIE(type=131))),
    "endpoint-other-n3": (establish(159, *plain(endpoint(0, IE_FTEID(V4=1, TEID=1, ipv4="198.18.0.9")), by_endpoint(1, 0, 0, 1))),
                          refused(159, 73, IE_OffendingIE(type=131))),

    # A monitoring time 15 s after the establishment, and what holds after it.
    "establish-monitored": counted(160, urr(dict(volume_threshold=1), IE_VolumeThreshold(TOVOL=1, total=1000),
                                            IE_MonitoringTime(time_value=NOW + 15), IE_SubsequentVolumeThreshold(TOVOL=1, total=300))),
    "report-monitored": report(1, usage(IE_UsageReport_SRR, 0, "MONIT", up=600, end=15, first=10, seconds=5, more=[IE_UsageInformation(BEF=1)]),
                               usage(IE_UsageReport_SRR, 1, "VOLTH", down=300, start=15, end=20, first=20, seconds=5, more=[IE_UsageInformation(AFT=1)])),
    "report-monitored-again": report(2, usage(IE_UsageReport_SRR, 2, "VOLTH", down=300, start=20, end=30, first=30, seconds=10)),
    "establish-monitored-plain": counted(161, urr(dict(volume_threshold=1), IE_VolumeThreshold(TOVOL=1, total=1000), IE_MonitoringTime(time_value=NOW + 15))),
    "report-monitored-rest": report(1, usage(IE_UsageReport_SRR, 0, "MONIT", up=600, end=15, first=10, seconds=5, more=[IE_UsageInformation(BEF=1)]),
                                    usage(IE_UsageReport_SRR, 1, "VOLTH", down=400, start=15, end=20, first=20, seconds=5, more=[IE_UsageInformation(AFT=1)])),
    "establish-monitored-quota": counted(162, urr(dict(volume_quota=1), IE_VolumeQuota(TOVOL=1, total=1000), IE_MonitoringTime(time_value=NOW + 15),
                                                  IE_SubsequentVolumeQuota(TOVOL=1, total=500))),
    "report-monitored-quota": report(1, usage(IE_UsageReport_SRR, 0, "MONIT", up=600, end=15, first=10, seconds=5, more=[IE_UsageInformation(BEF=1)]),
                                     usage(IE_UsageReport_SRR, 1, "VOLQU", down=500, start=15, end=20, first=20, seconds=5, more=[IE_UsageInformation(AFT=1)])),
    "delete-monitored": (session(PFCPSessionDeletionRequest, 163, UP, []), session(PFCPSessionDeletionResponse, 163, CP, [
        accepted(), usage(IE_UsageReport_SDR, 0, "MONIT", up=600, end=15, first=10, seconds=5, more=[IE_UsageInformation(BEF=1)]),
        usage(IE_UsageReport_SDR, 1, "TERMR", start=15, end=20, seconds=5, more=[IE_UsageInformation(AFT=1)])])),

    # A second monitoring time, given before the first one.
    "establish-monitored-more": counted(164, urr(
        dict(volume_threshold=1), IE_VolumeThreshold(TOVOL=1, total=1000),
        IE_AdditionalMonitoringTime(IE_list=[IE_MonitoringTime(time_value=NOW + 25), IE_SubsequentVolumeThreshold(TOVOL=1, total=200)]),
        IE_MonitoringTime(time_value=NOW + 15), IE_SubsequentVolumeThreshold(TOVOL=1, total=300))),
    "report-monitored-more": report(
        1, usage(IE_UsageReport_SRR, 0, "MONIT", up=600, end=15, first=10, seconds=5, more=[IE_UsageInformation(BEF=1)]),
        usage(IE_UsageReport_SRR, 1, "MONIT", down=299, start=15, end=25, first=20, seconds=10, more=[IE_UsageInformation(BEF=1, AFT=1)]),
        usage(IE_UsageReport_SRR, 2, "VOLTH", down=200, start=25, end=30, first=30, seconds=5, more=[IE_UsageInformation(AFT=1)])),
    "monitored-without-time": (counted(165, urr(dict(volume_threshold=1), IE_VolumeThreshold(TOVOL=1, total=1000), IE_AdditionalMonitoringTime(IE_list=[
        IE_SubsequentVolumeThreshold(TOVOL=1, total=200)])))[0], refused(165, 66, IE_OffendingIE(type=33))),

    # Time that stands still while no packets come.
    "establish-detection": counted(180, urr(dict(time_threshold=1), IE_TimeThreshold(threshold=10), IE_InactivityDetectionTime(time_value=4))),
    "report-detection": report(1, usage(IE_UsageReport_SRR, 0, "TIMTH", up=21, end=36, first=10, last=33, seconds=10)),
    "query-detection": (modify(181, IE_QueryURR(IE_list=[IE_URR_Id(id=1)])),
                        modified(181, usage(IE_UsageReport_SMR, 0, "IMMER", up=7, end=20, first=10, seconds=4))),
    "query-detection-again": (modify(182, IE_QueryURR(IE_list=[IE_URR_Id(id=1)])),
                              modified(182, usage(IE_UsageReport_SMR, 1, "IMMER", up=7, start=20, end=32, first=30, seconds=2))),

    # A quota whose packets go elsewhere when it is used up.
    "establish-action": (action_session(183, dict(volume_quota=1), 3, IE_VolumeQuota(TOVOL=1, total=1000)), established(183)),
    "establish-action-silent": (action_session(183, dict(start_of_traffic=1), 3, IE_VolumeQuota(TOVOL=1, total=1000)), established(183)),
    "establish-action-time": (action_session(183, dict(time_quota=1), 3, IE_TimeQuota(quota=5)), established(183)),
    "report-action": report(1, usage(IE_UsageReport_SRR, 0, "VOLQU", up=1000, end=10, first=10)),
    "more-action": (modify(184, IE_UpdateURR(IE_list=[IE_URR_Id(id=1), IE_VolumeQuota(TOVOL=1, total=500)])), modified(184)),
    "action-unknown-far": (action_session(185, dict(volume_quota=1), 9, IE_VolumeQuota(TOVOL=1, total=1000)), refused(185, 73, failed_urr(1))),
    "action-unfit": (action_session(187, dict(volume_quota=1), 3, IE_VolumeQuota(TOVOL=1, total=1000), both=True), refused(187, 73, failed(0, 2))),
    "action-far-removed": (modify(188, IE_RemoveFAR(IE_list=[IE_FAR_Id(id=3)])), modified(188, failed_urr(1), cause=73)),

    "establish-periodic": counted(67, urr(dict(periodic_reporting=1), IE_MeasurementPeriod(period=10))),
    "report-periodic": report(1, usage(IE_UsageReport_SRR, 0, "PERIO", 0, 0, 0, 10)),
    "establish-quota": counted(68, urr(dict(volume_quota=1), IE_VolumeQuota(DLVOL=1, downlink=1000))),
    "report-quota": report(1, usage(IE_UsageReport_SRR, 0, "VOLQU", 0, 1000, 0, 10, 10)),
    "more-quota": (modify(69, IE_UpdateURR(IE_list=[IE_URR_Id(id=1), IE_VolumeQuota(DLVOL=1, downlink=500)])), modified(69)),
    "establish-start": counted(70, urr(dict(start_of_traffic=1))),
    "report-start": report(1, usage(IE_UsageReport_SRR, 0, "START", first=10)),
    "establish-time": counted(71, urr(dict(time_quota=1), IE_TimeQuota(quota=5))),
    "report-time": report(1, usage(IE_UsageReport_SRR, 0, "TIMQU", 7, 0, 0, 15, 10, 5)),
    "establish-stop": counted(110, urr(dict(start_of_traffic=1, stop_of_traffic=1))),
    "report-stop": report(2, usage(IE_UsageReport_SRR, 1, "STOPT", first=10, last=15)),
    "report-start-again": report(3, usage(IE_UsageReport_SRR, 2, "START", first=10, last=28)),
    "establish-holding": counted(111, urr(dict(quota_holding_time=1), IE_VolumeQuota(TOVOL=1, total=1000), IE_QuotaHoldingTime(time_value=20))),
    "report-holding": report(1, usage(IE_UsageReport_SRR, 0, "QUHTI", 7, 0, 0, 30, 10, 20)),
    "establish-validity": counted(112, urr(dict(spare=2), IE_VolumeQuota(TOVOL=1, total=1000), validity(20))),
    "report-validity": report(1, usage(IE_UsageReport_SRR, 0, b"\0\0\x08", 7, 0, 0, 20, 10, 10)),
    "more-validity": (modify(113, IE_UpdateURR(IE_list=[IE_URR_Id(id=1), validity(20)])), modified(113)),
    "establish-linked": (establish(114, with_urr(uplink_pdr(given())), with_urr(downlink_pdr()), uplink_far(), downlink_far(), qer(),
                                   urr(dict(volume_threshold=1), IE_VolumeThreshold(TOVOL=1, total=1000)),
                                   urr(dict(linked_usage_reporting=1), IE_LinkedURR_Id(id=1), number=2)), established(114)),
    "report-linked": report(1, usage(IE_UsageReport_SRR, 0, "VOLTH", 600, 500, 0, 10, 10),
                            usage(IE_UsageReport_SRR, 0, "LIUSA", 0, 0, 0, 10, urr=2)),
    "linked-removed": (modify(412, IE_RemoveURR(IE_list=[IE_URR_Id(id=1)])),
                       modified(412, usage(IE_UsageReport_SMR, 0, "TERMR"))),
    "urr-no-linked": (counted(115, urr(dict(linked_usage_reporting=1)))[0], refused(115, 67, IE_OffendingIE(type=82))),
    "urr-no-holding": (counted(116, urr(dict(quota_holding_time=1)))[0], refused(116, 67, IE_OffendingIE(type=71))),
    "establish-paging": (establish(80, with_urr(uplink_pdr(given())), with_urr(downlink_pdr()), uplink_far(), buffering_far(), qer(), urr({}),
                                   IE_Create_BAR(IE_list=[IE_BAR_Id(id=3), IE_SuggestedBufferingPacketsCount(count=5)])),
                         established(80)),
    # The same with limits: three held packets of 21 octets reach them.
    **{f"establish-paging-{name}": (establish(80, with_urr(uplink_pdr(given())), with_urr(downlink_pdr()), uplink_far(), buffering_far(), qer(),
                                             urr(*limit), IE_Create_BAR(IE_list=[IE_BAR_Id(id=3)])), established(80))
       for name, limit in dict(threshold=(dict(volume_threshold=1), IE_VolumeThreshold(TOVOL=1, total=60)),
                               quota=(dict(volume_quota=1), IE_VolumeQuota(DLVOL=1, downlink=60)),
                               start=(dict(start_of_traffic=1),)).items()},
    "report-held-threshold": report(2, usage(IE_UsageReport_SRR, 0, "VOLTH", 0, 63, first=0)),
    "report-held-quota": report(2, usage(IE_UsageReport_SRR, 0, "VOLQU", 0, 63, first=0)),
    "report-held-start": report(2, usage(IE_UsageReport_SRR, 0, "START", first=0)),
    "report-downlink": waiting(1, 2, 9),
    # Two QoS flows, each with a FAR and a QER of its own.
    "establish-flows": (establish(87, uplink_pdr(given()), downlink_pdr(),
                                  IE_CreatePDR(IE_list=[IE_PDR_Id(id=4), IE_Precedence(precedence=9), IE_PDI(IE_list=[
                                      IE_SourceInterface(interface=1), IE_UE_IP_Address(V4=1, SD=1, ipv4=UE), sdf(WEB)]),
                                      IE_FAR_Id(id=4), IE_QER_Id(id=2)]),
                                  uplink_far(), buffering_far(), buffering_far(4), qer(), qer(2, 5), IE_Create_BAR(IE_list=[IE_BAR_Id(id=3)])),
                        established(87)),
    "report-downlink-other": waiting(2, 4, 5),
    "report-downlink-again": waiting(3, 2, 9),
    "page-again": (modify(88, IE_UpdateFAR(IE_list=[IE_FAR_Id(id=2), IE_ApplyAction(BUFF=1, NOCP=1)])), modified(88)),
    "close-gate": (modify(89, IE_UpdateQER(IE_list=[IE_QER_Id(id=1), IE_GateStatus(ul=0, dl=1)])), modified(89)),
    "open-gate": (modify(400, IE_UpdateQER(IE_list=[IE_QER_Id(id=1), IE_GateStatus(ul=1, dl=0)])), modified(400)),
    "answer-bar": bars(IE_BAR_Id(id=3), IE_SuggestedBufferingPacketsCount(count=2)),
    "answer-bar-delay": bars(IE_BAR_Id(id=3), IE_DownlinkDataNotificationDelay(delay=4)),
    "answer-bar-unknown": bars(IE_BAR_Id(id=9), IE_SuggestedBufferingPacketsCount(count=2)),
    "answer-bar-no-id": bars(IE_SuggestedBufferingPacketsCount(count=2)),
    "paged": (modify(81, IE_UpdateFAR(IE_list=[IE_FAR_Id(id=2), IE_ApplyAction(FORW=1), IE_UpdateForwardingParameters(IE_list=[outer(2, GNB)])])),
              modified(81)),
    "paged-drop-held": (modify(86, IE_UpdateFAR(IE_list=[IE_FAR_Id(id=2), IE_ApplyAction(FORW=1), IE_UpdateForwardingParameters(IE_list=[outer(2, GNB)])]),
                               IE_PFCPSMReqFlags(DROBU=1)), modified(86)),
    "drop-held": (modify(82, IE_PFCPSMReqFlags(DROBU=1)), modified(82)),
    "delay": (modify(83, IE_Update_BAR_SMR(IE_list=[IE_BAR_Id(id=3), IE_DownlinkDataNotificationDelay(delay=4)])), modified(83)),
    "remove-used-bar": (modify(84, IE_Remove_BAR(IE_list=[IE_BAR_Id(id=3)])), modified(84, failed(1, 2), cause=73)),
    "update-unknown-bar": (modify(85, IE_Update_BAR_SMR(IE_list=[IE_BAR_Id(id=9)])),
                           modified(85, IE_FailedRuleId(type=4, bar_id=9), cause=73)),
    "urr-no-method": (establish(72, *plain(uplink_pdr(given()), downlink_pdr()),
                                IE_CreateURR(IE_list=[IE_URR_Id(id=1), IE_ReportingTriggers()])),
                      refused(72, 66, IE_OffendingIE(type=62))),
    "urr-no-triggers": (establish(73, *plain(uplink_pdr(given()), downlink_pdr()),
                                  IE_CreateURR(IE_list=[IE_URR_Id(id=1), IE_MeasurementMethod(VOLUM=1)])),
                        refused(73, 66, IE_OffendingIE(type=37))),
    "urr-no-threshold": (counted(74, urr(dict(volume_threshold=1)))[0], refused(74, 67, IE_OffendingIE(type=31))),
    "urr-no-period": (counted(75, urr(dict(periodic_reporting=1)))[0], refused(75, 67, IE_OffendingIE(type=64))),
    # What a URR cannot be asked to do.
    "urr-threshold-flags": senseless(420, 31, urr(dict(volume_threshold=1), IE_VolumeThreshold())),
    "urr-quota-flags": senseless(421, 73, urr(dict(volume_quota=1), IE_VolumeQuota())),
    "urr-threshold-zero": senseless(422, 31, urr(dict(volume_threshold=1), IE_VolumeThreshold(TOVOL=1, total=0))),
    "urr-time-zero": senseless(423, 32, urr(dict(time_threshold=1), IE_TimeThreshold(threshold=0))),
    "urr-period-zero": senseless(424, 64, urr(dict(periodic_reporting=1), IE_MeasurementPeriod(period=0))),
    "urr-threshold-durat": senseless(425, 62, urr(dict(volume_threshold=1), IE_VolumeThreshold(TOVOL=1, total=1000), method=dict(DURAT=1))),
    "urr-quota-durat": senseless(426, 62, urr(dict(volume_quota=1), IE_VolumeQuota(TOVOL=1, total=1000), method=dict(DURAT=1))),
    "urr-subsequent-zero": senseless(427, 35, urr(dict(time_threshold=1), IE_TimeThreshold(threshold=9), IE_MonitoringTime(time_value=NOW + 15),
                                                 IE_SubsequentTimeThreshold(threshold=0))),
    "urr-additional-zero": senseless(428, 147, urr(
        dict(time_threshold=1), IE_TimeThreshold(threshold=9), IE_MonitoringTime(time_value=NOW + 15), IE_AdditionalMonitoringTime(IE_list=[
            IE_MonitoringTime(time_value=NOW + 25), IE_SubsequentTimeThreshold(threshold=0)]))),
    "update-urr-zero": (modify(429, IE_UpdateURR(IE_list=[IE_URR_Id(id=1), IE_ReportingTriggers(time_threshold=1), IE_TimeThreshold(threshold=0)])),
                        modified(429, IE_OffendingIE(type=32), failed_urr(1), cause=69)),
    "update-urr-method": (modify(430, IE_UpdateURR(IE_list=[IE_URR_Id(id=1), IE_MeasurementMethod(DURAT=1)])),
                          modified(430, IE_OffendingIE(type=62), failed_urr(1), cause=69)),
    "urr-unknown-trigger": (counted(76, urr(dict(dropped_dl_traffic_threshold=1)))[0], refused(76, 73, failed_urr(1))),
    "urr-unknown": (counted(77)[0], refused(77, 73, failed(0, 1))),
    "pfd-web": pfd(90, ("web", IE_PFDContents(FD=1, flow=WEB), IE_PFDContents(FD=1, AFD=1, flow=TLS, additional_flow=counted_text(QUIC)))),
    "pfd-web-one": pfd(91, ("web", IE_PFDContents(FD=1, flow=WEB))),
    "pfd-no-web": pfd(92, ("web",)),
    "pfd-none": pfd(93),
    "pfd-url": pfd(94, ("web", IE_PFDContents(URL=1, url="http://example.org")), cause=76, more=[IE_OffendingIE(type=61)]),
    "pfd-short": pfd(95, ("web", IE_NotImplemented(ietype=61, data=b"\1\0\0\9x")), cause=68, more=[IE_OffendingIE(type=61)]),
    "pfd-no-flow": pfd(96, ("web", IE_PFDContents(FD=1, flow="allow everything")), cause=69, more=[IE_OffendingIE(type=61)]),
    "pfd-no-contents": (node(PFCPPFDManagementRequest, 97, [IE_ApplicationID_PFDs(IE_list=[IE_ApplicationId(id="web"), IE_PFDContext(IE_list=[])])]),
                        node(PFCPPFDManagementResponse, 97, [IE_Cause(cause=66), IE_OffendingIE(type=61)])),
    "establish-web": (establish(98, uplink_pdr(given(), extra=[IE_ApplicationId(id="web")]), downlink_pdr(extra=[IE_ApplicationId(id="web")]),
                                uplink_far(), downlink_far(), qer()), established(98)),
    "establish-web-unknown": (establish(99, uplink_pdr(given(), extra=[IE_ApplicationId(id="web")]), downlink_pdr(),
                                        uplink_far(), downlink_far(), qer()), refused(99, 73, failed(0, 1))),
    "establish-web-and-filter": (establish(100, uplink_pdr(given(), extra=[IE_ApplicationId(id="web"), sdf(WEB)]), downlink_pdr(),
                                           uplink_far(), downlink_far(), qer()), refused(100, 73, failed(0, 1))),
    # An intermediate UPF: from access into a tunnel towards core.
    "establish-n9": (establish(120, uplink_pdr(given()), qer(), IE_CreateFAR(IE_list=[IE_FAR_Id(id=1), IE_ApplyAction(FORW=1),
                                IE_ForwardingParameters(IE_list=[IE_DestinationInterface(interface=1), outer(2, GNB)])])), established(120)),
    "establish-inactivity": (establish(121, *plain(uplink_pdr(given()), downlink_pdr()), IE_UserPlaneInactivityTimer(timer=20)), established(121)),
    "establish-paging-inactivity": (establish(123, *plain(uplink_pdr(given()), downlink_pdr())[:-2], buffering_far(), qer(),
                                              IE_Create_BAR(IE_list=[IE_BAR_Id(id=3)]), IE_UserPlaneInactivityTimer(timer=20)), established(123)),
    "inactivity-off": (modify(122, IE_UserPlaneInactivityTimer(timer=0)), modified(122)),
    "query-all-watched": (modify(123, IE_PFCPSMReqFlags(QUARR=1)), modified(123)),
    "report-inactivity": (session(PFCPSessionReportRequest, 1, CP, [IE_ReportType(UPIR=1)]),
                          session(PFCPSessionReportResponse, 1, UP, [accepted()])),
    "establish-in-set": (establish(101, *plain(uplink_pdr(given()), downlink_pdr()), IE_FqCSID(ipv4="127.0.0.7", csids=[7, 8])),
                         established(101)),
    "delete-other-set": set_deletion(102, IE_FqCSID(ipv4="127.0.0.7", csids=[9])),
    "delete-set": set_deletion(103, IE_FqCSID(ipv4="127.0.0.7", csids=[8])),
    "delete-no-set": set_deletion(104, cause=67, more=[IE_OffendingIE(type=65)]),

    # Predefined rules: predefined_test.go has those of the UPF.
    "setup-predefined": (node(PFCPAssociationSetupRequest, 300, [me(), IE_RecoveryTimeStamp(timestamp=RECOVERY)]),
                         node(PFCPAssociationSetupResponse, 300, [you(), accepted(), IE_RecoveryTimeStamp(timestamp=STARTED), features(b"\x12\x04")])),
    "establish-predefined": (establish(301, *plain(uplink_pdr(given()), downlink_pdr(),
                                                   named(3, 0, IE_OuterHeaderRemoval(header=0), *activate("blocked")),
                                                   named(4, 1, IE_FAR_Id(id=2), IE_QER_Id(id=1), *activate("video")))), established(301)),
    "predefined-other": (update(302, 4, IE_DeactivatePredefinedRules(name="video"), *activate("web", "tls")), modified(302)),
    "predefined-own-qers": (update(303, 4, IE_Precedence(precedence=7), IE_QER_Id(id=1)), modified(303)),
    "predefined-unknown": (update(304, 4, *activate("nosuch")), modified(304, failed(0, 4), cause=80)),
    "predefined-unknown-at-first": (establish(305, *plain(uplink_pdr(given()), named(4, 1, IE_FAR_Id(id=2), *activate("nosuch")))),
                                    refused(305, 80, failed(0, 4))),
    "predefined-not-active": (update(306, 4, IE_DeactivatePredefinedRules(name="blocked")), modified(306, failed(0, 4), cause=73)),
    "predefined-none-left": (update(307, 3, IE_DeactivatePredefinedRules(name="blocked")), modified(307, failed(0, 3), cause=73)),
    "predefined-two": (update(308, 4, *activate("web", "blocked")), modified(308, failed(0, 4), cause=73)),
    "predefined-and-filter": (update(309, 2, IE_PDI(IE_list=[IE_SourceInterface(interface=1), IE_UE_IP_Address(V4=1, SD=1, ipv4=UE), sdf(WEB)]),
                                     *activate("web")), modified(309, failed(0, 2), cause=73)),
    "predefined-no-far": (establish(310, *plain(uplink_pdr(given()), named(4, 1, *activate("web")))), refused(310, 67, IE_OffendingIE(type=108))),
    "predefined-empty": (update(311, 4, IE_NotImplemented(ietype=106, length=0, data=b"")), modified(311, IE_OffendingIE(type=106), cause=68)),
    "predefined-own-far": (update(313, 3, IE_FAR_Id(id=1)), modified(313)),
    "predefined-removed": (modify(312, IE_RemovePDR(IE_list=[IE_PDR_Id(id=3)])), modified(312)),

    # What the UPF sends, and the CP function's answer.
    "connect": (node(PFCPAssociationSetupRequest, 1, [you(), IE_RecoveryTimeStamp(timestamp=STARTED), features(b"\x18\x05")]),
                node(PFCPAssociationSetupResponse, 1, [me(), accepted(), IE_RecoveryTimeStamp(timestamp=RECOVERY), IE_CPFunctionFeatures()])),
    "connect-refused": (node(PFCPAssociationSetupRequest, 1, [you(), IE_RecoveryTimeStamp(timestamp=STARTED), features(b"\x18\x05")]),
                        node(PFCPAssociationSetupResponse, 1, [me(), IE_Cause(cause=64), IE_RecoveryTimeStamp(timestamp=RECOVERY)])),
    "leave": (node(PFCPAssociationUpdateRequest, 1, [you(), IE_PFCPAssociationReleaseRequest(SARR=1),
                                                     IE_GracefulReleasePeriod(release_timer_unit="2 seconds", release_timer_value=5)]),
              node(PFCPAssociationUpdateResponse, 1, [me(), accepted()])),
    "path-failed": (node(PFCPNodeReportRequest, 1, [you(), IE_NodeReportType(UPFR=1), IE_UserPlanePathFailureReport(IE_list=[
                        IE_RemoteGTP_U_Peer(V4=1, ipv4=GNB)])]),
                    node(PFCPNodeReportResponse, 1, [me(), accepted()])),
    # scapy has no User Plane Path Recovery Report, 187.
    "path-recovered": (node(PFCPNodeReportRequest, 2, [you(), IE_NodeReportType(spare=1), IE_NotImplemented(ietype=187,
                            data=bytes(IE_RemoteGTP_U_Peer(V4=1, ipv4=GNB)))]),
                       node(PFCPNodeReportResponse, 2, [me(), accepted()])),
    "report-error": (session(PFCPSessionReportRequest, 1, CP, [IE_ReportType(ERIR=1), IE_ErrorIndicationReport(IE_list=[
                        IE_FTEID(V4=1, TEID=2, ipv4=GNB)])]),
                     session(PFCPSessionReportResponse, 1, UP, [accepted()])),
    "delete": (session(PFCPSessionDeletionRequest, 50, UP, []),
               session(PFCPSessionDeletionResponse, 50, CP, [accepted()])),
    "delete-unknown": (session(PFCPSessionDeletionRequest, 51, 0x77, []),
                       session(PFCPSessionDeletionResponse, 51, 0, [IE_Cause(cause=65)])),
}

for name, (request, answer) in PAIRS.items():
    print(name, bytes(request).hex(), bytes(answer).hex())
