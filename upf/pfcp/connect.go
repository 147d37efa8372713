package pfcp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
)

// connectRetry is how long an association that failed or ended is left alone, where
// Config.ConnectRetry is 0.
const connectRetry = 5 * time.Second

// connection is a CP function that the server sets an association up with (TS 29.244
// clause 6.2.6.3). The server's lock guards it.
type connection struct {
	to   netip.AddrPort
	busy bool      // a request waits for its answer
	next time.Time // when to try again
	// again: the CP function restarted, and has forgotten the association.
	again bool
}

// connect sets associations up with the configured CP functions that have none.
func (s *Server) connect(now time.Time) {
	for _, c := range s.connections {
		s.mu.Lock()
		due := !c.busy && !now.Before(c.next) && !s.leaving && (c.again || !s.isAssociated(c.to.Addr()))
		if due {
			c.busy, c.again = true, false
		}
		s.mu.Unlock()
		if due {
			s.ask(c.to, now, s.setupRequest, follow{
				answered: func(from source, ies []byte) { s.connected(c, from, ies) },
				lost:     func() { c.retry(now, s.cfg.ConnectRetry) },
			})
		}
	}
}

// connectAgain has the association with a restarted CP function set up anew, where that
// is the server's to do. The lock is held.
func (s *Server) connectAgain(address netip.Addr) {
	for _, c := range s.connections {
		if c.to.Addr() == address {
			c.again = true
		}
	}
}

func (c *connection) retry(now time.Time, after time.Duration) {
	c.busy, c.next = false, now.Add(after)
}

// isAssociated reports whether a CP function at the address has an association. The
// lock is held.
func (s *Server) isAssociated(address netip.Addr) bool {
	for _, a := range s.nodes {
		if a.owns(address) {
			return true
		}
	}
	return false
}

func (s *Server) setupRequest(sequence uint32) []byte {
	return encode(pfcp.AssociationSetupRequest, 0, sequence, s.nodeID, s.recoveryIE(), s.features())
}

// connected takes the answer to a set-up. Where the CP function has set the association
// up itself meanwhile, that one stays.
func (s *Server) connected(c *connection, from source, ies []byte) {
	a, err := decodeSetupAnswer(ies)
	if err == nil {
		err = s.join(a, from)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.retry(from.at, s.cfg.ConnectRetry)
	if err != nil {
		s.log.Warn("the CP function was not associated", "address", c.to, "err", err, "again_in", s.cfg.ConnectRetry)
	}
}

func (s *Server) join(p setup, from source) error {
	if s.isJoined(p, from) {
		return nil
	}
	if err := s.associate(p, from); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nodes[p.node].confirmed = true
	s.log.Info("PFCP association set up by the UPF", "node", p.node, "peer", from.peer)
	return nil
}

func (s *Server) isJoined(p setup, from source) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.nodes[p.node]
	return known != nil && known.owns(from.peer.Addr())
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
		return nil
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
