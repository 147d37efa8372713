package n4

import (
	"context"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/behaviour/rules"
	"github.com/upflab/upflab/pfcp"
)

// The types of a report (TS 29.244 clause 8.2.21).
const (
	DownlinkData    = 1 << 0
	UsageReport     = 1 << 1
	ErrorIndication = 1 << 2
)

// Report is a Session Report Request.
type Report struct {
	SEID  uint64    // ours
	At    time.Time // when it came
	Again int       // how often it came again after it had been answered
	Type  uint8
	PDRs  []uint16 // of a downlink data report
	Usage []Usage

	sequence uint32
}

// Usage is a usage report.
type Usage struct {
	URR      uint32
	Sequence uint32
	Triggers uint32 // as in package rules
	Volume   rules.Volume
	Duration time.Duration
	Timed    bool // Duration is there
	// Information is the Usage Information (TS 29.244 clause 8.2.48).
	Information uint8
}

// Flags of a Usage Information.
const (
	BeforeMonitoring = 1 << 0
	AfterMonitoring  = 1 << 1
)

// keep notes a report once, however often it is sent, and gives the SEID to answer to.
func (p *Peer) keep(h pfcp.Header, b []byte) uint64 {
	r := Report{SEID: h.SEID, At: time.Now(), sequence: h.Sequence}
	_, ies, _, _ := pfcp.Parse(b)
	_ = pfcp.Decode(ies, func(all []*ie.IE) error { // what cannot be read is missing from the report
		for _, i := range all {
			r.read(i)
		}
		return nil
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen[h.Sequence] {
		for i := range p.reports {
			if p.reports[i].sequence == h.Sequence {
				p.reports[i].Again++
			}
		}
	} else {
		p.seen[h.Sequence] = true
		p.reports = append(p.reports, r)
		close(p.arrived)
		p.arrived = make(chan struct{})
	}
	return p.theirs[h.SEID]
}

func (r *Report) read(i *ie.IE) {
	switch i.Type {
	case ie.ReportType:
		r.Type = first(i.Payload)
	case ie.DownlinkDataReport:
		for _, child := range i.ChildIEs {
			if id, err := child.PDRID(); child.Type == ie.PDRID && err == nil {
				r.PDRs = append(r.PDRs, id)
			}
		}
	case ie.UsageReportWithinSessionReportRequest:
		if u, err := readUsage(i); err == nil {
			r.Usage = append(r.Usage, u)
		}
	}
}

func first(b []byte) uint8 {
	if len(b) == 0 {
		return 0
	}
	return b[0]
}

func readUsage(i *ie.IE) (u Usage, err error) {
	for _, child := range i.ChildIEs {
		switch child.Type {
		case ie.URRID:
			u.URR, err = child.URRID()
		case ie.URSEQN:
			u.Sequence, err = child.URSEQN()
		case ie.UsageReportTrigger:
			for n, o := range child.Payload[:min(3, len(child.Payload))] {
				u.Triggers |= uint32(o) << (8 * n)
			}
		case ie.DurationMeasurement:
			u.Duration, err = child.DurationMeasurement()
			u.Timed = true
		case ie.UsageInformation:
			u.Information = first(child.Payload)
		case ie.VolumeMeasurement:
			u.Volume, err = readVolume(child)
		}
		if err != nil {
			return u, err
		}
	}
	return u, nil
}

func readVolume(i *ie.IE) (v rules.Volume, err error) {
	f, err := i.VolumeMeasurement()
	if err != nil {
		return v, err
	}
	set := func(to **uint64, has bool, n uint64) {
		if has {
			*to = &n
		}
	}
	set(&v.Total, f.HasTOVOL(), f.TotalVolume)
	set(&v.Up, f.HasULVOL(), f.UplinkVolume)
	set(&v.Down, f.HasDLVOL(), f.DownlinkVolume)
	set(&v.Packets, f.HasTONOP(), f.TotalNumberOfPackets)
	set(&v.UpPkts, f.HasULNOP(), f.UplinkNumberOfPackets)
	set(&v.DownPkts, f.HasDLNOP(), f.DownlinkNumberOfPackets)
	return v, nil
}

// Belongs says which SEID of the UPF a session of ours has, for answers to its reports.
func (p *Peer) Belongs(ours, theirs uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.theirs[ours] = theirs
}

// Reports gives the reports on a session so far.
func (p *Peer) Reports(seid uint64) (list []Report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.reports {
		if r.SEID == seid {
			list = append(list, r)
		}
	}
	return list
}

// Await waits until the reports on a session satisfy want, at most for a time; it gives
// those that there are then.
func (p *Peer) Await(ctx context.Context, seid uint64, within time.Duration, want func([]Report) bool) []Report {
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	for {
		p.mu.Lock()
		more := p.arrived
		p.mu.Unlock()
		if list := p.Reports(seid); want(list) {
			return list
		}
		select {
		case <-more:
		case <-deadline.C:
			return p.Reports(seid)
		case <-ctx.Done():
			return p.Reports(seid)
		}
	}
}

// Forget drops the reports so far.
func (p *Peer) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reports = nil
}
