package pfcp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// setup is an Association Setup Request (TS 29.244 clauses 6.2.6, 7.4.4.1).
type setup struct {
	node     string
	recovery uint32
	set      setChange
	retain   *retention // nil: the sessions of an earlier association end
}

func decodeSetup(f fields) (procedure, error) {
	node, err := nodeIDOf(f)
	if err != nil {
		return nil, err
	}
	p := setup{node: node}
	if p.recovery, err = f.mustUint32(ie.RecoveryTimeStamp); err != nil {
		return nil, err
	}
	if p.set, err = decodeSet(f); err != nil {
		return nil, err
	}
	p.retain, err = decodeRetention(f)
	return p, err
}

// run makes the association, anew when there is one: the sessions of the old
// one are deleted, but for those that the request retains (clause 6.2.6.2.2).
func (s *nodes) setUp(p setup, from source) outcome {
	old, err := s.associations.replaceable(p, from)
	if err == nil && old != nil && p.retain == nil {
		old, err = nil, s.carry.end(old)
	}
	if err == nil {
		err = s.dropBequeathed(p, from)
	}
	switch {
	case err != nil:
	case old == nil:
		err = s.associations.add(p, from, false)
	default:
		err = s.renew(old, p, from)
	}
	if err != nil {
		return s.fail(from, err)
	}
	var flags *ie.IE
	if s.takeBack(p, from) > 0 || old != nil {
		flags = ie.New(ie.PFCPASRspFlags, []byte{sessionsRetained})
	}
	s.log.Info("PFCP association set up", "node", p.node, "peer", from.peer)
	return outcome{
		answer: s.accepted(from.Header, 0, s.recoveryIE(), s.features(p.set.features&s.associations.setFeatures(from.peer.Addr())), flags),
		keep:   true, node: p.node,
	}
}

// UP Function Features (clause 8.2.25).
const (
	featureDDND  = 1 << 1 // octet 5: a BAR's delay of notifications
	featureFTUP  = 1 << 4 // octet 5: the UP function can allocate F-TEIDs
	featurePFDM  = 1 << 5 // octet 5: PFD management
	featureEMPU  = 1 << 0 // octet 6: it sends End Markers
	featurePDIU  = 1 << 1 // octet 6: traffic endpoints
	featureUDBC  = 1 << 2 // octet 6: a BAR's suggested number of packets
	featureQUOAC = 1 << 3 // octet 6: FAR ID for Quota Action
	featureFRRT  = 1 << 5 // octet 6: framed routes
	featurePFDE  = 1 << 6 // octet 6: PFDs with several flow descriptions
	featureADPDP = 1 << 1 // octet 7: predefined rules are activated and deactivated
	featureUEIP  = 1 << 2 // octet 7: the UP function can allocate UE addresses
	featureSSET  = 1 << 3 // octet 7: sessions go from SMF to SMF of a set, by one association of the set
	featureMNOP  = 1 << 4 // octet 7: packets are measured, too
	featureMPAS  = 1 << 0 // octet 8: the same, by an association of each SMF
	featureVTIME = 1 << 2 // octet 8: Quota Validity Time
)

// features are the UP Function Features. Those of SMF sets are for a CP function that announces the same ones.
func (s *nodes) features(of cpFeatures) *ie.IE {
	octets := s.offers
	if of&cpSSET != 0 {
		octets[2] |= featureSSET
	}
	if of&cpMPAS != 0 {
		octets[3] |= featureMPAS
	}
	return ie.New(ie.UPFunctionFeatures, octets[:])
}

// features are octets 5 to 8 of the UP Function Features.
type features [4]byte

// announced are the features that the datapath can carry out, and those that are configured.
func announced(holds, measures, allocatesUE, predefined bool) (octets features) {
	octets = features{featureFTUP | featurePFDM, featureEMPU | featurePDIU | featureFRRT | featurePFDE}
	if holds {
		octets[0] |= featureDDND
		octets[1] |= featureUDBC
	}
	if measures {
		octets[1] |= featureQUOAC
		octets[2] |= featureMNOP
		octets[3] |= featureVTIME
	}
	if allocatesUE {
		octets[2] |= featureUEIP
	}
	if predefined {
		octets[2] |= featureADPDP
	}
	return octets
}

