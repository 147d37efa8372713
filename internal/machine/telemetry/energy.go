package telemetry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// powercap is where the kernel shows the energy that processors took (RAPL).
const powercap = "/sys/class/powercap"

// ErrNoEnergy is that the machine does not show what energy it takes; most virtual
// machines do not.
var ErrNoEnergy = errors.New("this machine does not show the energy of its processors (RAPL)")

// Energy is what the packages of the machine have taken so far, by domain.
type Energy map[string]counter

// counter is an energy counter, uJ, and where it begins at 0 again.
type counter struct{ value, wraps uint64 }

// ReadEnergy reads the counters of all packages: processors with what is on their chip.
// ErrNoEnergy where there is none.
func ReadEnergy() (Energy, error) { return readEnergy(powercap) }

func readEnergy(root string) (Energy, error) {
	domains, err := filepath.Glob(filepath.Join(root, "intel-rapl:*"))
	if err != nil {
		return nil, err
	}
	e := Energy{}
	for _, domain := range domains {
		name, err := os.ReadFile(filepath.Join(domain, "name"))
		if err != nil || !strings.HasPrefix(string(name), "package") {
			continue // a part of a package, or the whole platform
		}
		c, err := readCounter(domain)
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read energy of %s: %w", domain, err)
		}
		e[domain] = c
	}
	if len(e) == 0 {
		return nil, ErrNoEnergy
	}
	return e, nil
}

func readCounter(domain string) (c counter, err error) {
	if c.value, err = readNumber(filepath.Join(domain, "energy_uj")); err != nil {
		return c, err
	}
	c.wraps, err = readNumber(filepath.Join(domain, "max_energy_range_uj"))
	return c, err
}

func readNumber(path string) (uint64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
}

// JoulesBetween is what was taken between two readings, J; false when a package is in one
// of them alone. A counter that began again is assumed to have done so once: at 200 W
// the usual one takes over 20 minutes.
func JoulesBetween(a, b Energy) (joules float64, ok bool) {
	if len(a) == 0 || len(a) != len(b) {
		return 0, false
	}
	for domain, after := range b {
		before, found := a[domain]
		if !found {
			return 0, false
		}
		used := after.value - before.value
		if after.value < before.value {
			used = after.value + after.wraps - before.value
		}
		joules += float64(used) / 1e6
	}
	return joules, true
}
