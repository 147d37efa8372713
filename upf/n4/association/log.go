package association

import (
	"fmt"
	"log/slog"
	"net/netip"
	"slices"

	"github.com/upflab/upflab/upf/session"
)

// LogSEID is a SEID as logs have it, hexadecimal, as protocol analysers show it.
type LogSEID uint64

// LogValue implements slog.LogValuer.
func (s LogSEID) LogValue() slog.Value { return slog.StringValue(fmt.Sprintf("%#x", uint64(s))) }

// UEsOf lists the UE addresses of rules, which may be nil, and the first of prefixes, each once.
func UEsOf(r *session.Rules) (list []netip.Addr) {
	if r == nil {
		return nil
	}
	for i := range r.PDRs {
		p := &r.PDRs[i].PDI
		for _, a := range [...]netip.Addr{p.UE, p.UE6.Addr()} {
			if a.IsValid() && !slices.Contains(list, a) {
				list = append(list, a)
			}
		}
	}
	return list
}
