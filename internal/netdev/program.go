package netdev

import "fmt"

// XDPProgram is the id of the XDP program on the port; 0 when there is none, or the
// port is not readable.
func (p *Port) XDPProgram() (uint32, error) {
	if !p.Readable() {
		return 0, nil
	}
	link, err := p.NS.nl.LinkByIndex(p.Index)
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", p.Name, err)
	}
	if x := link.Attrs().Xdp; x != nil && x.Attached {
		return x.ProgId, nil
	}
	return 0, nil
}
