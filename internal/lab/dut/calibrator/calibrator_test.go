package calibrator

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/calibrator/impair"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/upf"
)

func render(t *testing.T, mode string) string {
	t.Helper()
	path, err := dut.Render(t.TempDir(), "upf.yaml", config, values{
		N3: "n3-abcde", N6: "n6-abcde", Plan: mode, Sessions: 2000,
		N4Addr: netip.MustParseAddr("192.168.14.151"), N3Addr: netip.MustParseAddr("192.168.13.151"),
		Pool: netip.MustParsePrefix("10.45.0.0/16"), API: netip.MustParseAddrPort("192.168.14.151:9080"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestConfig(t *testing.T) {
	got, _ := os.ReadFile(render(t, "loss=1/100,stall=20ms/1s"))
	want, err := os.ReadFile("testdata/upf.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
}

// The UPF understands what is rendered for it, whatever the mode.
func TestConfigIsUnderstood(t *testing.T) {
	for _, mode := range []string{"", "loss=0.013,delay=250us", "uplink.rate=80kpps,queue=64,rate=1M"} {
		c, err := upf.LoadConfig(render(t, mode), Kind())
		if err != nil || c.Datapath.Kind != "calibrator" || c.Datapath.Calibrate != mode {
			t.Errorf("%q: datapath %+v, %v", mode, c.Datapath, err)
		}
	}
}

func TestCheckMode(t *testing.T) {
	if err := checkMode("loss=0.5"); err != nil {
		t.Error(err)
	}
	err := checkMode("lost=0.5")
	if err == nil || !strings.Contains(err.Error(), "lost") || !strings.Contains(err.Error(), "\n  loss ") {
		t.Errorf("%v, want the parameters", err)
	}
}

// TestPlaces: each loss has one place, but for those that the lab counts itself.
func TestPlaces(t *testing.T) {
	did := impair.Ledger{Refused: map[string]uint64{"unknown TEID": 2}}
	did.Uplink.Missed, did.Downlink.Missed = 3, 4
	did.Uplink.Totals.Lost = map[string]uint64{"loss": 5, "egress": 100, "rules": 2}
	did.Downlink.Totals.Lost = map[string]uint64{"loss": 6, "queue": 7}
	places := placesOf(did)
	want := map[record.Place]uint64{
		"calibrator: unknown TEID": 2, RingFull: 7, "calibrator: loss": 11, "calibrator: queue": 7,
	}
	if len(places) != len(want) {
		t.Errorf("%+v", places)
	}
	for _, p := range places {
		if want[p.Place] != p.Packets {
			t.Errorf("%s: %d, want %d", p.Place, p.Packets, want[p.Place])
		}
	}
}

func TestDecodeRefusesErrors(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ledger" {
			json.NewEncoder(w).Encode(impair.Ledger{Uplink: impair.Side{Missed: 9}})
			return
		}
		http.Error(w, "the datapath is closed", http.StatusServiceUnavailable)
	}))
	defer server.Close()
	var l impair.Ledger
	if err := fetch(server.Client(), server.URL+"/ledger", &l); err != nil || l.Uplink.Missed != 9 {
		t.Errorf("%+v, %v", l, err)
	}
	if err := fetch(server.Client(), server.URL+"/counters", &l); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("an error is taken for an answer: %v", err)
	}
}
