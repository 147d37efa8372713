package scenario

// IPsec says how packets of a link are protected.
type IPsec string

// The values of n3.ipsec.
const (
	IPsecNone IPsec = "none"
	IPsecESP  IPsec = "esp"
)

// Asked reports whether there is any.
func (i IPsec) Asked() bool { return i == IPsecESP }

// checkIPsec refuses what does not send through the tunnel.
func checkIPsec(s *Scenario, r *report) {
	switch {
	case !s.N3.IPsec.Asked():
	case s.Kind != KindBehaviour:
		r.blame("n3.ipsec is esp, and a scenario of kind %s sends without it; use a scenario of kind behaviour, or set n3.ipsec to none",
			[]any{s.Kind}, "n3.ipsec", "kind")
	case s.Transport.IPv6():
		r.blame("n3.ipsec is esp, which is for an N3 over IPv4; set transport to ipv4", nil, "n3.ipsec", "transport")
	}
}
