package podinside

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

func TestLook(t *testing.T) {
	sys := t.TempDir()
	for path, text := range map[string]string{
		"devices/system/cpu/online": "0-3,6\n", "devices/system/cpu/cpu2/node1/x": "", "devices/system/cpu/cpu3/node1/x": "",
		"class/net/net1/device/numa_node": "1\n", "class/net/eth0/mtu": "1500\n", "class/net/v0/device/numa_node": "-1\n",
		"kernel/mm/hugepages/hugepages-2048kB/nr_hugepages": "512\n", "kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages": "0\n",
	} {
		path = filepath.Join(sys, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../../drivers/iavf", filepath.Join(sys, "class/net/net1/device/driver")); err != nil {
		t.Fatal(err)
	}
	want := record.PodInside{CPUs: []int{2, 3}, NodeCPUs: 5, NUMANodes: []int{1}, Devices: map[string]int{"net1": 1},
		Drivers: map[string]string{"net1": "iavf"}, Hugepages: map[string]uint64{"2048kB": 512}}
	if got := look(sys, []int{2, 3}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
}

func TestLookHere(t *testing.T) {
	if p := Look(); len(p.CPUs) == 0 || p.NodeCPUs < len(p.CPUs) {
		t.Errorf("%+v", p)
	}
}
