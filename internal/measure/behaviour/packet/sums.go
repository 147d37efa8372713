package packet

import "github.com/upflab/upflab/internal/proto/checksum"

// putSum writes the checksum of the transport header, where there is one.
func (p *Inner) putSum(segment []byte) {
	if p.Offset > 0 || p.MoreFragments { // it would cover what is not here
		return
	}
	pseudo := checksum.Sum(p.From.AsSlice()) + checksum.Sum(p.To.AsSlice()) + checksum.Words(uint16(p.Protocol), uint16(len(segment)))
	switch p.Protocol {
	case UDP:
		segment[4], segment[5] = byte(len(segment)>>8), byte(len(segment))
		checksum.Put(segment[6:], checksum.FinishUDP(pseudo+checksum.Sum(segment)))
	case TCP:
		checksum.Put(segment[16:], checksum.Finish(pseudo+checksum.Sum(segment)))
	case ICMP:
		checksum.Put(segment[2:], checksum.Finish(checksum.Sum(segment)))
	case ICMPv6:
		checksum.Put(segment[2:], checksum.Finish(pseudo+checksum.Sum(segment)))
	}
}
