package n4load

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/smf/rules"
)

// Procedure is what an SMF does with a session.
type Procedure string

// The procedures. The first three are one message; the others are what UEs cause, with
// the messages that TS 23.502 has for the UPF.
const (
	Establish Procedure = "establish" // a Session Establishment
	Modify    Procedure = "modify"    // a Session Modification: another downlink TEID
	Delete    Procedure = "delete"    // a Session Deletion

	Attach   Procedure = "attach"   // establishment, then the gNB's tunnel (4.3.2.2.1)
	Detach   Procedure = "detach"   // deletion (4.3.4.2)
	Idle     Procedure = "idle"     // AN release: buffer and notify (4.2.6)
	Active   Procedure = "active"   // service request: forward to the gNB (4.2.3.2)
	Handover Procedure = "handover" // path switch with End Markers (4.9.1.2)
	QoS      Procedure = "qos"      // another maximum bit rate (4.3.3.2)
	Paging   Procedure = "paging"   // downlink packet, report, then active (4.2.3.3)
)

// Procedures lists them all.
func Procedures() []Procedure {
	return []Procedure{Establish, Modify, Delete, Attach, Detach, Idle, Active, Handover, QoS, Paging}
}

// state is where a session is.
type state uint8

const (
	gone    state = iota // not established
	active               // forwards
	idle                 // buffers downlink packets
	busy                 // a procedure is under way
	unknown              // a request was never answered
	states
)

// kind is how a procedure brings a session from one state to another: by which messages.
type kind struct {
	from, to state
	steps    []step
	// report is true where the UPF's report of a downlink packet comes before the first message.
	report bool
}

// kinds lists what each procedure does.
var kinds = map[Procedure]kind{
	Establish: {from: gone, to: active, steps: steps(establish)},
	Modify:    {from: active, to: active, steps: steps(move(false))},
	Delete:    {from: active, to: gone, steps: steps(remove)},
	Attach:    {from: gone, to: active, steps: steps(establish, forward)},
	Detach:    {from: active, to: gone, steps: steps(remove)},
	Idle:      {from: active, to: idle, steps: steps(buffer)},
	Active:    {from: idle, to: active, steps: steps(forward)},
	Handover:  {from: active, to: active, steps: steps(move(true))},
	QoS:       {from: active, to: active, steps: steps(limit)},
	Paging:    {from: idle, to: active, steps: steps(forward), report: true},
}

// step writes one message of a procedure.
type step func(c *smf.Client, w *smf.Writer, m *member) smf.Request

func steps(list ...step) []step { return list }

func establish(c *smf.Client, w *smf.Writer, m *member) smf.Request {
	return c.EstablishmentRequest(w, &m.Session)
}

func remove(c *smf.Client, w *smf.Writer, m *member) smf.Request {
	return c.DeletionRequest(w, &m.Established)
}

func forward(c *smf.Client, w *smf.Writer, m *member) smf.Request {
	return c.ModificationRequest(w, &m.Established, smf.Change{Action: rules.Forward, GNB: m.GNB, TEID: m.teid()})
}

func buffer(c *smf.Client, w *smf.Writer, m *member) smf.Request {
	return c.ModificationRequest(w, &m.Established, smf.Change{Action: rules.Buffer | rules.Notify})
}

// move switches between two downlink TEIDs, as those of different sessions are at least 2 apart.
func move(endMarker bool) step {
	return func(c *smf.Client, w *smf.Writer, m *member) smf.Request {
		m.moved = !m.moved
		return c.ModificationRequest(w, &m.Established, smf.Change{GNB: m.GNB, TEID: m.teid(), EndMarker: endMarker})
	}
}

// limit alternates between two maximum bit rates, both beyond what a test sends, kbit/s.
func limit(c *smf.Client, w *smf.Writer, m *member) smf.Request {
	const one, other = 100_000_000, 200_000_000
	m.limited = !m.limited
	mbr := uint64(one)
	if m.limited {
		mbr = other
	}
	return c.ModificationRequest(w, &m.Established, smf.Change{MBR: mbr})
}

// Share is a procedure's part of a mix.
type Share struct {
	Procedure Procedure
	Weight    float64
}

// Check refuses mixes that cannot be sent.
func Check(mix []Share) error {
	var sum float64
	for _, s := range mix {
		if !slices.Contains(Procedures(), s.Procedure) {
			return fmt.Errorf("there is no procedure %q; there are %v", s.Procedure, Procedures())
		}
		sum += s.Weight
	}
	if sum <= 0 {
		return fmt.Errorf("a mix needs a procedure with a weight above 0")
	}
	return nil
}
