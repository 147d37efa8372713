package testbed

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

// LinkSpec holds the addresses of one reference point.
type LinkSpec struct {
	Tester, UPF netip.Addr
	Prefix      int
}

// NewRunID gives a short id for a run: five characters, lower case.
func NewRunID() string {
	var b [4]byte
	rand.Read(b[:]) // never fails (crypto/rand)
	return strings.ToLower(base32.StdEncoding.EncodeToString(b[:])[:5])
}
