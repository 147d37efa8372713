package cases

import (
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/usage"
)

// measured is the plain rules with URR 1 on both PDRs.
func measured(u *b.UE, g *fixture, r rules.URR) rules.Session {
	s := b.Plain(u, g)
	r.ID = 1
	s.URRs = []rules.URR{r}
	s.PDRs[0].URRs, s.PDRs[1].URRs = []uint32{1}, []uint32{1}
	return s
}

// plainly counts volume, and reports it hourly, that is, at the end.
func plainly() rules.URR {
	return rules.URR{Method: rules.ByVolume, Triggers: rules.Periodic, Period: 3600}
}

// counted sends packets through a session with a URR and compares what it reports.
func counted(r rules.URR, packets func(u *b.UE, g *fixture) []b.Packet) func(*fixture) []step {
	return steps(func(u *b.UE, g *fixture) []step {
		return []step{b.Establish(u, measured(u, g, r)), b.SendSlowly(5000, packets(u, g)...), b.Delete(u), usage.Counted(u, 1)}
	})
}

func urr() []Case {
	return []Case{
		{ID: "urr.volume", Both: true, Title: "Volumes of both directions are those of the packets, to the octet", Clause: "TS 29.244 5.2.2.2, 8.2.44",
			Steps: counted(plainly(), func(u *b.UE, _ *fixture) []b.Packet {
				// no sum is a round number
				return []b.Packet{b.Up(u, "").Sized(101).Times(701), b.Down(u, "").Sized(1003).Times(303), b.Up(u, "").Sized(777).Times(299)}
			})},
		{ID: "urr.volume.uplink", Title: "Uplink traffic counts as uplink", Clause: "TS 29.244 5.2.2.2, 8.2.44",
			Steps: counted(plainly(), func(u *b.UE, _ *fixture) []b.Packet { return []b.Packet{b.Up(u, "").Sized(500).Times(20)} })},
		{ID: "urr.volume.downlink", Title: "Downlink traffic counts as downlink", Clause: "TS 29.244 5.2.2.2, 8.2.44",
			Steps: counted(plainly(), func(u *b.UE, _ *fixture) []b.Packet { return []b.Packet{b.Down(u, "").Sized(500).Times(20)} })},
		{ID: "urr.packets", Both: true, Title: "Numbers of packets are reported where they are asked for",
			Clause: "TS 29.244 8.2.44, 8.2.68", Need: need{Feature: smf.MNOP},
			Steps: func(g *fixture) []step {
				r := plainly()
				r.Packets = true
				return counted(r, func(u *b.UE, _ *fixture) []b.Packet {
					return []b.Packet{b.Up(u, "").Times(30), b.Down(u, "").Times(20)}
				})(g)
			}},
		{ID: "urr.dropped", Title: "What a closed gate drops is not counted", Clause: "TS 29.244 5.2.2.2.1, 8.2.68 (MBQE)",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := measured(u, g, plainly())
				s.QERs[0].CloseUp = true
				return []step{b.Establish(u, s), b.Send(b.Up(u, "").Times(10).Lost(), b.Down(u, "").Times(10)), b.Delete(u), usage.Counted(u, 1)}
			})},
		{ID: "urr.several", Title: "Each of a PDR's URRs counts all of its packets", Clause: "TS 29.244 5.2.2.1",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := measured(u, g, plainly())
				r := s.URRs[0]
				r.ID = 2
				s.URRs = append(s.URRs, r)
				s.PDRs[0].URRs, s.PDRs[1].URRs = []uint32{1, 2}, []uint32{1, 2}
				return []step{b.Establish(u, s), b.Send(b.Up(u, "").Times(20), b.Down(u, "").Times(10)), b.Delete(u), usage.Counted(u, 1), usage.Counted(u, 2)}
			})},
		{ID: "urr.final", Title: "The answer to a deletion has a last usage report", Clause: "TS 29.244 7.5.7.2, 8.2.41",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, measured(u, g, plainly())), b.Send(b.Up(u, "").Times(10)), b.Delete(u),
					usage.Ended(u, 1, rules.Termination, "TERMR")}
			})},
		{ID: "urr.remove", Title: "The answer to the removal of a URR has its last usage report", Clause: "TS 29.244 5.2.2.3.1, 7.5.5.2",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := measured(u, g, plainly())
				p := b.Plain(u, g).PDRs
				c := rules.Change{Remove: rules.Removed{URRs: []uint32{1}}, Update: rules.Session{PDRs: p}}
				return []step{b.Establish(u, s), b.Send(b.Up(u, "").Times(10), b.Down(u, "").Times(5)), b.Modify(u, "remove URR 1", c), usage.Counted(u, 1)}
			})},
		{ID: "urr.query", Title: "A queried URR is reported at once, and nothing is counted twice", Clause: "TS 29.244 5.2.2.3.1, 7.5.4.10",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, measured(u, g, plainly())), b.Send(b.Up(u, "").Times(10)),
					b.Modify(u, "query URR 1", rules.Change{Query: []uint32{1}}), usage.Ended(u, 1, rules.Immediate, "IMMER"), usage.Counted(u, 1),
					b.Send(b.Up(u, "").Times(7)), b.Delete(u), usage.Counted(u, 1)}
			})},
	}
}

