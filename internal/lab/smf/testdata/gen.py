#!/usr/bin/env python3
"""Writes the PFCP messages that the tests expect, with scapy as the encoder.

    python3 gen.py          # writes NAME.hex beside itself
    python3 gen.py --pcap F # and all of them into F, to read with tshark

scapy knows TS 29.244 by itself, so these bytes do not depend on our encoder.
Two of its tables are older than the specification: Apply Action has one octet
(the second is added as extra data) and PDN Type counts from 0 (the number is
given instead of the name). tshark.txt is what tshark 4.0 reads in all of them:

    tshark -r F -V -O pfcp | grep -vE '^(Frame|Eth|Internet|User)|Flags: 0x|[.01]+ = |IE (Type|Length):|Spare: |\\[Response'
"""
import pathlib
import sys

from scapy.contrib.pfcp import *
from scapy.all import IP, UDP, Ether, wrpcap

SMF, UPF, GNB, UE, NEW = "10.10.1.1", "10.10.1.2", "10.10.3.1", "10.45.0.2", "10.10.3.9"
CPSEID, UPSEID = 0x1122334455667788, 0x99AABBCCDDEEFF00
N3, N6 = 11, 17
START = 3958000000  # seconds since 1900
NWI = b"\x08internet"


def header(seq, seid=None):
    if seid is None:
        return PFCP(version=1, S=0, seq=seq)
    return PFCP(version=1, S=1, seid=seid, seq=seq)


def node():
    return IE_NodeId(id_type=0, ipv4=SMF)


def instance():
    return [IE_NetworkInstance(instance="internet")]


def action(octets, forw=1, buff=0, nocp=0):
    return IE_ApplyAction(FORW=forw, BUFF=buff, NOCP=nocp, extra_data=b"\0" * (octets - 1))


def tunnel(teid, addr):
    return IE_OuterHeaderCreation(GTPUUDPIPV4=1, TEID=teid, ipv4=addr)


def pick(on, *ies):
    return list(ies) if on else []


def uplink_pdr(interface, source, fteid, rules, removal=0, extra=()):
    pdi = [IE_SourceInterface(interface=0), fteid, *instance()]
    pdi += pick(source, IE_UE_IP_Address(V4=1, ipv4=UE))
    pdi += list(extra)
    pdi += pick(interface, IE_3GPP_InterfaceType(interface_type=N3))
    return IE_CreatePDR(IE_list=[IE_PDR_Id(id=1), IE_Precedence(precedence=255), IE_PDI(IE_list=pdi),
                                 IE_OuterHeaderRemoval(header=removal), IE_FAR_Id(id=1), *rules])


def downlink_pdr(interface, rules):
    pdi = [IE_SourceInterface(interface=1), *instance(), IE_UE_IP_Address(V4=1, SD=1, ipv4=UE)]
    pdi += pick(interface, IE_3GPP_InterfaceType(interface_type=N6))
    return IE_CreatePDR(IE_list=[IE_PDR_Id(id=2), IE_Precedence(precedence=255), IE_PDI(IE_list=pdi),
                                 IE_FAR_Id(id=2), *rules])


def fars(interface):
    up = [IE_DestinationInterface(interface=1), *instance(), *pick(interface, IE_3GPP_InterfaceType(interface_type=N6))]
    down = [IE_DestinationInterface(interface=0), *instance(), tunnel(2, GNB),
            *pick(interface, IE_3GPP_InterfaceType(interface_type=N3))]
    return [IE_CreateFAR(IE_list=[IE_FAR_Id(id=n), action(2), IE_ForwardingParameters(IE_list=p)])
            for n, p in ((1, up), (2, down))]


def qer(*mbr):
    return IE_CreateQER(IE_list=[IE_QER_Id(id=1), IE_GateStatus(ul=0, dl=0), *mbr, IE_QFI(QFI=1)])


def establishment(interface, source, pdn, fteid=None, rules=None, urr=(), mbr=(), extra=()):
    fteid = fteid or IE_FTEID(V4=1, TEID=1, ipv4="10.10.3.2")
    rules = rules or [IE_QER_Id(id=1)]
    return header(0x00ABCDE, 0) / PFCPSessionEstablishmentRequest(IE_list=[
        node(), IE_FSEID(v4=1, seid=CPSEID, ipv4=SMF),
        uplink_pdr(interface, source, fteid, rules, extra=extra), downlink_pdr(interface, rules),
        *fars(interface), *urr, qer(*mbr), *pick(pdn, IE_PDNType(pdn_type=1))])


def urr():
    return IE_CreateURR(IE_list=[IE_URR_Id(id=1), IE_MeasurementMethod(VOLUM=1),
                                 IE_ReportingTriggers(periodic_reporting=1, extra_data=b"\0"),
                                 IE_MeasurementPeriod(period=3600)])


