// Package pfcp is what both ends of N4 share of PFCP (3GPP TS 29.244): the
// header, message types, the names of IEs and causes, the one place where a
// peer's IEs are decoded, and the rules of retransmission.
//
// IEs themselves are those of github.com/wmnsk/go-pfcp, whose package ie also
// has the numbers of IE types and causes.
package pfcp

import "time"

// Port is PFCP's registered UDP port (TS 29.244 clause 4.4.2).
const Port = 8805

// ntpOffset is how many seconds 1970 is after 1900, from which PFCP's time
// stamps count (clause 8.2.65).
const ntpOffset = 2208988800

// Timestamp returns t as a Recovery Time Stamp has it, in seconds.
func Timestamp(t time.Time) uint32 { return uint32(t.Unix() + ntpOffset) }

// Time is the time of a time stamp, of 1968 to 2104 (RFC 5905 clause 6).
func Time(stamp uint32) time.Time {
	seconds := int64(stamp) - ntpOffset
	if stamp < 1<<31 {
		seconds += 1 << 32
	}
	return time.Unix(seconds, 0)
}
