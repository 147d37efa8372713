"""URRs: what is counted, and when it is reported (TS 29.244 clauses 5.2.2, 7.5.2.4, 7.5.8.3)."""

import time

from outcome import check, same, table, true
from world import *


def urr(id=1, *more, volume=True, duration=False, kind=IE_CreateURR, **triggers):
    return kind(IE_list=[IE_URR_Id(id=id), IE_MeasurementMethod(VOLUM=int(volume), DURAT=int(duration)), IE_ReportingTriggers(extra_data=b"\0", **triggers), *more])


def counted(u, *more):
    return u.open(more=list(more), up={"urrs": (1,)}, down={"urrs": (1,)})


def volumes(message, kind, id=1):
    """Total, uplink and downlink of the Usage Reports of a URR in a message, added."""
    found = [first(r, IE_VolumeMeasurement) for r in every(message.payload, kind) if first(r, IE_URR_Id).id == id]
    found = [v for v in found if v is not None]
    true(found, "no Volume Measurement of URR %d in the message" % id)
    total = lambda field: sum(getattr(v, field) or 0 for v in found)
    return total("total") or total("uplink") + total("downlink"), total("uplink"), total("downlink")


def traffic(u, up=(), down=()):
    for size in up:
        u.passes_up(u.packet(size=size))
    for size in down:
        u.passes_down(u.packet(down=True, size=size))


@check("urr.volume", "29.244 5.2.2.2, 8.2.44", "volumes are octets of T-PDUs each way, in the answer to the deletion")
def _(b):
    u = counted(b.user(), urr())
    traffic(u, (100, 1000, 333), (200, 1400))
    same("the volumes", volumes(u.close(), IE_UsageReport_SDR), (3033, 1433, 1600))


@check("urr.dropped", "29.244 5.2.2.2", "what is dropped is not counted")
def _(b):
    u = b.user().open(replace=[qer(1, 1, 0)], more=[urr()], up={"urrs": (1,)}, down={"urrs": (1,)})
    u.blocked_up(u.packet(size=500))
    traffic(u, (), (300,))
    same("the volumes", volumes(u.close(), IE_UsageReport_SDR), (300, 0, 300))


@check("urr.one-direction", "29.244 5.2.2.2", "a URR of the uplink PDR counts uplink alone")
def _(b):
    u = b.user().open(more=[urr()], up={"urrs": (1,)})
    traffic(u, (400,), (800,))
    same("the volumes", volumes(u.close(), IE_UsageReport_SDR), (400, 400, 0))


@check("urr.several", "29.244 5.2.2.1", "several URRs of a PDR count each for itself")
def _(b):
    u = b.user().open(more=[urr(1), urr(2)], up={"urrs": (1, 2)}, down={"urrs": (2,)})
    traffic(u, (500,), (700,))
    answer = u.close()
    same("the volumes of URR 1 and 2", (volumes(answer, IE_UsageReport_SDR, 1), volumes(answer, IE_UsageReport_SDR, 2)), ((500, 500, 0), (1200, 500, 700)))


@check("urr.query", "29.244 7.5.4.10", "Query URR is answered with what was counted since the last report")
def _(b):
    u = counted(b.user(), urr())
    query = lambda: volumes(u.modify(IE_QueryURR(IE_list=[IE_URR_Id(id=1)])), IE_UsageReport_SMR)
    traffic(u, (500,), (300,))
    same("the volumes", query(), (800, 500, 300))
    traffic(u, (250,), ())
    same("the volumes of the second query", query(), (250, 250, 0))
    same("the volumes after it", volumes(u.close(), IE_UsageReport_SDR), (0, 0, 0))


@check("urr.query-all", "29.244 8.2.31", "PFCPSMReq-Flags QAURR is answered with all URRs")
def _(b):
    u = b.user().open(more=[urr(1), urr(2)], up={"urrs": (1,)}, down={"urrs": (2,)})
    traffic(u, (500,), (300,))
    answer = u.modify(IE_PFCPSMReqFlags(QUARR=1))
    same("the volumes of URR 1 and 2", (volumes(answer, IE_UsageReport_SMR, 1)[0], volumes(answer, IE_UsageReport_SMR, 2)[0]), (500, 300))
    u.close()


@check("urr.removed", "29.244 7.5.5.2", "the removal of a URR is answered with what it counted")
def _(b):
    u = counted(b.user(), urr())
    traffic(u, (500,), ())
    answer = u.modify(IE_UpdatePDR(IE_list=[IE_PDR_Id(id=1), IE_URR_Id(id=2)]), IE_UpdatePDR(IE_list=[IE_PDR_Id(id=2), IE_URR_Id(id=2)]), urr(2), IE_RemoveURR(IE_list=[IE_URR_Id(id=1)]))
    same("the volumes", volumes(answer, IE_UsageReport_SMR), (500, 500, 0))
    u.close()


