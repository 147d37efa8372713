package site

import (
	"crypto/rand"
	"encoding/base32"
	"net/netip"
	"strings"
)

// Spec says what to build.
type Spec struct {
	Run    string // short id, unique on the host
	N3     LinkSpec
	N4     LinkSpec
	N6     LinkSpec
	MTU    int // of N3 and N6, bytes
	Queues int // receive queues of the UPF's ends; 0 means 1
	UEPool netip.Prefix
}

// LinkSpec describes one reference point.
type LinkSpec struct {
	Tester, UPF netip.Addr
	Prefix      int
	Kind        Kind // "": Veth
	// Device and TesterDevice of the host become the ends of a Physical link.
	Device, TesterDevice string
}

// between tells whether the link has something between its ends.
func (s LinkSpec) between() bool { return s.Kind == Bridge || s.Kind == Macvlan }

// NewRunID gives a short id for a run: five characters, lower case.
func NewRunID() string {
	var b [4]byte
	rand.Read(b[:]) // never fails (crypto/rand)
	return strings.ToLower(base32.StdEncoding.EncodeToString(b[:])[:5])
}
