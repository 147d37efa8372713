package trial

import (
	"reflect"
	"testing"

	"github.com/upflab/upflab/internal/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/site"
	"github.com/upflab/upflab/internal/site/sitetest"
)

// named is a testbed whose ports have nothing but names.
func named(n3, n6 bool) site.Site {
	port := func(name string) netdev.Port { return netdev.Port{Name: name, NS: &netdev.Namespace{}} }
	t := &sitetest.Fake{Ports: site.Links{GNB: port("gnb"), UPFN3: port("upf n3"), DNN6: port("dn"), UPFN6: port("upf n6")}}
	if n3 {
		t.Links().N3Between = &site.Between{Tester: port("n3 t"), UPF: port("n3 u")}
	}
	if n6 {
		t.Links().N6Between = &site.Between{Tester: port("n6 t"), UPF: port("n6 u")}
	}
	return t
}

// A ring is counted at the device that sends to it.
func TestRings(t *testing.T) {
	for _, c := range []struct {
		why       string
		n3, n6    bool
		direction record.Direction
		want      []string
	}{
		{"nothing between", false, false, record.Uplink, []string{"gnb > receive ring of the UPF", "upf n6 > receive ring of the sink"}},
		{"a bridge on N3, uplink", true, false, record.Uplink, []string{
			"gnb > receive ring of the bridge before the UPF", "n3 u > receive ring of the UPF", "upf n6 > receive ring of the sink"}},
		{"a bridge on N3, downlink", true, false, record.Downlink, []string{
			"dn > receive ring of the UPF", "upf n3 > receive ring of the bridge behind the UPF", "n3 t > receive ring of the sink"}},
		{"on both, downlink", true, true, record.Downlink, []string{
			"dn > receive ring of the bridge before the UPF", "n6 u > receive ring of the UPF",
			"upf n3 > receive ring of the bridge behind the UPF", "n3 t > receive ring of the sink"}},
	} {
		var got []string
		for _, r := range (&Deployment{site: named(c.n3, c.n6)}).rings(c.direction) {
			got = append(got, r.sender.Name+" > "+string(r.place))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.why, got, c.want)
		}
	}
}

func TestAdd(t *testing.T) {
	got := counters{{place: "a", packets: 1}, {place: "b", packets: 2}}.add(counters{{place: "a", packets: 4}})
	if want := (counters{{place: "a", packets: 5}, {place: "b", packets: 2}}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