def ipv6():
    """A session that is IPv6 throughout, but for N4."""
    ue, n3, gnb = "2001:db8:45::2", "2001:db8:3::2", "2001:db8:3::1"
    rules = [IE_QER_Id(id=1)]
    n3type, n6type = IE_3GPP_InterfaceType(interface_type=N3), IE_3GPP_InterfaceType(interface_type=N6)
    up = IE_CreatePDR(IE_list=[
        IE_PDR_Id(id=1), IE_Precedence(precedence=255),
        IE_PDI(IE_list=[IE_SourceInterface(interface=0), IE_FTEID(V6=1, TEID=1, ipv6=n3), *instance(),
                        IE_UE_IP_Address(V6=1, ipv6=ue), n3type]),
        IE_OuterHeaderRemoval(header=1), IE_FAR_Id(id=1), *rules])
    down = IE_CreatePDR(IE_list=[
        IE_PDR_Id(id=2), IE_Precedence(precedence=255),
        IE_PDI(IE_list=[IE_SourceInterface(interface=1), *instance(), IE_UE_IP_Address(V6=1, SD=1, ipv6=ue), n6type]),
        IE_FAR_Id(id=2), *rules])
    forward = [[IE_DestinationInterface(interface=1), *instance(), n6type],
               [IE_DestinationInterface(interface=0), *instance(),
                IE_OuterHeaderCreation(GTPUUDPIPV6=1, TEID=2, ipv6=gnb), n3type]]
    made = [IE_CreateFAR(IE_list=[IE_FAR_Id(id=n + 1), action(2), IE_ForwardingParameters(IE_list=p)])
            for n, p in enumerate(forward)]
    return header(0x0ABCDE, 0) / PFCPSessionEstablishmentRequest(IE_list=[
        node(), IE_FSEID(v4=1, seid=CPSEID, ipv4=SMF), up, down, *made, qer(), IE_PDNType(pdn_type=2)])


def ipv4v6():
    """establish-standard with a UE of both families: one UE IP Address has its two addresses."""
    m = establishment(True, True, True)
    for pdr in m.IE_list[2:4]:
        pdi = next(x for x in pdr.IE_list if isinstance(x, IE_PDI))
        for n, x in enumerate(pdi.IE_list):
            if isinstance(x, IE_UE_IP_Address):
                pdi.IE_list[n] = IE_UE_IP_Address(V4=1, V6=1, SD=x.SD, ipv4=UE, ipv6="2001:db8:45:1::2")
    m.IE_list[-1] = IE_PDNType(pdn_type=3)
    return m


def modification(*ies):
    far = IE_UpdateFAR(IE_list=[IE_FAR_Id(id=2), *ies])
    return header(0x0ABCDF, UPSEID) / PFCPSessionModificationRequest(IE_list=[far])


TYPE_N3, TYPE_N6 = IE_3GPP_InterfaceType(interface_type=N3), IE_3GPP_InterfaceType(interface_type=N6)
HOST, HOST6 = "198.51.100.20", "2001:db8::20"


def pdr(n, precedence, pdi, *actions):
    return IE_CreatePDR(IE_list=[IE_PDR_Id(id=n), IE_Precedence(precedence=precedence), IE_PDI(IE_list=pdi), *actions])


def far(n, apply, parameters, *more):
    return IE_CreateFAR(IE_list=[IE_FAR_Id(id=n), apply, IE_ForwardingParameters(IE_list=parameters), *more])


