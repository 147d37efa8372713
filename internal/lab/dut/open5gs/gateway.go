package open5gs

import (
	"fmt"
	"net/netip"

	"github.com/upflab/upflab/internal/scenario"
)

// gateway is the pool's address on the UPF's device: the first that no UE has.
func gateway(ue scenario.UE, sessions int) (netip.Addr, error) {
	pool := ue.Pool.Masked()
	if a := pool.Addr().Next(); a.Less(ue.First) {
		return a, nil
	}
	a := ue.First
	for range sessions {
		a = a.Next()
	}
	if !pool.Contains(a) || !pool.Contains(a.Next()) { // the last one is for broadcasts
		return netip.Addr{}, fmt.Errorf("Open5GS needs an address of ue.pool %s for itself, and %d UEs from %s on leave none: "+
			"set ue.first to %s, or sessions to %d or less", pool, sessions, ue.First, pool.Addr().Next().Next(), sessions-1)
	}
	return a, nil
}
