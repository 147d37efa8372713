package telemetry

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// rapl makes a powercap tree of two packages, one of which has a part.
func rapl(t *testing.T, first, second string) string {
	t.Helper()
	root := t.TempDir()
	for domain, files := range map[string]map[string]string{
		"intel-rapl:0":   {"name": "package-0\n", "energy_uj": first, "max_energy_range_uj": "1000000\n"},
		"intel-rapl:1":   {"name": "package-1\n", "energy_uj": second, "max_energy_range_uj": "1000000\n"},
		"intel-rapl:0:0": {"name": "core\n", "energy_uj": "77\n", "max_energy_range_uj": "1000000\n"},
		"intel-rapl:2":   {"name": "psys\n", "energy_uj": "88\n", "max_energy_range_uj": "1000000\n"},
	} {
		if err := os.Mkdir(filepath.Join(root, domain), 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(root, domain, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

// Packages are added up, their parts and the platform are not counted again, and a
// counter may begin anew.
func TestEnergy(t *testing.T) {
	root := rapl(t, "900000\n", "100000\n")
	before, err := readEnergy(root)
	if err != nil || len(before) != 2 {
		t.Fatalf("%v, %v", before, err)
	}
	after := Energy{}
	for domain, c := range before {
		after[domain] = counter{(c.value + 300_000) % c.wraps, c.wraps}
	}
	if j, ok := JoulesBetween(before, after); !ok || math.Abs(j-0.6) > 1e-9 {
		t.Errorf("%v J, %v; want 0.6", j, ok)
	}
	delete(after, filepath.Join(root, "intel-rapl:1"))
	if _, ok := JoulesBetween(before, after); ok {
		t.Error("a package that is gone counts as 0")
	}
}

func TestNoEnergy(t *testing.T) {
	if _, err := readEnergy(t.TempDir()); !errors.Is(err, ErrNoEnergy) {
		t.Error(err)
	}
	if _, ok := JoulesBetween(nil, nil); ok {
		t.Error("nothing is known to be 0 J")
	}
	if _, err := readEnergy(rapl(t, "many\n", "1\n")); err == nil {
		t.Error("a counter that is no number is accepted")
	}
}
