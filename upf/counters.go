package upf

import (
	"context"
	"log/slog"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/n3"
	"github.com/upflab/upflab/upf/pfcp"
	"github.com/upflab/upflab/upf/session"
)

// Counters are totals since the UPF was made; GET /counters gives them as JSON
// with these names.
type Counters struct {
	UptimeSeconds float64          `json:"uptime_s"`
	Sessions      int              `json:"sessions"` // now
	Datapath      DatapathCounters `json:"datapath"`
	PFCP          pfcp.Counters    `json:"pfcp"`
	GTPU          n3.Counters      `json:"gtpu"` // what reached user space
}

// DatapathCounters are datapath.Counters with names for reasons.
type DatapathCounters struct {
	Uplink   Direction         `json:"uplink"`
	Downlink Direction         `json:"downlink"`
	Drops    map[string]uint64 `json:"drops"`  // packets by datapath.Reason's name
	Passed   uint64            `json:"passed"` // packets handed to the kernel
	// Workers is what each thread did, of a datapath in user space, or each CPU that XDP spreads
	// packets among.
	Workers []Worker `json:"workers,omitempty"`
}

// Worker is datapath.Worker, in packets but for Batches.
type Worker struct {
	Received uint64 `json:"received"`
	Sent     uint64 `json:"sent"`
	Joined   uint64 `json:"joined"` // of a TUN or TAP device: with others as one
	Lost     uint64 `json:"lost"`   // refused by the kernel
	Missed   uint64 `json:"missed"` // no room in a ring of a packet socket
	Batches  uint64 `json:"batches"`
}

// Direction counts what was forwarded; bytes are of the T-PDUs.
type Direction struct {
	Packets uint64 `json:"packets"`
	Bytes   uint64 `json:"bytes"`
}

// Counters reads all counters. The error is the datapath's.
func (u *UPF) Counters() (Counters, error) {
	d, err := u.dp.Counters()
	if err != nil {
		return Counters{}, err
	}
	p, all := u.pfcp.Counters(), named(d)
	if u.can.Workers != nil {
		for _, w := range u.can.Workers() {
			all.Workers = append(all.Workers, Worker(w))
		}
	}
	return Counters{
		UptimeSeconds: time.Since(u.started).Seconds(),
		Sessions:      p.Sessions,
		Datapath:      all,
		PFCP:          p,
		GTPU:          u.n3.Counters(),
	}, nil
}

func named(d datapath.Counters) DatapathCounters {
	c := DatapathCounters{
		Uplink:   Direction(d.Uplink),
		Downlink: Direction(d.Downlink),
		Drops:    make(map[string]uint64, len(d.Drops)),
		Passed:   d.Passed,
	}
	for reason, n := range d.Drops {
		c.Drops[reason.String()] = n
	}
	return c
}

func (u *UPF) forward(to forward.Tunnel, tpdu []byte) { u.n3.Forward(to, tpdu) }

func (u *UPF) endMarker(tunnel session.OuterHeader) { u.n3.EndMarker(tunnel) }

const logInterval = 10 * time.Second

// logCounters writes the counters to the log, at debug, until ctx is done.
func (u *UPF) logCounters(ctx context.Context) error {
	tick := time.NewTicker(logInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if u.log.Enabled(ctx, slog.LevelDebug) {
				u.logOnce()
			}
		}
	}
}

func (u *UPF) logOnce() {
	c, err := u.Counters()
	if err != nil {
		u.log.Warn("read counters", "err", err)
		return
	}
	u.log.Debug("counters", "sessions", c.Sessions,
		"uplink_packets", c.Datapath.Uplink.Packets, "downlink_packets", c.Datapath.Downlink.Packets,
		"drops", c.Datapath.Drops, "passed", c.Datapath.Passed)
}