func triggers() []Case {
	return []Case{
		{ID: "urr.threshold.volume", Both: true,
			Title:  "A volume threshold is reported when it is reached, and the reports add up",
			Clause: "TS 29.244 5.2.2.3.1, 8.2.13",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				r := rules.URR{Method: rules.ByVolume, Triggers: rules.VolumeThreshold, Threshold: &rules.Volume{Total: rules.Octets(10_000)}}
				return []step{b.Establish(u, measured(u, g, r)), b.SendSlowly(200, b.Up(u, "").Sized(1000).Times(25)),
					usage.Reported(u, 1, rules.VolumeThreshold, "VOLTH", 1, 2*time.Second), b.Delete(u), usage.Counted(u, 1), usage.Numbered(u, 1)}
			})},
		{ID: "urr.report.once", Title: "A session report that is answered is not sent again",
			Clause: "TS 29.244 6.4, 7.5.8", Lasts: 2 * time.Second,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				r := rules.URR{Method: rules.ByVolume, Triggers: rules.VolumeThreshold, Threshold: &rules.Volume{Total: rules.Octets(5_000)}}
				return []step{b.Establish(u, measured(u, g, r)), b.SendSlowly(200, b.Up(u, "").Sized(1000).Times(18)), usage.Once(u)}
			})},
		{ID: "urr.threshold.exact",
			Title:  "A volume threshold is reported at the packet that goes beyond it, neither before nor later",
			Clause: "TS 29.244 5.2.2.3.1, 8.2.13", Lasts: 2 * time.Second,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				r := rules.URR{Method: rules.ByVolume, Triggers: rules.VolumeThreshold, Threshold: &rules.Volume{Total: rules.Octets(9_500)}}
				return []step{b.Establish(u, measured(u, g, r)), usage.ReportedAt(u, 1, 9_500, b.Up(u, "").Sized(1000))}
			})},
		{ID: "urr.times", Title: "The times in usage reports fit each other, and what is measured",
			Clause: "TS 29.244 7.5.5.2, 7.5.7.2, 7.5.8.3", Lasts: 4 * time.Second,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := measured(u, g, rules.URR{Method: rules.ByVolume, Triggers: rules.VolumeThreshold,
					Threshold: &rules.Volume{Total: rules.Octets(10_000)}})
				s.URRs = append(s.URRs, rules.URR{ID: 2, Method: rules.Duration, Triggers: rules.Periodic, Period: 1})
				s.PDRs[0].URRs, s.PDRs[1].URRs = []uint32{1, 2}, []uint32{1, 2}
				return []step{b.Establish(u, s), b.SendSlowly(200, b.Up(u, "").Sized(1000).Times(12)),
					usage.Came(u, 1, rules.VolumeThreshold, "VOLTH", 1, 2*time.Second),
					usage.Came(u, 2, rules.Periodic, "PERIO", 2, 3*time.Second), b.Send(b.Down(u, "").Times(5)),
					b.Modify(u, "query URR 1", rules.Change{Query: []uint32{1}}), b.Send(b.Up(u, "").Times(5)), b.Delete(u), usage.Times(u)}
			})},
		{ID: "urr.threshold.direction", Title: "A threshold of one direction is not reached by the other", Clause: "TS 29.244 8.2.13",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				r := rules.URR{Method: rules.ByVolume, Triggers: rules.VolumeThreshold, Threshold: &rules.Volume{Down: rules.Octets(5_500)}}
				return []step{b.Establish(u, measured(u, g, r)), b.Send(b.Up(u, "").Sized(1000).Times(20)), usage.Unreported(u, 1, 500*time.Millisecond),
					usage.ReportedAt(u, 1, 5_500, b.Down(u, "").Sized(1000))}
			})},
		{ID: "urr.quota.volume", Both: true, Title: "A volume quota that is used up stops the traffic and is reported", Clause: "TS 29.244 5.2.2.2.1, 8.2.50",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				r := rules.URR{Method: rules.ByVolume, Triggers: rules.VolumeQuota, Quota: &rules.Volume{Total: rules.Octets(10_000)}}
				return []step{b.Establish(u, measured(u, g, r)), b.Send(b.Up(u, "within the quota").Sized(1000).Times(10)),
					usage.Reported(u, 1, rules.VolumeQuota, "VOLQU", 1, 2*time.Second),
					b.Send(b.Up(u, "beyond the quota").Lost(), b.Down(u, "beyond the quota").Lost())}
			})},
		{ID: "urr.quota.renewed", Title: "A new volume quota lets traffic pass again", Clause: "TS 29.244 5.2.2.2.1, 7.5.4.4",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				r := rules.URR{ID: 1, Method: rules.ByVolume, Triggers: rules.VolumeQuota, Quota: &rules.Volume{Total: rules.Octets(2_000)}}
				return []step{b.Establish(u, measured(u, g, r)), b.Send(b.Up(u, "within the quota").Sized(1000).Times(2)),
					usage.Reported(u, 1, rules.VolumeQuota, "VOLQU", 1, 2*time.Second),
					b.Modify(u, "a new quota", rules.Change{Update: rules.Session{URRs: []rules.URR{r}}}),
					b.Send(b.Up(u, "within the new quota").Sized(500))}
			})},
		{ID: "urr.quota.action",
			Title:  "Packets of a volume quota that is used up go by the FAR that is given for that",
			Clause: "TS 29.244 5.2.2.2.1, 7.5.2.4",
			Need:   need{Feature: smf.QUOAC},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				away := second(u, g)
				s := measured(u, g, rules.URR{Method: rules.ByVolume, Triggers: rules.VolumeQuota,
					Quota: &rules.Volume{Total: rules.Octets(5_000)}, QuotaFAR: 3})
				s.PDRs[1].URRs = nil
				s.FARs = append(s.FARs, rules.FAR{ID: 3, Action: rules.Forward, To: rules.Core, Tunnel: &away})
				return []step{b.Establish(u, s), b.Send(b.Up(u, "within the quota").Sized(1000).Times(5)),
					usage.Reported(u, 1, rules.VolumeQuota, "VOLQU", 1, 2*time.Second), b.Send(b.Up(u, "beyond the quota").Into(away))}
			})},
		{ID: "urr.periodic", Title: "Periodic reports come each period, and add up",
			Clause: "TS 29.244 5.2.2.3.1, 8.2.39", Lasts: 5 * time.Second,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				r := rules.URR{Method: rules.ByVolume, Triggers: rules.Periodic, Period: 1}
				return []step{b.Establish(u, measured(u, g, r)), b.Send(b.Up(u, "").Times(10)),
					usage.ReportedEach(u, 1, time.Second, 4),
					b.Send(b.Down(u, "").Times(5)), b.Delete(u), usage.Counted(u, 1), usage.Numbered(u, 1)}
			})},
		{ID: "urr.threshold.time", Title: "A time threshold is reported when it is reached",
			Clause: "TS 29.244 5.2.2.3.1, 8.2.14", Lasts: 4 * time.Second,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				r := rules.URR{Method: rules.Duration, Triggers: rules.TimeThreshold, Time: 3}
				return []step{b.Establish(u, measured(u, g, r)), b.Send(b.Up(u, "")), usage.ReportedAfter(u, 1, rules.TimeThreshold, "TIMTH", 3*time.Second)}
			})},
		{ID: "urr.duration", Title: "The duration of the traffic is reported", Clause: "TS 29.244 5.2.2.2, 7.5.7.2", Lasts: 3 * time.Second,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				r := rules.URR{Method: rules.Duration, Triggers: rules.Periodic, Period: 3600}
				return []step{b.Establish(u, measured(u, g, r)), b.Send(b.Up(u, "")), b.Wait(2500 * time.Millisecond),
					b.Send(b.Up(u, "later")), b.Delete(u), usage.Lasted(u, 1)}
			})},
		{ID: "urr.quota.time", Title: "A time quota that is used up stops the traffic and is reported",
			Clause: "TS 29.244 5.2.2.2.1, 8.2.51", Lasts: 5 * time.Second,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				r := rules.URR{Method: rules.Duration, Triggers: rules.TimeQuota, TimeQuota: 3}
				return []step{b.Establish(u, measured(u, g, r)), b.Send(b.Up(u, "within the quota")),
					usage.ReportedAfter(u, 1, rules.TimeQuota, "TIMQU", 3*time.Second),
					b.Send(b.Up(u, "beyond the quota").Lost(), b.Down(u, "beyond the quota").Lost())}
			})},
		{ID: "urr.start", Title: "The start of traffic is reported", Clause: "TS 29.244 5.2.2.3.1, 8.2.19", Need: need{Optional: true},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				r := rules.URR{Method: rules.ByVolume, Triggers: rules.StartOfTraffic}
				return []step{b.Establish(u, measured(u, g, r)), usage.Unreported(u, 1, 300*time.Millisecond), b.Send(b.Up(u, "")),
					usage.Reported(u, 1, rules.StartOfTraffic, "START", 1, 2*time.Second)}
			})},
		{ID: "urr.monitoring-time", Title: "Usage before and after the monitoring time is reported apart",
			Clause: "TS 29.244 5.2.2.2, 8.2.15, 8.2.48", Need: need{Optional: true}, Lasts: 3 * time.Second,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				r := plainly()
				r.Monitoring = 2 * time.Second // 1 to 2, for its seconds are whole
				return []step{b.Establish(u, measured(u, g, r)),
					b.Send(b.Up(u, "before the monitoring time").Sized(500).Times(10)), b.Wait(2200 * time.Millisecond),
					b.Send(b.Down(u, "after the monitoring time").Sized(300).Times(5)), b.Delete(u), usage.Counted(u, 1), usage.Split(u, 1, 5000)}
			})},
		{ID: "urr.event", Title: "A URR that measures events is carried out", Clause: "TS 29.244 8.2.40, 8.2.112", Need: need{Optional: true},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				r := rules.URR{Method: rules.Event, Triggers: rules.StartOfTraffic}
				return []step{b.Establish(u, measured(u, g, r)), b.Send(b.Up(u, "")), usage.Reported(u, 1, rules.StartOfTraffic, "START", 1, 2*time.Second)}
			})},
	}
}
