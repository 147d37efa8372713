package session

// Encapsulation is the kind of an outer header (TS 29.244 clauses 8.2.56 and 8.2.64).
type Encapsulation uint8

// The kinds. All but GTPU are of tunnels on N6, between the UPF and a host of the data
// network, whose payload is the T-PDU.
const (
	GTPU  Encapsulation = iota // GTP-U/UDP/IP, of either family: N3 and N9
	UDPv4                      // UDP/IPv4
	UDPv6                      // UDP/IPv6
	IPv4                       // IPv4 alone (RFC 2003, RFC 4213)
	IPv6                       // IPv6 alone (RFC 2473)
)

// String gives the kind in the words of TS 29.244.
func (e Encapsulation) String() string {
	if int(e) < len(encapsulations) {
		return encapsulations[e]
	}
	return "unknown"
}

var encapsulations = [...]string{"GTP-U/UDP/IP", "UDP/IPv4", "UDP/IPv6", "IPv4", "IPv6"}

// OnN6 reports whether the tunnel is one on N6.
func (e Encapsulation) OnN6() bool { return e != GTPU }

// HasUDP reports whether a tunnel on N6 has a UDP header.
func (e Encapsulation) HasUDP() bool { return e == UDPv4 || e == UDPv6 }

// IsIPv6 reports whether the outer header of a tunnel on N6 is an IPv6 one.
func (e Encapsulation) IsIPv6() bool { return e == UDPv6 || e == IPv6 }

// Octets is how long the outer headers of a tunnel on N6 are.
func (e Encapsulation) Octets() int {
	n := 20
	if e.IsIPv6() {
		n = 40
	}
	if e.HasUDP() {
		n += 8
	}
	return n
}