// update is an Association Update Request (TS 29.244 clauses 6.2.7, 7.4.4.3). Only what it says of the SMF's set
// changes what the UP function does.
type update struct {
	node string
	set  setChange
}

func decodeUpdate(f fields) (procedure, error) {
	node, err := nodeIDOf(f)
	if err != nil {
		return nil, err
	}
	set, err := decodeSetChange(f)
	return update{node, set}, err
}

func (s *nodes) update(p update, from source) outcome {
	a, err := s.associations.named(p.node, from, false)
	if err != nil {
		return s.fail(from, err)
	}
	features, err := s.associations.changeSet(a, p.set)
	if err != nil {
		return s.fail(from, err)
	}
	return outcome{answer: s.accepted(from.Header, 0, s.features(features))}
}

// connectRetry is how long an association that failed or ended is left alone, where
// Config.ConnectRetry is 0.
const connectRetry = 5 * time.Second

// connection is a CP function that the server sets an association up with (TS 29.244
// clause 6.2.6.3). The lock of associations guards it.
type connection struct {
	to   netip.AddrPort
	busy bool      // a request waits for its answer
	next time.Time // when to try again
	// again: the CP function restarted, and has forgotten the association.
	again bool
}

// connect sets associations up with the configured CP functions that have none.
func (s *nodes) connect(now time.Time) {
	for _, c := range s.associations.liveness.toConnect(now) {
		features := s.features(s.associations.setFeatures(c.to.Addr()))
		build := func(sequence uint32) []byte {
			return pfcp.Encode(pfcp.AssociationSetupRequest, 0, sequence, s.nodeID, s.recoveryIE(), features)
		}
		s.ask(c.to, now, build, follow{
			answered: func(from source, ies []byte) { s.connected(c, from, ies) },
			lost:     func(time.Time) { s.associations.liveness.connectLater(c, now, s.retry) },
		})
	}
}

// toConnect lists the CP functions to be asked now, which are busy from then on.
func (l *liveness) toConnect(now time.Time) (list []*connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.connections {
		if !c.busy && !now.Before(c.next) && !l.leaving && (c.again || !l.isAssociated(c.to.Addr())) {
			c.busy, c.again = true, false
			list = append(list, c)
		}
	}
	return list
}

// connectAgain has the association with a restarted CP function set up anew, where that
// is the server's to do. The lock is held.
func (l *table) connectAgain(address netip.Addr) {
	for _, c := range l.connections {
		if c.to.Addr() == address {
			c.again = true
		}
	}
}

// connectLater ends an attempt; the next one is due after some time, if it is needed.
func (l *liveness) connectLater(c *connection, now time.Time, after time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.busy, c.next = false, now.Add(after)
}

// isAssociated reports whether a CP function at the address has an association. The
// lock is held.
func (l *table) isAssociated(address netip.Addr) bool {
	for _, a := range l.nodes {
		if a.speaks(address) {
			return true
		}
	}
	return false
}

// connected takes the answer to a set-up. When the CP function has set the association
// up itself meanwhile, that one stays.
func (s *nodes) connected(c *connection, from source, ies []byte) {
	a, err := decodeSetupAnswer(ies)
	if err == nil {
		err = s.join(a, from)
	}
	s.associations.liveness.connectLater(c, from.at, s.retry)
	if err != nil {
		s.log.Warn("the CP function was not associated", "address", c.to, "err", err, "again_in", s.retry)
	}
}

func (s *nodes) join(p setup, from source) error {
	if known := s.associations.of(p.node); known != nil && known.owns(from.peer.Addr()) {
		return nil
	}
	if err := s.associations.claim(p, from); err != nil {
		return err
	}
	if err := s.associations.add(p, from, true); err != nil {
		return err
	}
	s.log.Info("PFCP association set up by the UPF", "node", p.node, "peer", from.peer)
	return nil
}

