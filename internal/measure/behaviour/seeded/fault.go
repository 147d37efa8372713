// Package seeded is the reference UPF in memory, whole but for its ports, with one fault
// at a time: what behaviour cases are held against.
package seeded

import (
	"time"

	"github.com/upflab/upflab/upf/session"
)

// Fault is one thing that a UPF does wrong. What is nil is done right.
type Fault struct {
	Name string
	// Row is the case that names the fault; Also are those that ask for the same.
	Row  string
	Also []string

	// Rules changes what the datapath is given. old is what it has of the session; nil: it
	// is new.
	Rules func(old, r *session.Rules)
	// Keep leaves a session in the datapath that is deleted.
	Keep bool
	// Gathers keeps an entry of each session for ever, in a table that decides nothing.
	Gathers bool
	// Usage changes what is counted.
	Usage func(session.Usage) session.Usage
	// Arriving is asked for each packet, number n from 1 on: false drops it.
	Arriving func(n int, uplink bool, ip []byte) bool
	// Leaving gives what leaves in place of a packet; at N3 it has its tunnel.
	Leaving func(n int, uplink bool, ip []byte) [][]byte
	// EndMarkers is how many are sent in place of one.
	EndMarkers func(n int) int
	// MarkerAfter is how late End Markers are.
	MarkerAfter time.Duration
	// Elsewhere: packets to another N3 address than the UPF's get lost.
	Elsewhere bool
	// Silent drops GTP-U messages that are not forwarded: nothing is answered.
	Silent bool
	// Mute says whether ICMP errors of a type to UEs, or to hosts of the data network, are not sent.
	Mute func(toUE bool, typ byte) bool
	// ICMP changes an ICMP error that is sent.
	ICMP func(message []byte)
	// Answer changes a PFCP message that is sent.
	Answer func(message []byte) []byte
	// Twice says of a PFCP message that is sent whether it is sent again.
	Twice func(message []byte) bool
	// ChangesAfter is how late a modification takes effect.
	ChangesAfter time.Duration
	// Late says how late a PFCP message is sent; 0: at once.
	Late func(message []byte) time.Duration
	// AnswersFrom is the UDP port that PFCP messages are sent from, and EchoesFrom that of Echo Responses; 0: the one that
	// they are due from.
	AnswersFrom, EchoesFrom uint16
	// Signal changes a GTP-U message that the endpoint sends.
	Signal func(message []byte) []byte
	// Linger has a path switch take effect after the End Marker and one more packet.
	Linger bool
	// Ask changes a PFCP message that is received.
	Ask func(message []byte) []byte
}
