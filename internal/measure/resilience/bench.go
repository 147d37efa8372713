package resilience

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/measure/behaviour/lab"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/record"
)

// Bench is a UPF with an SMF that lets incidents happen.
type Bench struct {
	lab    *lab.Lab
	client *smf.Client // nil: there is no association
	conn   *cut
	next   int // session number

	mu   sync.Mutex
	told []note
}

// note is what the UPF told by itself.
type note struct {
	at   time.Time
	text string
	data bool // a report of downlink data
}

// Open associates with the lab's UPF.
func Open(ctx context.Context, l *lab.Lab) (*Bench, error) {
	if n := l.Net(); !n.GNB[1].IsValid() {
		return &Bench{lab: l}, fmt.Errorf("UEs move to a second gNB: %s", strings.Join(n.Lacks, "; "))
	}
	b := &Bench{lab: l}
	return b, b.associate(ctx, 15*time.Second)
}

// associate makes a new SMF, with a Recovery Time Stamp of now.
func (b *Bench) associate(ctx context.Context, within time.Duration) error {
	conn, upf, err := b.lab.DialN4()
	if err != nil {
		return err
	}
	b.conn = &cut{PacketConn: conn}
	n := b.lab.Net()
	const t1 = 100 * time.Millisecond
	b.client, err = smf.Dial(smf.Config{Conn: b.conn, Peer: upf, NodeID: n.SMF, NetworkInstance: n.Instance, Dialect: b.lab.Dialect(),
		T1: t1, N1: int(within / t1), Window: 32})
	if err != nil {
		b.client = nil
		return errors.Join(err, conn.Close())
	}
	b.client.SetTap(&smf.Tap{Request: b.request})
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	_, err = b.client.Associate(ctx)
	return err
}

// hangUp ends the SMF as a crash would: without a word.
func (b *Bench) hangUp() error {
	if b.client == nil {
		return nil
	}
	err := b.client.Close()
	b.client = nil
	return err
}

// Close ends the SMF.
func (b *Bench) Close() error { return b.hangUp() }

// request notes what a UPF says without being asked.
func (b *Bench) request(h pfcp.Header, ies []byte) {
	n := note{at: time.Now(), text: h.Type.String()}
	switch h.Type {
	case pfcp.HeartbeatRequest:
		return
	case pfcp.SessionReportRequest, pfcp.NodeReportRequest:
		n.text, n.data = reported(h.Type, ies)
	}
	b.mu.Lock()
	b.told = append(b.told, n)
	b.mu.Unlock()
}

// reported names a report by its type (TS 29.244 clauses 8.2.21 and 8.2.69).
func reported(typ pfcp.MessageType, ies []byte) (text string, data bool) {
	names := [...]string{"downlink data", "usage", "an Error Indication", "inactivity"}
	var m smf.Message
	_ = m.Read(pfcp.Header{Type: typ}, ies, smf.Tolerant) // what cannot be read is not named
	bits := m.ReportType
	if typ == pfcp.NodeReportRequest {
		names = [...]string{"a user plane path failure", "user plane path recovery", "clock drift", "GTP-U path QoS"}
		bits = m.NodeReportType
	}
	text = typ.String()
	for bit, name := range names {
		if bits&(1<<bit) != 0 {
			text += " of " + name
		}
	}
	return text, typ == pfcp.SessionReportRequest && bits&smf.DownlinkData != 0
}

// forget drops what was told so far.
func (b *Bench) forget() {
	b.mu.Lock()
	b.told = nil
	b.mu.Unlock()
}

// heard sums up what was told since a time, each kind once with its number.
func (b *Bench) heard(since time.Time) (list []string) {
	count, first := map[string]int{}, map[string]time.Time{}
	var order []string
	b.mu.Lock()
	for _, n := range b.told {
		if count[n.text]++; count[n.text] == 1 {
			order, first[n.text] = append(order, n.text), n.at
		}
	}
	b.mu.Unlock()
	for _, text := range order {
		list = append(list, fmt.Sprintf("%s (%d, the first after %.3f s)", text, count[text], first[text].Sub(since).Seconds()))
	}
	return list
}

// dataReports are the times of reports of downlink data.
func (b *Bench) dataReports() (list []time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range b.told {
		if n.data {
			list = append(list, n.at)
		}
	}
	return list
}

// sessions are n new ones; UEs are at the first gNB.
func (b *Bench) sessions(n int) (list []smf.Session) {
	net := b.lab.Net()
	for i := range n {
		ue, ue6 := net.UEs.Of(b.next + i)
		x := smf.Session{Index: i, UE: ue, UE6: ue6, QFI: 1, GNB: net.GNB[0], N3: net.UPF, DownlinkTEID: uint32(10_000 + 4*(b.next+i))}
		if b.lab.Dialect().Assign != smf.AssignUPF {
			x.UplinkTEID = uint32(100_000 + b.next + i)
		}
		list = append(list, x)
	}
	b.next += n
	return list
}

// establish establishes UEs' sessions.
func (b *Bench) establish(ctx context.Context, n int) ([]*ue, error) {
	e, err := b.client.Establish(ctx, b.sessions(n))
	if err != nil {
		return nil, err
	}
	var ues []*ue
	for i := range e {
		ues = append(ues, &ue{Established: e[i]})
	}
	return ues, nil
}

// again establishes the same sessions once more, as an SMF does that has lost or restored
// its UPF.
func (b *Bench) again(ctx context.Context, s *Stream) error {
	var list []smf.Session
	for _, u := range s.ues {
		list = append(list, u.Session)
	}
	e, err := b.client.Establish(ctx, list)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range e {
		s.ues[i].Established = e[i]
	}
	return nil
}

// remove deletes sessions; what the UPF does not know any more is gone already.
func (b *Bench) remove(ctx context.Context, ues []*ue) {
	if b.client == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	var list []smf.Established
	for _, u := range ues {
		list = append(list, u.Established)
	}
	_ = b.client.Delete(ctx, list)
}

// modify changes sessions.
func (b *Bench) modify(ctx context.Context, ues []*ue, change func(e smf.Established) smf.Change) error {
	var list []smf.Established
	for _, u := range ues {
		list = append(list, u.Established)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	_, err := b.client.Modify(ctx, list, change)
	return err
}

// stream is traffic of the UEs, packets/s each direction.
func (b *Bench) stream(ues []*ue, perS float64) *Stream {
	return newStream(b.lab, ues, rand.Uint64()|1, perS)
}

// phases collects when things were so.
type phases struct {
	began time.Time
	list  []record.Phase
}

func (p *phases) add(what string) {
	p.list = append(p.list, record.Phase{What: what, After: time.Since(p.began).Seconds()})
}
