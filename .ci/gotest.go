// Gotest reads `go test -json` and prints what `go test` would: the output of tests that
// failed, and a line for each package. Then it names the slowest tests, and counts those
// that were skipped, by their reasons. Where CI=true, one that is not in the list of skips
// (the argument) is a failure.
//
//	go test -json ./... | go run .ci/gotest.go .ci/skips
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// module is cut off the packages' names.
const module = "github.com/upflab/upflab/"

// event is one line of `go test -json` (go doc test2json).
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64 // seconds
}

func (e event) name() string { return strings.TrimPrefix(e.Package, module) + " " + e.Test }

// results are what has been read so far.
type results struct {
	output  map[string]*strings.Builder // of each test
	passed  int
	broken  int      // tests that failed, those within others not counted
	skipped []string // names, in the order of the tests
	took    []timed
	failed  bool
}

// timed is a test and how long it took, seconds.
type timed struct {
	name    string
	seconds float64
}

func main() {
	known, err := readSkips(os.Args[1])
	if err != nil {
		fmt.Println("FAIL:", err)
		os.Exit(1)
	}
	r, began := results{output: map[string]*strings.Builder{}}, time.Now()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.Action == "" {
			fmt.Println(lines.Text()) // of make, vet ...
			continue
		}
		r.add(e)
	}
	if lines.Err() != nil {
		fmt.Println("FAIL: read the tests' output:", lines.Err())
		r.failed = true
	}
	r.printSlowest()
	fmt.Printf("== %d tests passed, %d failed, %d were skipped, in %v\n", r.passed, r.broken, len(r.skipped),
		time.Since(began).Round(time.Second))
	if os.Getenv("CI") == "true" {
		r.judgeSkips(known)
	} else {
		r.countSkips()
	}
	if r.failed {
		os.Exit(1)
	}
}

// add takes one event. Output of a package is printed at once, that of a test when it
// fails.
func (r *results) add(e event) {
	if (e.Action == "pass" || e.Action == "fail") && e.Test != "" && !strings.Contains(e.Test, "/") {
		r.took = append(r.took, timed{e.name(), e.Elapsed})
	}
	switch {
	case e.Action == "build-output", e.Action == "output" && e.Test == "" && e.Output != "PASS\n":
		fmt.Print(e.Output)
	case e.Action == "output" && e.Test != "":
		if r.output[e.name()] == nil {
			r.output[e.name()] = &strings.Builder{}
		}
		r.output[e.name()].WriteString(e.Output)
	case e.Action == "pass" && e.Test != "":
		r.passed++
	case e.Action == "skip" && e.Test != "":
		r.skipped = append(r.skipped, e.name())
	case e.Action == "fail", e.Action == "build-fail":
		r.failed = true
		if e.Test != "" && !strings.Contains(e.Test, "/") {
			r.broken++
		}
		if out := r.output[e.name()]; out != nil {
			fmt.Print(out)
		}
	}
}

// slow is how many tests are named as the slowest.
const slow = 20

func (r *results) printSlowest() {
	slices.SortFunc(r.took, func(a, b timed) int { return cmp.Compare(b.seconds, a.seconds) })
	for _, t := range r.took[:min(slow, len(r.took))] {
		fmt.Printf("slow %4.0f s %s\n", t.seconds, t.name)
	}
}

// countSkips prints how many tests were skipped for each reason that they give, the most
// frequent first.
func (r *results) countSkips() {
	count := map[string]int{}
	for _, name := range r.skipped {
		count[reasonGiven(r.output[name])]++
	}
	for _, reason := range slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	}) {
		fmt.Printf("skipped %3d: %s\n", count[reason], reason)
	}
}

// reasonGiven is what a test said before it was skipped, without the place in its file.
func reasonGiven(b *strings.Builder) string {
	said := lastLine(b)
	if place, reason, ok := strings.Cut(said, ": "); ok && strings.Contains(place, ".go:") {
		return reason
	}
	return said
}

// judgeSkips prints what was skipped, with the reason from the list.
func (r *results) judgeSkips(known map[string]string) {
	for _, name := range r.skipped {
		reason := reasonFor(known, name)
		if reason == "" {
			r.failed = true
			fmt.Printf("FAIL: %s was skipped and is not in .ci/skips: %s\n", name, lastLine(r.output[name]))
			continue
		}
		fmt.Printf("skip %s: %s\n", name, reason)
	}
}

// reasonFor finds the entry that matches a test, as path.Match does.
func reasonFor(known map[string]string, name string) string {
	for pattern, reason := range known {
		if ok, _ := path.Match(pattern, name); ok {
			return reason
		}
	}
	return ""
}

// lastLine is what the test said before it was skipped.
func lastLine(b *strings.Builder) string {
	said := "no reason given"
	if b == nil {
		return said
	}
	for line := range strings.Lines(b.String()) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "===") {
			said = line
		}
	}
	return said
}

// readSkips reads lines of PACKAGE TEST REASON.
func readSkips(file string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	known := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 3 {
			return nil, fmt.Errorf("%s: %q is not PACKAGE TEST REASON", file, line)
		}
		known[fields[0]+" "+fields[1]] = strings.Join(fields[2:], " ")
	}
	return known, nil
}