@check("urr.created-later", "29.244 7.5.4.4", "a URR that a modification creates counts from then on")
def _(b):
    u = b.user().open()
    traffic(u, (500,), ())
    u.modify(urr(1), *[IE_UpdatePDR(IE_list=[IE_PDR_Id(id=p), IE_URR_Id(id=1), IE_QER_Id(id=1)]) for p in (1, 2)])
    traffic(u, (400,), (300,))
    same("the volumes", volumes(u.close(), IE_UsageReport_SDR), (700, 400, 300))

@check("urr.termination", "29.244 8.2.41", "the report in the answer to a deletion has the trigger TERMR")
def _(b):
    u = counted(b.user(), urr())
    report = first(u.close().payload, IE_UsageReport_SDR)
    true(report is not None, "no Usage Report")
    same("TERMR", first(report, IE_UsageReportTrigger).TERMR, 1)


@check("urr.sequence", "29.244 8.2.71", "the reports of a URR are numbered from 0 (UR-SEQN)")
def _(b):
    u = counted(b.user(), urr())
    numbers = [first(u.modify(IE_QueryURR(IE_list=[IE_URR_Id(id=1)])).payload, IE_UR_SEQN) for _ in range(3)]
    true(all(n is not None for n in numbers), "no UR-SEQN")
    got = [struct.unpack("!I", raw(n)[4:8])[0] for n in numbers]
    same("the numbers", got, [0, 1, 2])
    u.close()


def reported(u, trigger, seconds, since=0):
    """The Usage Report of URR 1 with a trigger that the UPF sends itself."""
    has = lambda m: any(getattr(first(r, IE_UsageReportTrigger), trigger) for r in every(m.payload, IE_UsageReport_SRR))
    found = u.smf.report(has, u.seid, u.b.patience + seconds, since)
    true(found is not None, "no Session Report Request with %s%s" % (trigger, "" if not u.smf.reports(u.seid) else ", but others"))
    same("Report Type USAR", first(found.payload, IE_ReportType).USAR, 1)
    return found


@table([("urr.threshold.%s" % name, "a Volume Threshold of 1000 octets %s is reported when it is reached, not before" % title, flags, sizes)
        for name, title, flags, sizes in [("total", "in all", {"TOVOL": 1, "total": 1000}, ((500,), (600,))), ("uplink", "uplink", {"ULVOL": 1, "uplink": 1000}, ((500, 600), ())),
                                          ("downlink", "downlink", {"DLVOL": 1, "downlink": 1000}, ((), (500, 600)))]], "29.244 5.2.2.2, 8.2.13")
def _(b, flags, sizes):
    u = counted(b.user(), urr(1, IE_VolumeThreshold(**flags), volume_threshold=1))
    up, down = sizes
    if up:
        traffic(u, up[:1], ())
    else:
        traffic(u, (), down[:1])
    time.sleep(0.2)
    same("how many reports came before", len(u.smf.reports(u.seid)), 0)
    traffic(u, up[1:], down[1:] if not up else down)
    same("the volume that is reported", volumes(reported(u, "VOLTH", 1), IE_UsageReport_SRR)[0], 1100)
    u.close()


@check("urr.threshold.again", "29.244 5.2.2.2", "a Volume Threshold is reported each time that it is reached")
def _(b):
    u = counted(b.user(), urr(1, IE_VolumeThreshold(TOVOL=1, total=1000), volume_threshold=1))
    for _ in range(2):
        since = len(u.smf.asked)
        traffic(u, (1100,), ())
        same("the volume that is reported", volumes(reported(u, "VOLTH", 1, since), IE_UsageReport_SRR)[0], 1100)
    u.close()


@check("urr.quota.volume", "29.244 5.2.2.2, 8.2.50", "a Volume Quota that is used up is reported, and packets stop until there is another")
def _(b):
    u = counted(b.user(), urr(1, IE_VolumeQuota(TOVOL=1, total=1000), volume_quota=1))
    traffic(u, (1000,), ())
    reported(u, "VOLQU", 1)
    u.blocked_up(u.packet(size=500)), u.blocked_down(u.packet(down=True, size=500))
    u.modify(urr(1, IE_VolumeQuota(TOVOL=1, total=5000), kind=IE_UpdateURR, volume_quota=1))
    u.passes_up(), u.passes_down()
    u.close()


@check("urr.periodic", "29.244 5.2.2.2, 8.2.43", "usage is reported each Measurement Period")
def _(b):
    u = counted(b.user(), urr(1, IE_MeasurementPeriod(period=1), periodic_reporting=1))
    traffic(u, (500,), ())
    same("the volume that is reported", volumes(reported(u, "PERIO", 2), IE_UsageReport_SRR)[0] in (0, 500), True)
    true(u.smf.reported(2, u.seid, b.patience + 2), "no second report within 2 s")
    u.close()


