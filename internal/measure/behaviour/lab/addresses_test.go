package lab

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/cases"
	"github.com/upflab/upflab/internal/measure/behaviour/seeded"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

var (
	planned = flag.Int("planned", 200, "random address plans that are checked")
	played  = flag.Int("plans", 6, "address plans that the cases are played with")
)

// addressed is a scenario with random addresses, tight and wide; nil: the scenario refuses them.
func addressed(r *rand.Rand) *scenario.Scenario {
	first := []int{10, 100, 172, 192, 198, 203, 1 + r.IntN(223)}
	subnet := func() (netip.Prefix, func() netip.Addr) {
		p := netip.PrefixFrom(netip.AddrFrom4([4]byte{byte(first[r.IntN(len(first))]), byte(r.IntN(256)),
			byte(r.IntN(256)), byte(r.IntN(256))}), 8+r.IntN(24)).Masked()
		return p, func() netip.Addr {
			size := uint64(1) << (32 - p.Bits())
			return address(number(p.Addr()) + uint32(r.Uint64N(min(size, 1+r.Uint64N(300)))))
		}
	}
	var sets []string
	for _, l := range []string{"n3 gnb upf", "n4 smf upf", "n6 dn upf"} {
		p, host := subnet()
		names := strings.Fields(l)
		sets = append(sets, fmt.Sprintf("%s.prefix=%d", names[0], p.Bits()),
			fmt.Sprintf("%s.%s=%s", names[0], names[1], host()), fmt.Sprintf("%s.%s=%s", names[0], names[2], host()))
	}
	pool, ue := subnet()
	sets = append(sets, "ue.pool="+pool.String(), fmt.Sprintf("ue.first=%s", ue()), "sessions=1")
	s, err := scenario.Open("load-latency", sets, false)
	if err != nil {
		return nil
	}
	return s
}

// example is README's: the gNB and the UPF have adjacent addresses.
func example(t *testing.T) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Open("load-latency", []string{"n3.gnb=10.100.3.1", "n3.upf=10.100.3.2", "n4.smf=10.100.4.1",
		"n4.upf=10.100.4.2", "n6.dn=10.100.6.1", "n6.upf=10.100.6.2"}, false)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPlan: whatever addresses a scenario accepts, those that are chosen collide with none of them,
// and with no other one.
func TestPlan(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 0; n < *planned; {
		s := addressed(r)
		if s == nil {
			continue
		}
		n++
		for _, owned := range []bool{false, true} {
			checkPlan(t, s, owned, plan(s, owned, nil))
		}
	}
	s := example(t)
	checkPlan(t, s, false, plan(s, false, nil))
	if n := plan(s, false, nil); n.GNB[1].String() != "10.100.3.3" || n.DN[1].String() != "10.100.6.129" || len(n.Lacks) > 0 {
		t.Errorf("of README's addresses: %+v", n)
	}
	used := func(_ string, a netip.Addr) bool { return a.String() == "10.100.3.3" || a.String() == "10.100.6.129" }
	if n := plan(s, false, used); n.GNB[1].String() != "10.100.3.4" || n.DN[1].String() != "10.100.6.130" {
		t.Errorf("where somebody has those: %v, %v", n.GNB[1], n.DN[1])
	}
}

// TestPlanOfIPv6: ends of N3 and N4 are those of the transport, and a second gNB is a neighbour of the first.
func TestPlanOfIPv6(t *testing.T) {
	for _, c := range []struct{ gnb, upf, second string }{
		{"2001:db8:3::1", "2001:db8:3::2", "2001:db8:3::3"},
		{"2001:db8:3::2", "2001:db8:3::1", "2001:db8:3::3"},
		{"2001:db8:3:0:ffff:ffff:ffff:ffff", "2001:db8:3::1", "2001:db8:3:0:ffff:ffff:ffff:fffe"},
	} {
		s, err := scenario.Open("resilience", []string{"transport=ipv6", "ue.family=both", "n3.gnb6=" + c.gnb, "n3.upf6=" + c.upf}, false)
		if err != nil {
			t.Fatal(err)
		}
		n := plan(s, true, nil)
		if n.GNB[0] != s.N3.GNB6 || n.UPF != s.N3.UPF6 || n.GNB[1].String() != c.second || n.SMF != s.N4.SMF6 || n.UPFN4 != s.N4.UPF6 || n.Six.DN != s.N6.DN6 {
			t.Errorf("%+v", n)
		}
	}
}

