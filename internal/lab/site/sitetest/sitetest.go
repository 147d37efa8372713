// Package sitetest builds testbeds for the tests of other packages.
package sitetest

import (
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/netns"
	"github.com/upflab/upflab/internal/machine/host"
)

// Privileged skips a test that needs root on a laptop, and fails it when the
// environment variable CI is "true".
func Privileged(t testing.TB) {
	t.Helper()
	if os.Geteuid() == 0 {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("needs root, for namespaces and BPF: run the tests as root")
	}
	t.Skip("needs root, for namespaces and BPF")
}

// Spec is a testbed with the addresses of the built-in scenarios.
func Spec(run string) site.Spec {
	a := netip.MustParseAddr
	return site.Spec{
		Run: run, MTU: 1600, UEPools: []netip.Prefix{netip.MustParsePrefix("10.45.0.0/16")},
		N3: site.LinkSpec{Tester: a("192.168.13.131"), UPF: a("192.168.13.151"), Prefix: 24},
		N4: site.LinkSpec{Tester: a("192.168.14.111"), UPF: a("192.168.14.151"), Prefix: 24},
		N6: site.LinkSpec{Tester: a("192.168.16.152"), UPF: a("192.168.16.151"), Prefix: 24},
	}
}

// Build builds a testbed that the test's end removes, and checks that nothing of
// it is left then.
func Build(t testing.TB) *netns.Testbed { return BuildWith(t, func(*site.Spec) {}) }

// BuildWith is Build of a testbed with changes.
func BuildWith(t testing.TB, change func(*site.Spec)) *netns.Testbed {
	t.Helper()
	Privileged(t)
	claim, err := host.NewClaim(host.NewRunID())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := claim.Close(); err != nil {
			t.Error(err)
		}
	})
	spec := Spec(claim.Run)
	change(&spec)
	tb, err := netns.Build(claim, spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tb.Close(); err != nil {
			t.Error(err)
		}
		for _, name := range Left(claim.Run) {
			t.Errorf("%s is left", name)
		}
	})
	return tb
}

// Left lists the named namespaces of a run that exist.
func Left(run string) []string {
	names, _ := filepath.Glob("/run/netns/upflab-" + run + "-*") // the pattern is right
	return names
}