// decodeSetupAnswer reads an Association Setup Response (clause 7.4.4.2).
func decodeSetupAnswer(b []byte) (p setup, err error) {
	err = pfcp.Decode(b, func(list []*ie.IE) error {
		f := fields(list)
		if cause, err := answerCause(f); err != nil || cause != ie.CauseRequestAccepted {
			return errors.Join(err, fmt.Errorf("its cause is %d (%s)", cause, pfcp.Cause(cause)))
		}
		if p.node, err = nodeIDOf(f); err != nil {
			return err
		}
		stamp, err := f.must(ie.RecoveryTimeStamp, 4)
		if err != nil {
			return err
		}
		p.recovery = binary.BigEndian.Uint32(stamp)
		p.set, err = decodeSet(f)
		return err
	})
	return p, err
}

func answerCause(f fields) (uint8, error) {
	b, err := f.must(ie.Cause, 1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

// release is an Association Release Request (TS 29.244 clauses 6.2.8, 7.4.4.5).
type release struct{ node string }

func decodeRelease(f fields) (procedure, error) {
	node, err := nodeIDOf(f)
	return release{node}, err
}

// run deletes the sessions, then the association.
func (s *nodes) release(p release, from source) outcome {
	a, err := s.associations.named(p.node, from, true)
	if err != nil {
		return s.fail(from, err)
	}
	if err := s.carry.end(a); err != nil {
		return s.fail(from, err)
	}
	s.log.Info("PFCP association released", "node", a.node, "peer", from.peer)
	return outcome{answer: s.accepted(from.Header, 0), keep: true, node: a.node}
}

// lookEvery is how often it is looked whether CP functions have released their associations.
const lookEvery = 50 * time.Millisecond

// leave asks every CP function to release its association (TS 29.244 clause 6.2.7.3),
// and waits until they have, for as long as the period at most or until ctx is done. It
// takes no new sessions and associations meanwhile. Serve is running.
func (s *nodes) leave(ctx context.Context, period time.Duration) {
	for _, a := range s.associations.leave() {
		s.askRelease(a, period)
	}
	ctx, cancel := context.WithTimeout(ctx, period)
	defer cancel()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for s.associations.awaited() > 0 {
		select {
		case <-ctx.Done():
			s.log.Warn("CP functions have not released their associations", "associations", s.associations.awaited(), "after", period)
			return
		case <-tick.C:
		}
	}
}

// leave refuses new sessions and associations from now on, and lists the associations.
func (l *associations) leave() []*association {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leaving = true
	return slices.Collect(maps.Values(l.nodes))
}

// silence notes that the CP function did not answer when it was asked to release.
func (l *associations) silence(a *association) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a.mute = true
}

// awaited is how many associations are still to be released: those whose CP function
// answers.
func (l *associations) awaited() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.nodes {
		if !a.mute {
			n++
		}
	}
	return n
}

// askRelease sends an Association Update Request with a PFCP Association Release Request
// and a Graceful Release Period.
func (s *nodes) askRelease(a *association, period time.Duration) {
	const requested = 1 << 0 // SARR (clause 8.2.74)
	to := netip.AddrPortFrom(s.associations.contact(a), 0)
	s.ask(to, time.Now(), func(sequence uint32) []byte {
		return pfcp.Encode(pfcp.AssociationUpdateRequest, 0, sequence, s.nodeID,
			ie.New(ie.PFCPAssociationReleaseRequest, []byte{requested}), gracefulIE(period))
	}, follow{lost: func(time.Time) { s.associations.silence(a) }})
}

// gracefulIE is a Graceful Release Period, a Timer in units of 2 s, of minutes or of 10
// minutes (clause 8.2.78).
func gracefulIE(period time.Duration) *ie.IE {
	for unit, size := range []time.Duration{2 * time.Second, time.Minute, 10 * time.Minute} {
		if n := (period + size - 1) / size; n < 32 {
			return ie.New(ie.GracefulReleasePeriod, []byte{byte(unit)<<5 | byte(n)})
		}
	}
	return ie.New(ie.GracefulReleasePeriod, []byte{2<<5 | 31})
}