// TestEachAddressIsAskedForOnce: to ask takes time, and a link may have many hosts.
func TestEachAddressIsAskedForOnce(t *testing.T) {
	asked := map[netip.Addr]int{}
	odd := func(_ string, a netip.Addr) bool { asked[a]++; return number(a)%2 == 1 }
	n3 := netip.MustParsePrefix("10.100.3.0/24")
	list := freeOnes(newGNBs, "n3", n3, netip.MustParseAddr("10.100.3.3"), odd, []netip.Addr{netip.MustParseAddr("10.100.3.4")})
	if want := netip.MustParseAddr("10.100.3.6"); len(list) != newGNBs || list[0] != want || list[7] != address(number(want)+14) {
		t.Errorf("%v, want the 8 even ones from %s on", list, want)
	}
	for a, n := range asked {
		if n != 1 {
			t.Errorf("%s was asked for %d times", a, n)
		}
	}
	clear(asked)
	full := func(_ string, a netip.Addr) bool { asked[a]++; return true }
	if list := freeOnes(newGNBs, "n3", n3, n3.Addr(), full, nil); len(list) > 0 || len(asked) != tries {
		t.Errorf("of a full link %v, after %d of %d addresses", list, len(asked), tries)
	}
}

// checkPlan holds the addresses to each other and to the scenario's.
func checkPlan(t *testing.T, s *scenario.Scenario, owned bool, n behaviour.Net) {
	t.Helper()
	bad := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("n3 %v, n4 %v, n6 %v, ue %v, owned %v: %s", s.N3, s.N4, s.N6, s.UE, owned, fmt.Sprintf(format, args...))
	}
	all := []netip.Addr{s.N3.GNB, s.N3.UPF, s.N4.SMF, s.N4.UPF, s.N6.UPF, n.GNB[1], n.DN[1], n.Stranger}
	if owned {
		all = append(all, s.N6.DN, n.DN[0])
	} else if all = append(all, n.DN[0]); n.DN[0] != s.N6.DN {
		bad("host 0 is %s", n.DN[0])
	}
	all = append(append(all, n.Hosts...), n.NewGNBs...)
	slices.SortFunc(all, netip.Addr.Compare)
	for i, a := range all {
		switch {
		case !a.IsValid():
			continue
		case i > 0 && a == all[i-1]:
			bad("%s is there twice", a)
		case s.UE.Pool.Contains(a):
			bad("%s is a UE's", a)
		}
	}
	inside := func(a netip.Addr, base netip.Addr, length int, why string) {
		p := subnet(base, length)
		switch last := address(number(p.Addr()) + uint32(uint64(1)<<(32-length)-1)); {
		case !a.IsValid() && length < 29:
			bad("there is no %s in %s", why, p)
		case a.IsValid() && (!p.Contains(a) || length < 31 && (a == p.Addr() || a == last)):
			bad("%s %s is no host of %s", why, a, p)
		}
	}
	inside(n.GNB[1], s.N3.GNB, s.N3.Prefix, "second gNB")
	inside(n.Stranger, s.N4.SMF, s.N4.Prefix, "second SMF")
	if !owned {
		inside(n.DN[1], s.N6.DN, s.N6.Prefix, "second host")
	}
	if missing := len(n.Lacks) == 0; missing != (n.GNB[1].IsValid() && n.DN[1].IsValid()) {
		bad("it lacks %q", n.Lacks)
	}
}

// TestPlansPlayed: the cases that use addresses have no finding of a UPF without a fault, with any
// of them: those for which there is no room do not apply.
func TestPlansPlayed(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: `make test-all` runs it")
	}
	list, err := cases.Select([]string{"pdr", "far", "gtpu.other-gnb", "qer.qfi", "fteid", "session.modify",
		"session.delete", "session.many", "session.bystander", "scas.teid-unique", "scas.teid-taken",
		"scas.address-taken", "scas.ipups", "n4.association.none"})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	plans := []*scenario.Scenario{example(t)}
	for len(plans) < *played {
		if s := addressed(r); s != nil {
			plans = append(plans, s)
		}
	}
	for i, s := range plans {
		t.Run(fmt.Sprint(s.N3.GNB, s.N3.UPF, s.N6.DN, s.N6.UPF, s.UE.Pool), func(t *testing.T) {
			t.Parallel()
			play(t, uint16(0x3000+i), plan(s, false, nil), list)
		})
	}
}

// play runs cases with a plan on the reference UPF in memory.
func play(t *testing.T, host uint16, n behaviour.Net, list []behaviour.Case) {
	u, err := seeded.StartAt(seeded.Fault{}, host, n)
	if err != nil {
		t.Fatal(err)
	}
	b, err := behaviour.New(context.Background(), u)
	if err != nil {
		t.Fatal(err)
	}
	done := map[record.Verdict]int{}
	for i := range list {
		row, err := b.Run(context.Background(), &list[i], "")
		if err != nil {
			t.Fatal(err)
		}
		if done[row.Verdict]++; row.Verdict.Bad() {
			t.Errorf("%s is %s: %s: %s", row.ID, row.Verdict, row.Expected, row.Observed)
		}
	}
	if n.GNB[1].IsValid() && n.DN[1].IsValid() && n.Room() > 1200 && done[record.VerdictEnforced] < len(list)*3/4 {
		t.Errorf("of %d cases: %v", len(list), done)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if err := u.Close(); err != nil {
		t.Error(err)
	}
}
