package n4

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// Report is a Session Report Request.
type Report struct {
	SEID  uint64    // ours
	At    time.Time // when it came
	Again int       // how often it came again after it had been answered
	// Reused: another request had its sequence number so shortly before that an SMF which keeps its answers takes it for
	// that one come again (TS 29.244 clause 6.4).
	Reused bool
	Number uint32   // its sequence number
	Type   uint8    // smf.DownlinkData, smf.UsageReport and smf.ErrorIndication, or-ed
	PDRs   []uint16 // of a downlink data report
	Usage  []Usage
	// Remote are the F-TEIDs of an error indication report.
	Remote []smf.FTEID

	ies [sha256.Size]byte // their hash
}

// answersKept is for how long an SMF may keep an answer for a request that comes again: T1 and N1 of 1 s and 3 at least.
const answersKept = 3 * time.Second

// last is the last request with a sequence number.
type last struct {
	ies [sha256.Size]byte
	at  time.Time
}

// request notes the reports of the UPF. What cannot be read of a report is missing from it.
func (p *Peer) request(h pfcp.Header, ies []byte) {
	if h.Type != pfcp.SessionReportRequest {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keep(h, ies)
}

// keep notes a report once, however often it is sent: one that comes again has the same sequence number and says the
// same. The lock is held.
func (p *Peer) keep(h pfcp.Header, ies []byte) {
	now := last{sha256.Sum256(ies), time.Now()}
	before, seen := p.seen[h.Sequence]
	if seen && before.ies == now.ies {
		for i := range p.reports {
			if p.reports[i].Number == h.Sequence && p.reports[i].ies == now.ies {
				p.reports[i].Again++
			}
		}
		return
	}
	var m smf.Message
	_ = m.Read(h, ies, smf.Tolerant)
	p.seen[h.Sequence] = now
	p.reports = append(p.reports, Report{SEID: h.SEID, At: now.at, Type: m.ReportType, PDRs: m.DataPDRs, Usage: m.Usage,
		Remote: m.Remote, Reused: seen && now.at.Sub(before.at) < answersKept, Number: h.Sequence, ies: now.ies})
	close(p.arrived)
	p.arrived = make(chan struct{})
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

// Await waits until the reports on a session satisfy want, at most for a time, and gives those that there are then.
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

// Misaddressed gives the reports so far whose SEID is that of no session of ours, nor was.
func (p *Peer) Misaddressed() (list []Report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.reports {
		before := r.SEID >= p.given[0] && r.SEID <= p.given[1]
		if !before && !p.held[r.SEID] {
			list = append(list, r)
		}
	}
	return list
}

// Forget drops the reports so far, and the sessions that they are on.
func (p *Peer) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reports, p.held = nil, map[uint64]bool{}
	p.given[1] = p.client.NextSEID()
}