def rules_establishment():
    """Each kind of rule with each of its parts, as behaviour cases write them."""
    source = IE_UE_IP_Address(V4=1, ipv4=UE)
    destination = IE_UE_IP_Address(V4=1, SD=1, ipv4=UE)
    flow = "permit out 17 from 198.51.100.10 80-90,443 to assigned"
    sdf = IE_SDF_Filter(FD=1, TTC=1, SPI=1, FL=1, BID=1, flow_description=flow, tos_traffic_class=0x10, tos_traffic_mask=0xFC,
                        security_parameter_index=7, flow_label=0x12345, sdf_filter_id=1)
    actions = [IE_URR_Id(id=1), IE_QER_Id(id=1)]
    return header(0x0ABCDE, 0) / PFCPSessionEstablishmentRequest(IE_list=[
        node(), IE_FSEID(v4=1, seid=CPSEID, ipv4=SMF),
        IE_CreateTrafficEndpoint(IE_list=[IE_TrafficEndpointId(id=1), IE_FTEID(V4=1, TEID=0x55, ipv4="10.10.3.2"), *instance(), source]),
        pdr(1, 200, [IE_SourceInterface(interface=0), IE_TrafficEndpointId(id=1), IE_QFI(QFI=9), TYPE_N3],
            IE_OuterHeaderRemoval(header=0), IE_FAR_Id(id=1), *actions),
        pdr(2, 200, [IE_SourceInterface(interface=1), *instance(), destination, sdf, TYPE_N6], IE_FAR_Id(id=2), *actions),
        pdr(3, 100, [IE_SourceInterface(interface=0), IE_FTEID(V4=1, CH=1, CHID=1, choose_id=7), source,
                     IE_3GPP_InterfaceType(interface_type=21)], IE_OuterHeaderRemoval(header=6), IE_FAR_Id(id=3)),
        pdr(4, 300, [IE_SourceInterface(interface=1), *instance(), destination, TYPE_N6],
            IE_OuterHeaderRemoval(header=2), IE_FAR_Id(id=1)),
        far(1, action(2), [IE_DestinationInterface(interface=1), *instance(),
                           IE_OuterHeaderCreation(UDPIPV4=1, ipv4=HOST, port=5000),
                           IE_TransportLevelMarking(tos=0x28, traffic_class=0xFC), TYPE_N6]),
        far(2, action(2, forw=0, buff=1, nocp=1), [IE_DestinationInterface(interface=0), *instance(), tunnel(2, GNB), TYPE_N3],
            IE_BAR_Id(id=1)),
        far(3, IE_ApplyAction(FORW=1, DUPL=1, extra_data=b"\0"),
            [IE_DestinationInterface(interface=1), *instance(), IE_OuterHeaderCreation(IPV6=1, ipv6=HOST6), TYPE_N6],
            IE_DuplicatingParameters(IE_list=[IE_DestinationInterface(interface=0), tunnel(9, NEW)])),
        IE_CreateFAR(IE_list=[IE_FAR_Id(id=4), IE_ApplyAction(DROP=1, extra_data=b"\0")]),
        IE_CreateURR(IE_list=[
            IE_URR_Id(id=1), IE_MeasurementMethod(VOLUM=1, DURAT=1),
            IE_ReportingTriggers(volume_threshold=1, time_threshold=1, volume_quota=1, extra_data=b"\0"),
            IE_TimeThreshold(threshold=60), IE_TimeQuota(quota=120),
            IE_VolumeThreshold(TOVOL=1, ULVOL=1, DLVOL=1, total=1000, uplink=600, downlink=400), IE_VolumeQuota(TOVOL=1, total=5000),
            IE_MeasurementInformation(MNOP=1), IE_FAR_Id(id=4)]),
        IE_CreateQER(IE_list=[IE_QER_Id(id=1), IE_GateStatus(ul=1, dl=0), IE_MBR(ul=1000000, dl=2000000),
                              IE_GBR(ul=1000, dl=2000), IE_QFI(QFI=9), IE_RQI(RQI=1)]),
        IE_Create_BAR(IE_list=[IE_BAR_Id(id=1), IE_DownlinkDataNotificationDelay(delay=2), IE_SuggestedBufferingPacketsCount(count=10)]),
        IE_PDNType(pdn_type=1)])


def rules_modification():
    """Each kind of change that behaviour cases make."""
    return header(0x0ABCDF, UPSEID) / PFCPSessionModificationRequest(IE_list=[
        IE_RemovePDR(IE_list=[IE_PDR_Id(id=3)]), IE_RemoveFAR(IE_list=[IE_FAR_Id(id=3)]),
        IE_RemoveURR(IE_list=[IE_URR_Id(id=2)]), IE_RemoveQER(IE_list=[IE_QER_Id(id=2)]),
        IE_Remove_BAR(IE_list=[IE_BAR_Id(id=1)]), IE_RemoveTrafficEndpoint(IE_list=[IE_TrafficEndpointId(id=2)]),
        IE_CreateQER(IE_list=[IE_QER_Id(id=3), IE_GateStatus(ul=0, dl=1)]),
        IE_UpdateTrafficEndpoint(IE_list=[IE_TrafficEndpointId(id=1), IE_FTEID(V4=1, TEID=0x66, ipv4="10.10.3.2"), *instance(),
                                          IE_UE_IP_Address(V4=1, ipv4=UE)]),
        IE_UpdatePDR(IE_list=[IE_PDR_Id(id=1), IE_Precedence(precedence=100), IE_FAR_Id(id=2), IE_QER_Id(id=1)]),
        IE_UpdateFAR(IE_list=[IE_FAR_Id(id=2), action(2), IE_UpdateForwardingParameters(IE_list=[
            IE_DestinationInterface(interface=0), *instance(), tunnel(3, NEW), IE_PFCPSMReqFlags(SNDEM=1), TYPE_N3])]),
        IE_UpdateURR(IE_list=[IE_URR_Id(id=1), IE_MeasurementMethod(VOLUM=1), IE_ReportingTriggers(volume_threshold=1, extra_data=b"\0"),
                              IE_VolumeThreshold(TOVOL=1, total=2000)]),
        IE_UpdateQER(IE_list=[IE_QER_Id(id=1), IE_GateStatus(ul=0, dl=0), IE_QFI(QFI=7)]),
        IE_PFCPSMReqFlags(DROBU=1, QUARR=1), IE_QueryURR(IE_list=[IE_URR_Id(id=1)])])


