package seeded

import (
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// reporting are faults of usage reports: of their times, of when they are due, and of whose they are.
func reporting() []Fault {
	plus := func(n int64) func(uint64) uint64 { return func(v uint64) uint64 { return uint64(int64(v) + n) } }
	half := func(v uint64) uint64 { return v / 2 }
	double := func(v uint64) uint64 { return v * 2 }
	thresholds := []string{"session.modify.update-urr", "urr.threshold.direction"}
	return []Fault{
		{Name: "usage reports have no Start Time", Row: "urr.times", Answer: without(0, ie.StartTime)},
		{Name: "usage reports have no End Time", Row: "urr.times", Answer: without(0, ie.EndTime)},
		{Name: "usage reports end before they start", Row: "urr.times", Answer: numbers(ie.EndTime, plus(-60))},
		{Name: "usage reports start an hour early", Row: "urr.times", Answer: numbers(ie.StartTime, plus(-3600))},
		{Name: "the first packet of a usage report comes after its end", Row: "urr.times", Answer: numbers(ie.TimeOfFirstPacket, plus(3600))},
		{Name: "durations are 3 s too long", Row: "urr.times", Also: []string{"urr.duration"}, Answer: numbers(ie.DurationMeasurement, plus(3))},
		{Name: "volume thresholds are halved", Row: "urr.threshold.exact", Also: thresholds, Ask: numbers(ie.VolumeThreshold, half)},
		{Name: "volume thresholds are doubled", Row: "urr.threshold.exact", Also: thresholds, Ask: numbers(ie.VolumeThreshold, double)},
		{Name: "volume thresholds are 1500 octets more", Row: "urr.threshold.exact", Also: thresholds,
			Ask: numbers(ie.VolumeThreshold, plus(1500))},
		{Name: "periods are doubled", Row: "urr.periodic", Ask: numbers(ie.MeasurementPeriod, double)},
		{Name: "time thresholds are doubled", Row: "urr.threshold.time", Ask: numbers(ie.TimeThreshold, double)},
		{Name: "time thresholds are halved", Row: "urr.threshold.time", Ask: numbers(ie.TimeThreshold, half)},
		{Name: "usage reports are 2.5 s late", Row: "urr.threshold.exact",
			Also: append([]string{"urr.threshold.time", "urr.quota.time", "urr.periodic", "n4.report.seid", "urr.start"}, thresholds...),
			Late: func(m []byte) time.Duration {
				if pfcp.MessageType(m[1]) == pfcp.SessionReportRequest {
					return 2500 * time.Millisecond
				}
				return 0
			}},
		{Name: "answers to modifications have a usage report of a URR that is not there", Row: "urr.query",
			Also: []string{"far.path-switch", "far.end-marker.not-asked", "session.modify.remove-pdr"},
			Answer: func(m []byte) []byte {
				if pfcp.MessageType(m[1]) != pfcp.SessionModificationResponse {
					return m
				}
				report := element(nil, ie.URRID, []byte{0, 0, 0, 99})
				report = element(report, ie.URSEQN, []byte{0, 0, 0, 0})
				report = element(report, ie.UsageReportTrigger, []byte{0x80, 0, 0})
				m = element(m, ie.UsageReportWithinSessionModificationResponse, report)
				return ies(m, func(_ uint16, v []byte) []byte { return v })
			}},
	}
}
