package changes

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/upflab/upflab/internal/analysis/stats"
)

// measured reads figures of a machine's runs that followed each other: a line for each
// run, a column for each figure, as logarithms.
//
// testdata/nights.csv: 22 short runs of
//
//	upflab run quick --dut builtin:xdp --set loads=150k,max --set directions=uplink --set duration=300ms
//
// within eight minutes on a virtual machine with two CPUs, on which others compiled
// meanwhile: of the noise of machines this is a lot.
func measured(t *testing.T) (names []string, columns [][]float64) {
	t.Helper()
	f, err := os.Open("testdata/nights.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	names, columns = lines[0], make([][]float64, len(lines[0]))
	for _, line := range lines[1:] {
		for i, text := range line {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			columns[i] = append(columns[i], math.Log(v))
		}
	}
	return names, columns
}

// resampled are nights with the noise of measured ones, in blocks of three that followed
// each other: Künsch, "The Jackknife and the Bootstrap for General Stationary
// Observations", 1989.
func resampled(rng *rand.Rand, y []float64, n int) (nights []float64) {
	const block = 3
	for len(nights) < n {
		from := rng.IntN(len(y) - block + 1)
		nights = append(nights, y[from:from+block]...)
	}
	return nights[:n]
}

// foundWithin5 is the share of months, of 30 nights and 5 more that are a step away, in
// which somebody who looks after each night meets the step.
func foundWithin5(y []float64, step float64, months int) float64 {
	rng, found := rand.New(rand.NewPCG(7, 8)), 0
	for range months {
		month := resampled(rng, y, 35)
		for i := 30; i < 35; i++ {
			month[i] += step
		}
		if noticed(month, 30) <= 5 {
			found++
		}
	}
	return float64(found) / float64(months)
}

// TestRealNoise prints the smallest step that is found within five nights in nine months of
// ten with the noise of a real machine, figures of docs/reference/measured.csv:
//
//	go test -run TestRealNoise -v -count=1 ./internal/analysis/changes -series 400
func TestRealNoise(t *testing.T) {
	names, columns := measured(t)
	for i := 0; i < len(names); i += 2 { // a UPF's and wire's in turn
		byWire := slices.Clone(columns[i])
		for n := range byWire {
			byWire[n] -= columns[i+1][n]
		}
		realNoise(t, names[i], columns[i])
		realNoise(t, names[i+1], columns[i+1])
		realNoise(t, names[i]+", by wire", byWire)
	}
}

func realNoise(t *testing.T, name string, y []float64) {
	t.Helper()
	deviations := slices.Clone(y)
	for i, m := 0, stats.Median(y); i < len(y); i++ {
		deviations[i] -= m
	}
	noise := spread(deviations, float64(len(y)-1))
	rng, count, months := rand.New(rand.NewPCG(9, 10)), 0, *series/4
	for range months {
		count += alarms(resampled(rng, y, 100))
	}
	times := 1.0
	for times < 12 && foundWithin5(y, times*noise, *series/2) < 0.9 {
		times += 0.25
	}
	t.Logf("%-36s noise %5.1f %%, smallest step %6.1f %%: %.2f times the noise; %.1f alarms in 100 nights",
		name, 100*math.Expm1(noise), 100*math.Expm1(times*noise), times, float64(count)/float64(months))
	if times > 6 {
		t.Errorf("%s: no step below 6 times the noise is found", name)
	}
}
