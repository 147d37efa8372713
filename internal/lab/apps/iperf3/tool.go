// Package iperf3 runs iperf3 and reads what it reports in JSON.
package iperf3

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// Version is that of the program.
type Version struct{ Major, Minor int }

// Oldest is the oldest version whose JSON and options are as they are read and given
// here. Debian 12 has 3.12.
var Oldest = Version{3, 10}

// String is "3.12".
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

func (v Version) before(other Version) bool {
	return v.Major < other.Major || v.Major == other.Major && v.Minor < other.Minor
}

// Tool is an iperf3 that is installed.
type Tool struct {
	Path    string
	Version Version
}

// Find finds iperf3 in PATH. The error says what to do where it is missing or too old.
func Find() (Tool, error) {
	path, err := exec.LookPath("iperf3")
	if err != nil {
		return Tool{}, fmt.Errorf("iperf3 is not installed, and the flows tcp and udp need it: try `apt install iperf3`")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	text, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return Tool{}, fmt.Errorf("ask %s for its version: %w", path, err)
	}
	v, err := parseVersion(string(text))
	if err != nil {
		return Tool{}, fmt.Errorf("%s: %w", path, err)
	}
	if v.before(Oldest) {
		return Tool{}, fmt.Errorf("%s is version %s, and %s or later is needed: `apt install iperf3` of a newer "+
			"distribution, or build it (https://github.com/esnet/iperf)", path, v, Oldest)
	}
	return Tool{Path: path, Version: v}, nil
}

// versionLine is the first line of --version: "iperf 3.12 (cJSON 1.7.15)".
var versionLine = regexp.MustCompile(`(?m)^iperf (\d{1,4})\.(\d{1,4})`)

func parseVersion(text string) (v Version, err error) {
	m := versionLine.FindStringSubmatch(text)
	if m == nil {
		return v, fmt.Errorf("it does not say its version, but %.80q", text)
	}
	v.Major, _ = strconv.Atoi(m[1])
	v.Minor, _ = strconv.Atoi(m[2])
	return v, nil
}
