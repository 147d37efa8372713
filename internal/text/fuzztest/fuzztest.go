// Package fuzztest is shared by the fuzz targets.
package fuzztest

import (
	"flag"
	"testing"
)

// minimizeFlag limits how long `go test -fuzz` shortens one input.
const minimizeFlag = "test.fuzzminimizetime"

// Brief lets 100 executions shorten an input that reaches new code or fails, unless
// -fuzzminimizetime was given. By default Go takes a minute for each such input, in which
// it tries no new ones: with a seed of some thousand octets, that is nearly all of its time.
func Brief(f *testing.F) {
	f.Helper()
	given := false
	flag.Visit(func(set *flag.Flag) { given = given || set.Name == minimizeFlag })
	if given {
		return
	}
	if err := flag.Set(minimizeFlag, "100x"); err != nil {
		f.Fatal(err)
	}
}
