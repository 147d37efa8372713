package attack

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// samples are messages that scapy and tshark know.
func samples(t testing.TB) (list []*message) {
	t.Helper()
	files, err := filepath.Glob("../../../lab/smf/testdata/*.hex")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := hex.DecodeString(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		m, err := parse(raw)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(m.bytes(), raw) {
			t.Errorf("%s is written as %x, not as it was read", name, m.bytes())
		}
		list = append(list, m)
	}
	return list
}

// TestMutator: inputs are the same for the same seed, differ from each other, and leave
// the seeds as they were.
func TestMutator(t *testing.T) {
	seeds := samples(t)
	var before [][]byte
	for _, m := range seeds {
		before = append(before, m.bytes())
	}
	a := &mutator{rng: rand.New(rand.NewPCG(7, 0)), seeds: seeds}
	b := &mutator{rng: rand.New(rand.NewPCG(7, 0)), seeds: samples(t)}
	different := map[string]bool{}
	const count = 5000
	for n := range count {
		x, y := a.next(uint32(n)), b.next(uint32(n))
		if !bytes.Equal(x, y) {
			t.Fatalf("input %d differs: %x and %x", n, x, y)
		}
		if len(x) == 0 || len(x) > longest {
			t.Fatalf("input %d has %d octets", n, len(x))
		}
		different[string(x)] = true
	}
	if len(different) < count*9/10 {
		t.Errorf("of %d inputs %d differ", count, len(different))
	}
	for i, m := range seeds {
		if !bytes.Equal(m.bytes(), before[i]) {
			t.Errorf("seed %d is %x now, and was %x", i, m.bytes(), before[i])
		}
	}
}

func BenchmarkMutator(b *testing.B) {
	m := &mutator{rng: rand.New(rand.NewPCG(7, 0)), seeds: samples(b)}
	for n := range b.N {
		m.next(uint32(n))
	}
}
