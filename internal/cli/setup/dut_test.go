package setup

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
)

// someDUT is a driver that starts nothing.
type someDUT struct {
	info    dut.Info
	version string
	err     error
}

func (d someDUT) Info() dut.Info { return d.info }

func (d someDUT) Installed() (string, error) { return d.version, d.err }

func (d someDUT) Start(context.Context, dut.Env) (*dut.Instance, error) {
	return nil, errors.New("not to be started")
}

func TestListDUTs(t *testing.T) {
	var out bytes.Buffer
	err := listDUTs(&out, []dut.Listed{
		someDUT{info: dut.Info{Name: "builtin", Modes: []string{"xdp", "xdp-generic"}, Verified: "run here",
			Summary: "the reference UPF"}, version: "v1.2.3"},
		someDUT{info: dut.Info{Name: "eupf", Modes: []string{"native"}, Verified: "run here, v0.7.1", Summary: "eUPF",
			Contained: true, Published: dut.Published{Image: "registry.example.org/eupf:1"}},
			err: errors.New(`eupf is not installed: no "eupf" in PATH; see https://example.org, or set UPFLAB_EUPF to its path`)},
		someDUT{info: dut.Info{Name: "external", External: true, Verified: "run here", Summary: "a UPF elsewhere"}},
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		os.WriteFile("testdata/dut-list.txt", out.Bytes(), 0o644)
	}
	want, err := os.ReadFile("testdata/dut-list.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("got\n%s\nwant\n%s", out.Bytes(), want)
	}
}