def usage_report():
    """A report of both kinds. scapy lacks the numbers of packets of a Volume Measurement, and octet 7 of the triggers."""
    packets = b"".join(n.to_bytes(8, "big") for n in (30, 20, 10))
    return header(0x0ABCDE, CPSEID) / PFCPSessionReportRequest(IE_list=[
        IE_ReportType(USAR=1, DLDR=1), IE_DownlinkDataReport(IE_list=[IE_PDR_Id(id=2)]),
        IE_UsageReport_SRR(IE_list=[
            IE_URR_Id(id=1), IE_UR_SEQN(number=3), IE_UsageReportTrigger(VOLTH=1, MONIT=1, extra_data=b"\0"),
            IE_VolumeMeasurement(spare=7, TOVOL=1, ULVOL=1, DLVOL=1, total=3000, uplink=2000, downlink=1000, extra_data=packets),
            IE_DurationMeasurement(duration=9), IE_UsageInformation(AFT=1)])])


MESSAGES = {
    "association-setup-request": header(1) / PFCPAssociationSetupRequest(
        IE_list=[node(), IE_RecoveryTimeStamp(timestamp=START)]),
    "association-release-request": header(2) / PFCPAssociationReleaseRequest(IE_list=[node()]),
    "heartbeat-request": header(3) / PFCPHeartbeatRequest(IE_list=[IE_RecoveryTimeStamp(timestamp=START)]),
    "establish-standard": establishment(True, True, True),
    "establish-standard-choose": establishment(True, True, True, fteid=IE_FTEID(V4=1, CH=1)),
    "establish-eupf": establishment(False, False, False),
    "establish-everything": establishment(
        True, True, True, rules=[IE_URR_Id(id=1), IE_QER_Id(id=1)], urr=[urr()],
        mbr=[IE_MBR(ul=200000000, dl=200000000)], extra=[IE_QFI(QFI=1)]),
    "establish-ipv6": ipv6(),
    "establish-ipv4v6": ipv4v6(),
    "modify-handover": modification(IE_UpdateForwardingParameters(
        IE_list=[tunnel(0x10203040, NEW), IE_PFCPSMReqFlags(SNDEM=1)])),
    "modify-buffer": modification(action(2, forw=0, buff=1, nocp=1)),
    "rules-establish": rules_establishment(),
    "rules-modify": rules_modification(),
    "delete": header(0x0ABCE0, UPSEID) / PFCPSessionDeletionRequest(),
}


def reply(*ies):
    return header(0x0ABCDE, CPSEID) / PFCPSessionEstablishmentResponse(
        IE_list=[IE_NodeId(id_type=0, ipv4=UPF), *ies])


def setup_response(node_id, *features):
    return header(1) / PFCPAssociationSetupResponse(IE_list=[
        node_id, IE_Cause(cause=1), IE_RecoveryTimeStamp(timestamp=START), *features])


ANSWERS = {  # from the UPF
    "usage-report": usage_report(),
    "association-setup-response": setup_response(
        IE_NodeId(id_type=0, ipv4=UPF), IE_UPFunctionFeatures(FTUP=1, EMPU=1)),
    "association-setup-response-fqdn": setup_response(IE_NodeId(id_type=2, id="upf.example")),
    "establish-accepted": reply(
        IE_Cause(cause=1), IE_FSEID(v4=1, seid=UPSEID, ipv4=UPF),
        IE_CreatedPDR(IE_list=[IE_PDR_Id(id=1), IE_FTEID(V4=1, TEID=0xCAFE, ipv4="10.10.3.2")])),
    "establish-rejected": reply(
        IE_Cause(cause=73), IE_OffendingIE(type=109), IE_FailedRuleId(type=2, qer_id=1)),
}


def main():
    here = pathlib.Path(__file__).parent
    for name, message in MESSAGES.items():
        (here / (name + ".hex")).write_text(bytes(message).hex() + "\n")
    (here / "upf").mkdir(exist_ok=True)
    for name, message in ANSWERS.items():
        (here / "upf" / (name + ".hex")).write_text(bytes(message).hex() + "\n")
    if len(sys.argv) == 3:
        wrpcap(sys.argv[2], [Ether() / IP(src=SMF, dst=UPF) / UDP(sport=8805, dport=8805) / m for m in (MESSAGES | ANSWERS).values()])


main()
