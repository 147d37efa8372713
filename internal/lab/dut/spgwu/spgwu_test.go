package spgwu

import (
	"context"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/scenario"
)

func one() *scenario.Scenario {
	return &scenario.Scenario{
		Sessions: 1, UE: scenario.UE{Pool: netip.MustParsePrefix("10.45.0.0/16"), First: netip.MustParseAddr("10.45.0.2")},
		N4: scenario.N4{NetworkInstance: "internet"},
	}
}

// The keys are those of the project's own etc/spgw_u.conf.
func TestConfig(t *testing.T) {
	path, err := dut.Render(t.TempDir(), "spgw_u.conf", config, values{
		Dir: "/tmp/spgwu", N3: "n3-abcde", N4: "n4-abcde", N6: "n6-abcde",
		SMF: netip.MustParseAddr("192.168.14.111"), Pool: netip.MustParsePrefix("10.45.0.0/16"), DNN: "internet",
	})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(path)
	want, err := os.ReadFile("testdata/spgw_u.conf")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
}

func TestRefused(t *testing.T) {
	if err := check(one()); err != nil {
		t.Error(err)
	}
	for words, change := range map[string]func(*scenario.Scenario){
		"sessions=1024":         func(s *scenario.Scenario) { s.Sessions = 1025 },
		"teid.assign":           func(s *scenario.Scenario) { s.TEID.Assign = scenario.AssignSMF },
		"IPv4":                  func(s *scenario.Scenario) { s.UE.First = netip.MustParseAddr("2001:db8::2") },
		"ue.first to 10.45.0.2": func(s *scenario.Scenario) { s.UE.First = netip.MustParseAddr("10.45.0.1") },
	} {
		s := one()
		change(s)
		if err := check(s); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("the error %v does not say %q", err, words)
		}
	}
}

// Its command line and its configuration, with a script in its place.
func TestStart(t *testing.T) {
	tb := sitetest.Build(t)
	path := filepath.Join(t.TempDir(), "oai_spgwu")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho \"$@\"; exec sleep 60\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("UPFLAB_SPGWU", path)
	i, err := Driver{}.Start(context.Background(), dut.Env{Scenario: one(), Dir: t.TempDir(), Site: tb, CPUs: []int{0}})
	if err != nil {
		t.Fatal(err)
	}
	if d := i.Endpoint.Dialect; d.Assign != smf.AssignUPF || !d.UPInitiates || d.SessionsPerAssociation != maxSessions {
		t.Errorf("%+v", d)
	}
	if err := i.Stop(); err != nil {
		t.Error(err)
	}
	for _, file := range i.Files() {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}
