// Package control is how programs on the same machine ask a running UPF: HTTP and JSON
// over a Unix socket. It has the shapes of the answers and a client.
package control

import (
	"fmt"
	"net/netip"
	"strconv"

	"github.com/upflab/upflab/upf/session"
)

// DefaultSocket is where the example configuration has the socket.
const DefaultSocket = "/run/upflab-upf/upf.sock"

// SEID is a PFCP session's ID; hexadecimal in texts and JSON, as 0x1f.
type SEID uint64

// String implements fmt.Stringer.
func (s SEID) String() string { return fmt.Sprintf("%#x", uint64(s)) }

// MarshalText implements encoding.TextMarshaler.
func (s SEID) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *SEID) UnmarshalText(b []byte) (err error) {
	*s, err = ParseSEID(string(b))
	return err
}

// ParseSEID reads a SEID, hexadecimal with 0x before it, or decimal.
func ParseSEID(text string) (SEID, error) {
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("SEID %q is not a number: write it as `upflab upf sessions` does, like 0x1f", text)
	}
	return SEID(n), nil
}

// Session is a PFCP session in a list.
type Session struct {
	SEID    SEID           `json:"seid"`    // the UPF's own
	CPSEID  SEID           `json:"cp_seid"` // the SMF's
	Node    string         `json:"node"`    // the SMF's Node ID
	UEs     []netip.Prefix `json:"ues"`     // an IPv4 address has 32 bits
	Tunnels []Tunnel       `json:"tunnels"`
	PDRs    int            `json:"pdrs"`
	FARs    int            `json:"fars"`
	QERs    int            `json:"qers"`
	URRs    int            `json:"urrs"`
	Held    int            `json:"held"` // downlink packets that are buffered
}

// Tunnel is an F-TEID: the UPF's own, or a gNB's.
type Tunnel struct {
	TEID    TEID       `json:"teid"`
	Address netip.Addr `json:"address"`
	Local   bool       `json:"local"` // the UPF's
}

// TEID is hexadecimal, like SEID.
type TEID uint32

// String implements fmt.Stringer.
func (t TEID) String() string { return SEID(t).String() }

// MarshalText implements encoding.TextMarshaler.
func (t TEID) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (t *TEID) UnmarshalText(b []byte) error {
	n, err := strconv.ParseUint(string(b), 0, 32)
	*t = TEID(n)
	return err
}

// Sessions is the answer to GET /sessions.
type Sessions struct {
	Total    int       `json:"total"` // of the UPF
	Sessions []Session `json:"sessions"`
}

// Detail is the answer to GET /sessions/SEID.
type Detail struct {
	Session
	Peer  netip.AddrPort `json:"peer"`  // where the SMF's association comes from
	Rules *session.Rules `json:"rules"` // as the datapath has them
	Usage []Usage        `json:"usage"`
}

// Usage is what a URR counted since it was created: T-PDUs.
type Usage struct {
	URR             uint32 `json:"urr"`
	UplinkPackets   uint64 `json:"uplink_packets"`
	UplinkOctets    uint64 `json:"uplink_octets"`
	DownlinkPackets uint64 `json:"downlink_packets"`
	DownlinkOctets  uint64 `json:"downlink_octets"`
}
