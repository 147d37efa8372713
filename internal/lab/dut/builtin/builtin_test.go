package builtin

import (
	"cmp"
	"log/slog"
	"net/netip"
	"os"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/upf"
)

func render(t *testing.T, mode string) string {
	t.Helper()
	path, err := dut.Render(t.TempDir(), "upf.yaml", config, values{
		N3: "n3-abcde", N6: "n6-abcde", Kind: datapaths[mode].kind, Mode: datapaths[mode].xdp, Sessions: 2000,
		N4Addr: netip.MustParseAddr("192.168.14.151"), N3Addr: netip.MustParseAddr("192.168.13.151"),
		Pool: netip.MustParsePrefix("10.45.0.0/16"), API: netip.MustParseAddrPort("192.168.14.151:9080"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestConfig(t *testing.T) {
	got, _ := os.ReadFile(render(t, "xdp"))
	want, err := os.ReadFile("testdata/upf.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
}

// The reference UPF understands what is rendered for it, in every mode.
func TestConfigIsUnderstood(t *testing.T) {
	for _, mode := range (Driver{}).Info().Modes {
		c, err := upf.LoadConfig(render(t, mode))
		if err != nil {
			t.Errorf("%s: %v", mode, err)
			continue
		}
		want := datapaths[mode]
		if c.Datapath.Kind != want.kind || want.kind == "" || c.Datapath.Mode != cmp.Or(want.xdp, "auto") {
			t.Errorf("%s: datapath %+v", mode, c.Datapath)
		}
		if c.N3.Interface != "n3-abcde" || c.N3.Address.String() != "192.168.13.151" || c.N6.Interface != "n6-abcde" {
			t.Errorf("%s: N3 %+v, N6 %+v", mode, c.N3, c.N6)
		}
		if c.N4.Address.String() != "192.168.14.151:8805" || c.API.String() != "192.168.14.151:9080" || c.NodeID != "192.168.14.151" {
			t.Errorf("%s: N4 %v, API %v, node %s", mode, c.N4.Address, c.API, c.NodeID)
		}
		if c.MaxSessions != 2000 || len(c.UEPools) != 1 || c.UEPools[0].String() != "10.45.0.0/16" || c.LogLevel != slog.LevelWarn {
			t.Errorf("%s: %d sessions, pools %v, log level %v", mode, c.MaxSessions, c.UEPools, c.LogLevel)
		}
	}
}
