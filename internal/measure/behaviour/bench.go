package behaviour

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/measure/behaviour/inbox"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
)

// Bench runs cases in a lab. It is one goroutine's.
type Bench struct {
	Lab      Lab
	Features smf.Features // that the UPF announced
	Label    string       // of the UPF, with its version, for files that are kept

	peer   *n4.Peer
	writer *smf.Writer
	Inbox  *inbox.Inbox
	number uint64                // of the next packet
	ue     uint32                // of the next UE
	wanted wanted                // of the packets of the attempt, for their capture
	met    int                   // how many of the lab's NewGNBs were used
	left   map[rules.Tunnel]bool // in which an End Marker was due
	// node is the UPF's Node ID in its association.
	node smf.NodeID
	// doubts are addresses that could not be proven, and why.
	doubts map[netip.Addr]string
	// unproven are symptoms of packets that could not be proven to pass at all, and why; blamed is the case
	// of each in which that is the finding.
	unproven, blamed map[string]string
	// associated: the association stands as far as we know.
	associated bool
}

// startWithin is how long a UPF may take to answer after its start.
const startWithin = 15 * time.Second

// patience of requests: a busy machine and a lost datagram both fit.
var patience = n4.Patience{T1: time.Second, Tries: 3}

// New makes a bench and associates with the UPF.
func New(ctx context.Context, lab Lab) (*Bench, error) {
	var b [8]byte
	rand.Read(b[:]) // never fails
	run := binary.BigEndian.Uint64(b[:])
	net := lab.Net()
	bench := &Bench{Lab: lab, Inbox: inbox.New(run, net.UEs.Pool), writer: &smf.Writer{
		Dialect: lab.Dialect(), Instance: net.Instance, N3: net.UPF,
	}}
	bench.Inbox.Listen(lab.N3().On, true)
	bench.Inbox.Listen(lab.N6().On, false)
	if err := bench.dial(ctx); err != nil {
		return nil, errors.Join(err, bench.Close())
	}
	if err := bench.prove(ctx); err != nil {
		return nil, errors.Join(err, bench.Close())
	}
	return bench, nil
}

// dial opens N4 and associates: by asking until the UPF answers.
func (b *Bench) dial(ctx context.Context) error {
	conn, upf, err := b.Lab.DialN4()
	if err != nil {
		return err
	}
	if b.peer, err = n4.New(conn, upf, b.Lab.Net().SMF, b.Lab.Dialect()); err != nil {
		return errors.Join(err, conn.Close())
	}
	return b.associate(ctx, n4.Patience{T1: 100 * time.Millisecond, Tries: int(startWithin / (100 * time.Millisecond))})
}

func (b *Bench) associate(ctx context.Context, by n4.Patience) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go b.watch(ctx, cancel)
	a, err := b.peer.Ask(ctx, b.peer.Setup(), by)
	switch {
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("set up the association: %w", err)
	case !a.Accepted():
		return fmt.Errorf("set up the association: the UPF refuses it: cause %s", a.Why())
	}
	b.Features, b.node, b.associated = a.Features, a.NodeID, true
	if b.writer.HeartbeatFirst {
		_, err = b.peer.Ask(ctx, b.peer.Heartbeat(), patience)
	}
	return err
}

// watch ends waiting for a UPF that has ended.
func (b *Bench) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := b.Lab.Alive(); err != nil {
				cancel(err)
			}
		}
	}
}

// Close ends N4. The lab stays.
func (b *Bench) Close() error {
	if b.peer == nil {
		return nil
	}
	if b.associated { // for a UPF that goes on without us
		_ = b.peer.Send(b.peer.Release())
	}
	return b.peer.Close()
}

// UPF is where the UPF listens for PFCP.
func (b *Bench) UPF() net.Addr { return b.peer.UPF() }

// Restart brings the UPF up anew. Sessions are gone.
func (b *Bench) Restart(ctx context.Context) error {
	b.associated = false
	if err := b.peer.Close(); err != nil {
		return err
	}
	if err := b.Lab.Restart(ctx); err != nil {
		return fmt.Errorf("start the UPF again: %w", err)
	}
	return b.dial(ctx)
}
