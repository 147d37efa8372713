package host

import (
	"github.com/upflab/upflab/internal/ptp"
	"github.com/upflab/upflab/internal/record"
)

// ptpState is what a ptp4l says; nil: it does not run, or does not answer.
func ptpState(socket string) *record.PTP {
	s, err := ptp.Read(socket)
	if err != nil {
		return nil
	}
	p := &record.PTP{Domain: s.Domain, Ports: s.Ports, OffsetNS: s.OffsetNS, PathDelayNS: s.PathDelayNS, Steps: s.Steps}
	if s.Followed {
		p.Grandmaster = s.Grandmaster
	}
	return p
}
