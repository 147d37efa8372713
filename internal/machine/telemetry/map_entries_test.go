package telemetry

import (
	"os"
	"testing"

	"github.com/cilium/ebpf"
)

// TestMapEntries: the keys of a hash table of this process are counted, those of an array are not.
func TestMapEntries(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	m, err := ebpf.NewMap(&ebpf.MapSpec{Name: "upflab_kept", Type: ebpf.Hash, KeySize: 4, ValueSize: 4, MaxEntries: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	array, err := ebpf.NewMap(&ebpf.MapSpec{Name: "upflab_full", Type: ebpf.Array, KeySize: 4, ValueSize: 4, MaxEntries: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer array.Close()
	for n := range uint32(37) {
		if err := m.Put(n*7, n); err != nil {
			t.Fatal(err)
		}
	}
	got := MapEntries([]int{os.Getpid(), os.Getpid()})
	if _, counted := got["upflab_full"]; got["upflab_kept"] != 37 || counted {
		t.Errorf("%v, want 37 entries of upflab_kept alone", got)
	}
}
