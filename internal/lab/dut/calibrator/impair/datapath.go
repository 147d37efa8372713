package impair

import (
	"errors"
	"net"

	"github.com/upflab/upflab/upf/datapath"
)

var errClosed = errors.New("calibrator: the datapath is closed")

// Apply changes sessions, all or none, as datapath.Datapath asks. The error is
// or wraps a *session.RuleError when a rule cannot be carried out, and
// datapath.ErrFull when there is no room.
func (d *Datapath) Apply(changes []datapath.Change) (err error) {
	if !d.loop.do(func() { err = d.loop.forwarder.Apply(changes) }) {
		return errClosed
	}
	return err
}

// Counters gives what the rules did: packets that they forward count so whatever
// the plan does to them then, which is in the Ledger.
func (d *Datapath) Counters() (c datapath.Counters, err error) {
	if !d.loop.do(func() { c = d.loop.forwarder.Counters() }) {
		return c, errClosed
	}
	return c, nil
}

// Ledger gives what was done so far, with the accounts of the latest trials, at
// most so many. Packets are held up by some 100 us for each account.
func (d *Datapath) Ledger(latest int) (l Ledger, err error) {
	read := func() {
		for way, side := range []*Side{&l.Uplink, &l.Downlink} {
			b := d.loop.lanes[way].book
			side.Totals = b.totals.view()
			side.Trials = b.view(latest)
		}
		l.Refused = map[string]uint64{}
		for reason, n := range d.loop.forwarder.Counters().Drops {
			l.Refused[reason.String()] = n
		}
	}
	if !d.loop.do(read) {
		return l, errClosed
	}
	if l.Uplink.Missed, err = d.n3.Drops(); err != nil {
		return l, err
	}
	l.Downlink.Missed, err = d.n6.Drops()
	return l, err
}

// Reset forgets what was done so far. What is inside the device then is in
// neither account as received.
func (d *Datapath) Reset() error {
	ok := d.loop.do(func() {
		for _, lane := range d.loop.lanes {
			lane.book.reset()
		}
	})
	if !ok {
		return errClosed
	}
	return nil
}

func mtuOf(name string) (int, error) {
	ifc, err := net.InterfaceByName(name)
	if err != nil {
		return 0, errors.New("there is no interface " + name + " in this network namespace: see `ip link`")
	}
	return ifc.MTU, nil
}
