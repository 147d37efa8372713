package procedure

import (
	"context"
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n4/ask"
	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/n4/request"
)

// SetUp makes the association, anew when there is one: the sessions of the old
// one are deleted, but for those that the request retains (clause 6.2.6.2.2).
func (s *Nodes) SetUp(p request.Setup, from request.Source) Outcome {
	old, err := s.Associations.Replaceable(p, from)
	if err == nil && old != nil && p.Retain == nil {
		old, err = nil, s.Carry.end(old)
	}
	if err == nil {
		err = s.dropBequeathed(p, from)
	}
	switch {
	case err != nil:
	case old == nil:
		err = s.Associations.Add(p, from, false)
	default:
		err = s.renew(old, p, from)
	}
	if err != nil {
		return s.Fail(from, err)
	}
	var flags *ie.IE
	if s.takeBack(p, from) > 0 || old != nil {
		flags = ie.New(ie.PFCPASRspFlags, []byte{SessionsRetained})
	}
	s.Log.Info("PFCP association set up", "node", p.Node, "peer", from.Peer)
	return Outcome{
		Answer: s.accepted(from.Header, 0, s.recoveryIE(), s.features(p.Set.Features&s.Associations.SetFeatures(from.Peer.Addr())), flags),
		Keep:   true, Node: p.Node,
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
func (s *Nodes) features(of request.CPFeatures) *ie.IE {
	octets := s.Offers
	if of&request.CPSSET != 0 {
		octets[2] |= featureSSET
	}
	if of&request.CPMPAS != 0 {
		octets[3] |= featureMPAS
	}
	return ie.New(ie.UPFunctionFeatures, octets[:])
}

// features are octets 5 to 8 of the UP Function Features.
type features [4]byte

// Features are the features that the datapath can carry out, and those that are configured.
func Features(holds, measures, allocatesUE, predefined bool) (octets features) {
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

func (s *Nodes) Update(p request.Update, from request.Source) Outcome {
	a, err := s.Associations.Named(p.Node, from, false)
	if err != nil {
		return s.Fail(from, err)
	}
	features, err := s.Associations.ChangeSet(a, p.Set)
	if err != nil {
		return s.Fail(from, err)
	}
	return Outcome{Answer: s.accepted(from.Header, 0, s.features(features))}
}

// ConnectRetry is how long an association that failed or ended is left alone, where
// Config.ConnectRetry is 0.
const ConnectRetry = 5 * time.Second

// Connect sets associations up with the configured CP functions that have none.
func (s *Nodes) Connect(now time.Time) {
	for _, c := range s.Associations.Liveness.ToConnect(now) {
		features := s.features(s.Associations.SetFeatures(c.To.Addr()))
		build := func(sequence uint32) []byte {
			return pfcp.Encode(pfcp.AssociationSetupRequest, 0, sequence, s.NodeID, s.recoveryIE(), features)
		}
		s.Ask(c.To, now, build, ask.Follow{
			Answered: func(from request.Source, ies []byte) { s.connected(c, from, ies) },
			Lost:     func(time.Time) { s.Associations.Liveness.ConnectLater(c, now, s.Retry) },
		})
	}
}

// connected takes the answer to a set-up. When the CP function has set the association
// up itself meanwhile, that one stays.
func (s *Nodes) connected(c *association.Connection, from request.Source, ies []byte) {
	a, err := request.DecodeSetupAnswer(ies)
	if err == nil {
		err = s.join(a, from)
	}
	s.Associations.Liveness.ConnectLater(c, from.At, s.Retry)
	if err != nil {
		s.Log.Warn("the CP function was not associated", "address", c.To, "err", err, "again_in", s.Retry)
	}
}

func (s *Nodes) join(p request.Setup, from request.Source) error {
	if known := s.Associations.Of(p.Node); known != nil && known.Owns(from.Peer.Addr()) {
		return nil
	}
	if err := s.Associations.Claim(p, from); err != nil {
		return err
	}
	if err := s.Associations.Add(p, from, true); err != nil {
		return err
	}
	s.Log.Info("PFCP association set up by the UPF", "node", p.Node, "peer", from.Peer)
	return nil
}

// Release deletes the sessions, then the association.
func (s *Nodes) Release(p request.Release, from request.Source) Outcome {
	a, err := s.Associations.Named(p.Node, from, true)
	if err != nil {
		return s.Fail(from, err)
	}
	if err := s.Carry.end(a); err != nil {
		return s.Fail(from, err)
	}
	s.Log.Info("PFCP association released", "node", a.Node, "peer", from.Peer)
	return Outcome{Answer: s.accepted(from.Header, 0), Keep: true, Node: a.Node}
}

// lookEvery is how often it is looked whether CP functions have released their associations.
const lookEvery = 50 * time.Millisecond

// Leave asks every CP function to release its association (TS 29.244 clause 6.2.7.3),
// and waits until they have, for as long as the period at most or until ctx is done. It
// takes no new sessions and associations meanwhile. Serve is running.
func (s *Nodes) Leave(ctx context.Context, period time.Duration) {
	for _, a := range s.Associations.Leave() {
		s.askRelease(a, period)
	}
	ctx, cancel := context.WithTimeout(ctx, period)
	defer cancel()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for s.Associations.Awaited() > 0 {
		select {
		case <-ctx.Done():
			s.Log.Warn("CP functions have not released their associations", "associations", s.Associations.Awaited(), "after", period)
			return
		case <-tick.C:
		}
	}
}

// askRelease sends an Association Update Request with a PFCP Association Release Request
// and a Graceful Release Period.
func (s *Nodes) askRelease(a *association.Association, period time.Duration) {
	const requested = 1 << 0 // SARR (clause 8.2.74)
	to := netip.AddrPortFrom(s.Associations.Contact(a), 0)
	s.Ask(to, time.Now(), func(sequence uint32) []byte {
		return pfcp.Encode(pfcp.AssociationUpdateRequest, 0, sequence, s.NodeID,
			ie.New(ie.PFCPAssociationReleaseRequest, []byte{requested}), GracefulIE(period))
	}, ask.Follow{Lost: func(time.Time) { s.Associations.Silence(a) }})
}

// GracefulIE is a Graceful Release Period, a Timer in units of 2 s, of minutes or of 10
// minutes (clause 8.2.78).
func GracefulIE(period time.Duration) *ie.IE {
	for unit, size := range []time.Duration{2 * time.Second, time.Minute, 10 * time.Minute} {
		if n := (period + size - 1) / size; n < 32 {
			return ie.New(ie.GracefulReleasePeriod, []byte{byte(unit)<<5 | byte(n)})
		}
	}
	return ie.New(ie.GracefulReleasePeriod, []byte{2<<5 | 31})
}
