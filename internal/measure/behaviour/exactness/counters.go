package exactness

import (
	"fmt"
	"sort"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/record"
)

// What the counters are audited with: numbers and lengths that no other quantity equals.
const (
	auditUp, auditUpOctets     = 997, 301
	auditDown, auditDownOctets = 607, 503
	auditPPS                   = 4000
	// auditWait is how long a UPF has to bring its counters up to date.
	auditWait = 1500 * time.Millisecond
)

func counters() []b.Case {
	return []b.Case{{ID: "counters", Title: "Counters that the UPF shows of its user plane are those of the packets",
		Clause: "TS 28.552 5.4.1",
		Lasts:  4 * time.Second, Steps: func(*b.Fixture) []b.Step {
			return []b.Step{{Text: "send known packets and read the counters", Do: audit}}
		}}}
}

// audit compares what counters went up by with the packets that were sent meanwhile.
func audit(t *b.T) error {
	read := t.Lab.Capabilities().UserPlane
	if read == nil {
		return fail.Inapplicable("upflab knows of no counters of this UPF")
	}
	u := t.Fixture.UE(0)
	s := b.Plain(u, t.Fixture)
	if err := b.Establish(u, s).Do(t); err != nil {
		return err
	}
	before, err := read()
	if err != nil {
		return fail.Inapplicable("its counters cannot be read: %v", err)
	}
	if before == nil {
		return fail.Inapplicable("upflab knows of no counters of this UPF")
	}
	up, err := t.Count(b.Up(u, "").Sized(auditUpOctets), auditUp, auditPPS)
	if err != nil {
		return err
	}
	down, err := t.Count(b.Down(u, "").Sized(auditDownOctets), auditDown, auditPPS)
	if err != nil {
		return err
	}
	if err := b.Wait(auditWait).Do(t); err != nil {
		return err
	}
	after, err := read()
	if err != nil {
		return fail.Inapplicable("its counters cannot be read: %v", err)
	}
	t.Shown = shown(before, after, quantities(&up, &down))
	return auditJudged(t.Shown)
}

// quantity is a sum over the packets: between what arrived and what was sent.
type quantity struct {
	name     string
	from, to float64
}

// quantities are what a counter may count. The first are dut's.
func quantities(up, down *b.Users) []quantity {
	sum := func(name string, each float64, list ...*b.Users) (q quantity) {
		q.name = name
		for _, u := range list {
			for _, f := range u.Fates {
				n := 1.0
				if each >= 0 {
					n = float64(f.Octets) + each
				}
				q.to += n
				if !f.Arrived.IsZero() {
					q.from += n
				}
			}
		}
		return q
	}
	const packets, outer, frame = -1, 44, 58 // GTP-U, UDP and IPv4, with a PDU session container; and Ethernet
	return []quantity{
		sum(string(dut.UplinkPackets), packets, up), sum(string(dut.DownlinkPackets), packets, down),
		sum(string(dut.UplinkOctets), 0, up), sum(string(dut.DownlinkOctets), 0, down),
		sum("packets of both directions", packets, up, down), sum("octets of both directions", 0, up, down),
		sum("uplink octets with N3's headers", outer, up), sum("downlink octets with N3's headers", outer, down),
		sum("uplink octets of N3's frames", frame, up), sum("downlink octets of N3's frames", frame, down),
		sum("uplink octets of N6's frames", 14, up), sum("downlink octets of N6's frames", 14, down),
	}
}

// shown are the counters that went up, or that have to.
func shown(before, after []dut.Counter, all []quantity) (list []record.Shown) {
	old := map[string]float64{}
	for _, c := range before {
		old[c.Name] = c.Value
	}
	for _, c := range after {
		value := c.Value - old[c.Name]
		if q := find(all, c.Means, value); c.Means != "" || value > 0 && q != nil || value >= auditDown/2 {
			list = append(list, compare(c, value, q))
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// find is the quantity that a counter means, or else the one that it equals; nil: none.
func find(all []quantity, means dut.Quantity, value float64) *quantity {
	for i := range all {
		q := &all[i]
		if q.name == string(means) || means == "" && value >= q.from && value <= q.to && value > 0 {
			return q
		}
	}
	return nil
}

func compare(c dut.Counter, value float64, q *quantity) record.Shown {
	s := record.Shown{Name: c.Name, Value: value, Means: string(c.Means)}
	if q == nil {
		return s
	}
	if s.Means == "" {
		s.Means = "as many as " + q.name
	}
	s.Ledger = min(max(value, q.from), q.to)
	s.Difference = value - s.Ledger
	return s
}

// auditJudged holds counters whose meaning is known to the ledger.
func auditJudged(list []record.Shown) error {
	known := 0
	for _, s := range list {
		if s.Ledger == 0 {
			continue
		}
		if known++; s.Difference != 0 {
			return fail.Repeated(fail.Wrong(fmt.Sprintf("%s, which is %s, goes up by %.0f", s.Name, s.Means, s.Ledger),
				fmt.Sprintf("it goes up by %.0f", s.Value)))
		}
	}
	if known == 0 {
		return fail.Inapplicable("none of its counters is of packets or octets of the user plane")
	}
	return nil
}
