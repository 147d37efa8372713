package afpacket

import (
	"errors"
	"fmt"
	"net"

	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/upf/datapath/forward"
)

// side is an interface as one worker has it.
type side struct {
	// usual holds frames that fit the link, long what the kernel has not cut: one ring
	// for both would have few places, or waste most of each.
	usual, long *tpacket.Port
}

const (
	usualFrames = 4096
	longFrames  = 128
	longMax     = 65535 + forward.EthernetBytes
)

func openSide(name string) (*side, error) {
	ifc, err := net.InterfaceByName(name)
	if err != nil {
		return nil, fmt.Errorf("there is no interface %q in this network namespace: see `ip link`", name)
	}
	s := &side{}
	fits := max(60, ifc.MTU+forward.EthernetBytes)
	if s.usual, err = tpacket.Open(tpacket.Config{Interface: name, Frames: usualFrames, MaxFrame: fits, AtMost: fits, Own: true, Offload: true}); err != nil {
		return nil, err
	}
	if s.long, err = tpacket.Open(tpacket.Config{Interface: name, Frames: longFrames, MaxFrame: longMax, Longer: fits,
		Own: true, Offload: true}); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// next gives the port whose next frame is the oldest, and the frame; nil: there is none.
func (s *side) next() (*tpacket.Port, []byte) {
	usual, long := s.usual.Next(), s.long.Next()
	if long == nil {
		if usual == nil {
			return nil, nil
		}
		return s.usual, usual
	}
	if usual == nil { // one that came before the long frame may have come after we looked
		usual = s.usual.Next()
	}
	if usual != nil && s.usual.Realtime() <= s.long.Realtime() {
		return s.usual, usual
	}
	return s.long, long
}

func (s *side) releaseHeld() {
	s.usual.ReleaseHeld()
	s.long.ReleaseHeld()
}

// missed is how many frames found no room in the rings.
func (s *side) missed() (uint64, error) {
	usual, err := s.usual.Drops()
	if err != nil {
		return 0, err
	}
	long, err := s.long.Drops()
	return usual + long, err
}

func (s *side) close() error {
	var errs []error
	for _, p := range []*tpacket.Port{s.usual, s.long} {
		if p != nil {
			errs = append(errs, p.Close())
		}
	}
	return errors.Join(errs...)
}

// spread has the kernel spread an interface's frames over the workers.
func spread(by tpacket.Field, sides []*side) error {
	var usual, long []*tpacket.Port
	for _, s := range sides {
		usual, long = append(usual, s.usual), append(long, s.long)
	}
	if err := tpacket.Spread(by, usual); err != nil {
		return err
	}
	return tpacket.Spread(by, long)
}
