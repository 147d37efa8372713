package setup

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/scenario"
)

// ceilings are what a driver knows to bound its figures.
func ceilings(env dut.Env) []dut.Finding {
	return []dut.Finding{
		{What: "net.core.rmem_default", Found: "212992 bytes", Cost: "bursts are lost", Source: "https://example.org/1"},
		{What: "log level", Found: "debug", Set: "error in mode " + env.Mode, Cost: "half of the rate"},
	}
}

func defects(_ string, s *scenario.Scenario) []string {
	if s.Sessions < 1000 {
		return nil
	}
	return []string{"xUPF crashes at 4097 sessions."}
}

func TestExamineDUT(t *testing.T) {
	x := someDUT{info: dut.Info{Name: "xupf", Modes: []string{"fast"}, Doctor: ceilings, Defects: defects,
		Verified: "run here, v2.0", Oldest: "v2.0", Remarks: []string{"xUPF has one thread."}}, version: "v1.9"}
	absent := someDUT{info: dut.Info{Name: "yupf", Verified: "configuration only", Page: "docs/duts/yupf.md#install"},
		err: errors.New("yupf is not installed: see https://example.org")}
	var out bytes.Buffer
	for _, c := range []struct {
		target   dut.Target
		sessions int
	}{
		{dut.Target{Driver: x, Mode: "fast"}, 5000},
		{dut.Target{Driver: x, Mode: "fast"}, 1},
		{dut.Target{Driver: absent}, 1},
	} {
		err := examineDUT(&out, c.target, &scenario.Scenario{Packets: scenario.Packets{Sessions: c.sessions}})
		if there := c.target.Name() != "yupf"; there != (err == nil) {
			t.Fatal(err)
		}
		if err != nil {
			fmt.Fprintf(&out, "error: %v\n", err)
		}
		out.WriteString("----\n")
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		os.WriteFile("testdata/dut-doctor.txt", out.Bytes(), 0o644)
	}
	want, err := os.ReadFile("testdata/dut-doctor.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("got\n%s\nwant\n%s", out.Bytes(), want)
	}
}