@check("urr.threshold.time", "29.244 8.2.14", "a Time Threshold is reported after so long")
def _(b):
    u = counted(b.user(), urr(1, IE_TimeThreshold(threshold=1), volume=False, duration=True, time_threshold=1))
    traffic(u, (500,), ())
    start = time.monotonic()
    report = reported(u, "TIMTH", 2)
    true(time.monotonic() - start > 0.5, "reported after %.2f s" % (time.monotonic() - start))
    same("the duration", first(report.payload, IE_DurationMeasurement).duration in (1, 2), True)
    u.close()


@check("urr.quota.time", "29.244 8.2.51", "a Time Quota that is used up is reported, and packets stop")
def _(b):
    u = counted(b.user(), urr(1, IE_TimeQuota(quota=1), volume=False, duration=True, time_quota=1))
    traffic(u, (500,), ())
    reported(u, "TIMQU", 2)
    u.blocked_up()
    u.close()


@check("urr.immediate", "29.244 8.2.68", "with ISTM time is measured at once, without it from the first packet on", optional=True)
def _(b):
    now = counted(b.user(), urr(1, IE_TimeThreshold(threshold=1), IE_MeasurementInformation(ISTM=1), volume=False, duration=True, time_threshold=1))
    later = counted(b.user(), urr(1, IE_TimeThreshold(threshold=1), volume=False, duration=True, time_threshold=1))
    reported(now, "TIMTH", 2)
    time.sleep(0.2)
    same("how many reports came without ISTM and without packets", len(later.smf.reports(later.seid)), 0)
    now.close(), later.close()


@check("urr.start", "29.244 5.2.2.2", "the start of traffic is reported")
def _(b):
    u = counted(b.user(), urr(1, start_of_traffic=1))
    same("how many reports came before the first packet", len(u.smf.reports(u.seid)), 0)
    traffic(u, (500,), ())
    reported(u, "START", 1)
    u.close()


@check("urr.linked", "29.244 5.2.2.2, 8.2.56", "a linked URR is reported with the one that it is linked to", optional=True)
def _(b):
    u = b.user().open(more=[urr(1, IE_VolumeThreshold(TOVOL=1, total=1000), volume_threshold=1), urr(2, IE_LinkedURR_Id(id=1), linked_usage_reporting=1)], up={"urrs": (1, 2)})
    traffic(u, (1100,), ())
    report = reported(u, "VOLTH", 1)
    linked = [r for r in every(report.payload, IE_UsageReport_SRR) if first(r, IE_URR_Id).id == 2]
    if not linked:
        report = u.smf.report(lambda m: any(first(r, IE_URR_Id).id == 2 for r in every(m.payload, IE_UsageReport_SRR)), u.seid, b.patience)
        true(report is not None, "no report of the linked URR")
        linked = [r for r in every(report.payload, IE_UsageReport_SRR) if first(r, IE_URR_Id).id == 2]
    same("LIUSA", first(linked[0], IE_UsageReportTrigger).LIUSA, 1)
    u.close()


@check("urr.repeated", "29.244 6.4", "a report that is not answered is repeated with the same sequence number")
def _(b):
    u = counted(b.user(), urr(1, IE_VolumeThreshold(TOVOL=1, total=1000), volume_threshold=1))
    u.smf.quiet = True
    try:
        traffic(u, (1100,), ())
        reported(u, "VOLTH", 1)
        true(u.smf.reported(2, u.seid, b.patience + 4), "it was sent once only")
        same("how many sequence numbers they have", len({m.seq for m in u.smf.reports(u.seid)}), 1)
    finally:
        u.smf.quiet = False
    u.close()


@check("urr.once", "29.244 6.4", "a report that is answered is sent once")
def _(b):
    u = counted(b.user(), urr(1, IE_VolumeThreshold(TOVOL=1, total=1000), volume_threshold=1))
    traffic(u, (1100,), ())
    reported(u, "VOLTH", 1)
    time.sleep(1.5)
    same("how many reports came", len(u.smf.reports(u.seid)), 1)
    u.close()


@check("session.inactivity", "29.244 5.11.3, 8.2.83", "a session without packets for its User Plane Inactivity Timer is reported", optional=True)
def _(b):
    u = b.user().open(more=[IE_UserPlaneInactivityTimer(timer=1)])
    u.passes_up()
    found = u.smf.report(lambda m: first(m.payload, IE_ReportType).UPIR, u.seid, b.patience + 3)
    true(found is not None, "no Session Report Request with UPIR")
    u.close()
