package packet

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/proto/gtpu"
)

// Received is a packet that arrived on N3 or N6, as far as it could be read.
type Received struct {
	At       time.Time
	IP       []byte // as it arrived
	From, To netip.Addr
	TOS      uint8
	Fragment bool
	// FromPort and ToPort are those of UDP; 0 of anything else, and of fragments.
	FromPort, ToPort uint16
	// Tunnelled: it is GTP-U in UDP to port 2152; then Header and TPDU are set.
	Tunnelled bool
	// Malformed is why a datagram to port 2152 cannot be read as GTP-U; nil: it can, or is none.
	Malformed error
	Header    gtpu.Header
	TPDU      []byte // of a G-PDU, else IP
	Mark      Mark
	Marked    bool
}

// Read takes an IP packet apart that arrived; not ok: it is no IP packet. run is the
// mark of the packets to be found.
func Read(ip []byte, run uint64) (r Received, ok bool) {
	r = Received{At: time.Now(), IP: ip, TPDU: ip}
	body, protocol, ok := r.network(ip)
	if !ok {
		return r, false
	}
	if protocol == UDP && len(body) >= 8 && !r.Fragment {
		r.FromPort, r.ToPort = binary.BigEndian.Uint16(body), binary.BigEndian.Uint16(body[2:])
		if r.ToPort == gtpu.Port {
			r.Malformed = r.readTunnel(body[8:])
		}
	}
	if !isError(protocol, body) && !r.carriesError() && !r.unreadableError() { // which quotes the packet that it is about
		r.findMark(run)
	}
	return r, true
}

// ReadMisdirected reads a G-PDU of a gNB's that came to another UDP port than 2152, as if it were the right one: what
// came in it, and was right, is not lost. It changes nothing of a packet that is none.
func (r *Received) ReadMisdirected() {
	if r.ToPort == 0 || r.ToPort == gtpu.Port || !r.Marked {
		return
	}
	body, _, _ := r.network(r.IP)
	if h, err := gtpu.Parse(body[8:]); err == nil && h.Type == gtpu.GPDU && len(h.Payload) >= 20 {
		_ = r.readTunnel(body[8:])
	}
}

// readTunnel reads a GTP-U message.
func (r *Received) readTunnel(message []byte) error {
	h, err := gtpu.Parse(message)
	if err != nil {
		return err
	}
	r.Tunnelled, r.Header = true, h
	if h.Type == gtpu.GPDU {
		r.TPDU = h.Payload
	}
	return nil
}

func (r *Received) network(ip []byte) (body []byte, protocol uint8, ok bool) {
	if len(ip) < 20 {
		return nil, 0, false
	}
	switch ip[0] >> 4 {
	case 4:
		size, total := int(ip[0]&0xf)*4, int(binary.BigEndian.Uint16(ip[2:]))
		if size < 20 || total < size || total > len(ip) {
			return nil, 0, false
		}
		r.IP, r.TPDU = ip[:total], ip[:total] // without Ethernet's padding
		r.From, r.To = netip.AddrFrom4([4]byte(ip[12:])), netip.AddrFrom4([4]byte(ip[16:]))
		r.TOS, r.Fragment = ip[1], binary.BigEndian.Uint16(ip[6:])&0x3fff != 0
		return ip[size:total], ip[9], true
	case 6:
		if len(ip) < 40 {
			return nil, 0, false
		}
		total := 40 + int(binary.BigEndian.Uint16(ip[4:]))
		if total > len(ip) {
			return nil, 0, false
		}
		ip = ip[:total] // without Ethernet's padding
		r.IP, r.TPDU = ip, ip
		r.From, r.To = netip.AddrFrom16([16]byte(ip[8:])), netip.AddrFrom16([16]byte(ip[24:]))
		r.TOS = byte(binary.BigEndian.Uint16(ip) >> 4)
		return ip[40:], ip[6], true
	}
	return nil, 0, false
}

// findMark looks for the mark anywhere, as what carries it may have been wrapped in
// something unexpected.
func (r *Received) findMark(run uint64) { r.Mark, r.Marked = FindMark(r.IP, run) }

// FindMark finds the mark of a run in a packet, or in a frame, whatever it was wrapped in; ok is false where there is none.
func FindMark(b []byte, run uint64) (m Mark, ok bool) {
	for i := 20; i+markBytes <= len(b); i += 2 {
		if binary.BigEndian.Uint64(b[i:]) == run {
			return Mark{run, binary.BigEndian.Uint64(b[i+8:])}, true
		}
	}
	return m, false
}

// isError reports whether a message is an ICMP error (RFC 1122 clause 3.2.2, RFC 4443
// clause 2.1), and not an echo.
func isError(protocol uint8, body []byte) bool {
	switch {
	case len(body) == 0:
		return false
	case protocol == ICMP:
		return body[0] != 0 && body[0] != 8
	}
	return protocol == ICMPv6 && body[0] < 128
}

// carriesError reports whether the T-PDU is an ICMP error.
func (r *Received) carriesError() bool {
	t := r.TPDU
	if !r.Tunnelled {
		return false
	}
	if len(t) > 40 && t[0]>>4 == 6 {
		return isError(t[6], t[40:])
	}
	body := Body4(t)
	return body != nil && isError(t[9], body)
}

// unreadableError reports whether there is an ICMP error in GTP-U that cannot be read.
func (r *Received) unreadableError() bool {
	if r.Malformed == nil {
		return false
	}
	for i := 20; i+28 <= len(r.IP); i++ {
		ip := r.IP[i:]
		if ip[0] == 0x45 && ip[9] == ICMP && isError(ICMP, ip[20:]) && HeaderSumRight(ip) {
			return true
		}
	}
	return false
}

// Body4 is what follows the header of an IPv4 packet; nil for any other packet, one that is cut within its
// header, and one with less than the 8 octets that every ICMP message and UDP datagram has.
func Body4(ip []byte) []byte {
	if len(ip) < 20 || ip[0]>>4 != 4 {
		return nil
	}
	size := int(ip[0]&0xf) * 4
	if size < 20 || len(ip) < size+8 {
		return nil
	}
	return ip[size:]
}
