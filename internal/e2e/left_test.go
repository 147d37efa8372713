package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/text/wait"
)

// watched is how many tests run whose end nothingLeft waits for.
var watched atomic.Int32

// nothingLeft checks, when the test ends, that upflab left nothing; of tests that run at
// the same time, when the last of them ends. Call it before anything else that is cleaned up.
func nothingLeft(t *testing.T) {
	t.Helper()
	watched.Add(1)
	t.Cleanup(func() {
		if watched.Add(-1) > 0 {
			return
		}
		var left []string
		gone := func() bool { left = append(leftFiles(), leftProcesses()...); return len(left) == 0 }
		if !wait.Until(2*time.Second, 50*time.Millisecond, gone) { // a killed child takes a moment to go
			t.Errorf("left behind: %v", left)
		}
	})
}

// leftFiles are named namespaces and lists of what runs own.
func leftFiles() []string {
	names, _ := filepath.Glob("/run/netns/*")
	claims, _ := filepath.Glob("/run/upflab/*")
	resolvers, _ := filepath.Glob("/etc/netns/upflab-*")
	return slices.Concat(names, claims, resolvers)
}

// leftProcesses run the program that was built for these tests.
func leftProcesses() (list []string) {
	for _, pid := range processes() {
		list = append(list, "process "+strconv.Itoa(pid)+": "+commandLine(pid))
	}
	return list
}

// processes lists those that run upflab.
func processes() (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if exe, _ := os.Readlink(filepath.Join("/proc", e.Name(), "exe")); exe == program() {
			pids = append(pids, pid)
		}
	}
	return pids
}

func commandLine(pid int) string {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return strings.TrimSpace(strings.ReplaceAll(string(b), "\x00", " "))
}

// upfProcess is the reference UPF that a run has started; 0 when there is none.
func upfProcess() int {
	for _, pid := range processes() {
		if strings.Contains(commandLine(pid), " upf --config ") {
			return pid
		}
	}
	return 0
}
