package n4

import (
	"net/netip"
	"testing"

	"github.com/wmnsk/go-pfcp/ie"
	"github.com/wmnsk/go-pfcp/message"

	"github.com/upflab/upflab/upf/n4/keys"
)

func prefixesOf(list ...string) (all []netip.Prefix) {
	for _, p := range list {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}

// ueip is UEIP of octet 7 of the UP Function Features (TS 29.244 clause 8.2.25).
const ueip = 1 << 2

// TestAllocatedUE has addresses of both families chosen, until there are no more, and
// given again when a session has ended.
func TestAllocatedUE(t *testing.T) {
	b := newBench(t, func(c *Config) { c.AllocateUE = prefixesOf("10.46.0.0/30", "2001:db8:46::/63") })
	answer := b.raw(b.pairs["setup"].request)
	if got := featuresOf(t, answer); got[2]&ueip == 0 {
		t.Errorf("UP Function Features %x have no UEIP", got)
	}
	b.play("choose-ue", "choose-ue-next", "choose-ue-full", "ue-of-pool", "delete")
	if n := len(b.sessions.Addresses.Owner); n != 2 {
		t.Errorf("%d addresses are taken by one session of two families: %v", n, b.sessions.Addresses.Owner)
	}
	if got := causeOf(t, b.raw(b.pairs["choose-ue-full"].request)); got != ie.CauseRequestAccepted {
		t.Errorf("when the first session has ended: cause %d", got)
	}
}

func TestNothingIsAllocatedWithoutPools(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "choose-ue-none")
}

func featuresOf(t *testing.T, answer []byte) []byte {
	t.Helper()
	m, err := message.Parse(answer)
	if err != nil {
		t.Fatalf("answer %x: %v", answer, err)
	}
	setup, ok := m.(*message.AssociationSetupResponse)
	if !ok || setup.UPFunctionFeatures == nil || len(setup.UPFunctionFeatures.Payload) < 3 {
		t.Fatalf("no UP Function Features in %x", answer)
	}
	return setup.UPFunctionFeatures.Payload
}

// TestAddressesAreReusedLast: an address that was given back comes after all others, the
// longest free one first.
func TestAddressesAreReusedLast(t *testing.T) {
	a := keys.NewAddresses(prefixesOf("10.0.0.0/29"))
	var had []netip.Prefix
	for range 6 {
		one, ok := a.Choose(1, false)
		if !ok {
			t.Fatal("no address of six")
		}
		had = append(had, one)
		if len(had) == 2 || len(had) == 4 {
			a.Free(had[len(had)-2:])
		}
	}
	if had[0].String() != "10.0.0.1/32" || had[5].String() != "10.0.0.6/32" {
		t.Errorf("given out: %v, want .1 to .6", had)
	}
	for i := range 4 {
		if one, ok := a.Choose(2, false); !ok || one != had[i] {
			t.Errorf("then %v (%v), want %v", one, ok, had[i])
		}
	}
	if one, ok := a.Choose(2, false); ok {
		t.Errorf("%v is given twice", one)
	}
}

// TestGivenAddressesAreTaken: what the CP function gave is not given to another session.
func TestGivenAddressesAreTaken(t *testing.T) {
	a := keys.NewAddresses(prefixesOf("10.0.0.0/30", "2001:db8::/63"))
	for _, p := range prefixesOf("10.0.0.1/32", "2001:db8::/64") {
		if fresh, ok := a.Claim(p, 1); !fresh || !ok {
			t.Errorf("%v: fresh %v, ok %v", p, fresh, ok)
		}
		if _, ok := a.Claim(p, 2); ok {
			t.Errorf("%v belongs to two sessions", p)
		}
	}
	if one, _ := a.Choose(2, false); one.String() != "10.0.0.2/32" {
		t.Errorf("chosen: %v", one)
	}
	if one, _ := a.Choose(2, true); one.String() != "2001:db8:0:1::/64" {
		t.Errorf("chosen: %v", one)
	}
	if _, ok := a.Choose(2, true); ok {
		t.Error("a prefix is given twice")
	}
	a.Free(prefixesOf("2001:db8::/64", "192.0.2.1/32"))
	if one, ok := a.Choose(2, true); !ok || one.String() != "2001:db8::/64" {
		t.Errorf("after it was given back: %v, %v", one, ok)
	}
}

// TestOuterIPv6: F-TEIDs and tunnels of IPv6, where N3 has an address of it.
func TestOuterIPv6(t *testing.T) {
	n36 := func(c *Config) { c.N36 = netip.MustParseAddr("2001:db8:3::1") }
	for _, step := range []string{"outer6-given", "outer6-choose"} {
		b := newBench(t, n36)
		b.play("setup", step)
		r := b.rules()
		if peer := r.FindFAR(2).Outer.Peer; peer != netip.MustParseAddr("2001:db8:3::2") || !r.FindPDR(1).RemoveOuterHeader {
			t.Errorf("%s: the tunnel ends at %v; %+v", step, peer, r.FindPDR(1))
		}
	}
	newBench(t, n36).play("setup", "outer6-other-address", "removal-3")
	newBench(t, nil).play("setup", "outer6-none", "outer6-removal-none", "outer6-other-address")
}
