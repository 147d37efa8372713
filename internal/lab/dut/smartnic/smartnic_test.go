package smartnic

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

type upf struct {
	dut.Driver
	started *dut.Env
}

func (upf) Info() dut.Info             { return dut.Info{Name: "upf", Modes: []string{"native", "generic"}} }
func (upf) Installed() (string, error) { return "v1", nil }
func (u upf) Start(_ context.Context, env dut.Env) (*dut.Instance, error) {
	*u.started = env
	return &dut.Instance{}, nil
}

// device makes what sysfs shows of one, as Linux 6.1 does for ixgbevf.
func device(t *testing.T, root, name, driver string, function bool, carrier string) {
	t.Helper()
	dir := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Join(dir, "device"), 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"mtu": "1500\n", "carrier": carrier + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if driver != "" {
		if err := os.Symlink("../../../bus/pci/drivers/"+driver, filepath.Join(dir, "device", "driver")); err != nil {
			t.Fatal(err)
		}
	}
	if function {
		if err := os.Mkdir(filepath.Join(dir, "device", "physfn"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestExamine(t *testing.T) {
	root := t.TempDir()
	device(t, root, "eth1v0", "ixgbevf", true, "1")
	device(t, root, "eth2", "ice", false, "0")
	device(t, root, "dummy0", "", false, "")
	s := &scenario.Scenario{
		Network: scenario.Network{
			MTU: 1600, N3: scenario.N3{Device: "eth1v0", TesterDevice: "eth2"},
			N6: scenario.N6{Device: "dummy0", TesterDevice: "eth9"},
		},
	}
	m := machine{devices: root, irqs: t.TempDir()}
	none := func(string) (netdev.Capabilities, error) { return netdev.Capabilities{}, errors.New("none") }
	list := m.examine(s, record.Placement{}, none)
	for i, want := range []string{
		"eth1v0: virtual function, driver ixgbevf, MTU 1500, connected", "eth2: port, driver ice, MTU 1500, no carrier",
		"dummy0: no hardware behind it, MTU 1500, down", "there is no device eth9",
	} {
		if list[i].Found != want {
			t.Errorf("%s: %q, want %q", list[i].What, list[i].Found, want)
		}
	}
	if !strings.Contains(list[1].Cost, "connect it") || !strings.Contains(list[3].Cost, "no run") {
		t.Errorf("the costs are %q, %q", list[1].Cost, list[3].Cost)
	}
	if list := m.examine(&scenario.Scenario{}, record.Placement{}, none); !strings.Contains(list[0].Cost, "set n3.device") {
		t.Errorf("of no device it says %+v", list[0])
	}
}

func TestStart(t *testing.T) {
	var got dut.Env
	of := []dut.Driver{upf{started: &got}}
	x, err := dut.In(Way{}, of, "upf")
	if err != nil {
		t.Fatal(err)
	}
	_, err = x.Start(context.Background(), dut.Env{Scenario: &scenario.Scenario{Network: scenario.Network{Link: scenario.LinkVeth}}})
	if err == nil || !strings.Contains(err.Error(), "link=physical") {
		t.Errorf("on veth: %v", err)
	}
	if _, err = x.Start(context.Background(),
		dut.Env{Scenario: &scenario.Scenario{Network: scenario.Network{Link: scenario.LinkPhysical}}}); err != nil || got.Mode != "native" {
		t.Errorf("it was started in mode %q, %v", got.Mode, err)
	}
	for mode, want := range map[string]string{"": "smartnic:upf; there are: upf", "upf:dpdk": "native, generic", "none": "there are: upf"} {
		if _, err := dut.In(Way{}, of, mode); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", mode, err)
		}
	}
}

// TestSpread: a port with queues and interrupts has their CPUs shown.
func TestSpread(t *testing.T) {
	root, irqs := t.TempDir(), t.TempDir()
	device(t, root, "eth1", "ice", false, "1")
	for _, dir := range []string{"eth1/queues/rx-0", "eth1/queues/rx-1", "eth1/queues/tx-0", "eth1/device/msi_irqs"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		filepath.Join(root, "eth1/device/numa_node"): "1\n", filepath.Join(root, "eth1/device/msi_irqs/120"): "msix\n",
		filepath.Join(root, "eth1/device/msi_irqs/121"): "msix\n",
		filepath.Join(irqs, "120/smp_affinity_list"):    "4\n", filepath.Join(irqs, "121/smp_affinity_list"): "0-3\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cpus := t.TempDir()
	for _, dir := range []string{"cpu4/node1", "cpu5/node0"} {
		if err := os.MkdirAll(filepath.Join(cpus, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	m := machine{root, irqs, cpus}
	list := m.spread("n3.device", "eth1", []int{4, 5})
	if len(list) != 2 || list[0].Found != "2 queues; interrupts on CPUs 0-3 4" ||
		!strings.Contains(list[0].Set, "for each N of 121 ") || !strings.Contains(list[0].Cost, "1 of 2") {
		t.Errorf("%+v", list)
	}
	if list[1].Found != "node 1" || !strings.Contains(list[1].Cost, "CPUs 5 of its role") || !strings.Contains(list[1].Set, "node1/cpulist") {
		t.Errorf("%+v", list[1])
	}
	good := m.spread("n3.device", "eth1", []int{0, 1, 2, 3, 4})
	if good[0].Set != "" || !strings.HasPrefix(good[0].Cost, "none") {
		t.Errorf("%+v", good[0])
	}
	if list := m.spread("n3.device", "eth9", nil); len(list) != 0 {
		t.Errorf("of no device: %+v", list)
	}
}

// TestCapabilities: what a NIC can do, and the command for what is off.
func TestCapabilities(t *testing.T) {
	ice := netdev.Capabilities{Now: netdev.Channels{Combined: 8}, Most: netdev.Channels{Combined: 64},
		FlowHash: map[uint32]uint64{0x13: 0x30, 0x19: 0x30}, Rules: true, RuleRoom: 1024,
		XDP: &netdev.XDPFeatures{Acts: 15, RxMetadata: 1}, Redirects: true, Speed: 25e9}
	hashing := netdev.Capabilities{FlowHash: map[uint32]uint64{0x19: 0x130}, XDP: &netdev.XDPFeatures{Acts: 9, Socket: 1}}
	for _, c := range []struct {
		story string
		nic   netdev.Capabilities
		key   string
		wants []string // one for each finding: in it, all together
	}{
		{"a NIC with everything", ice, "n3.device",
			[]string{"8 that receive, of 64 at most", "`ethtool -N eth1 rx-flow-hash gtpu4 sde`",
				"its driver takes 1024", "engine=xdp sends", "receive: yes; for AF_XDP sockets that send: no", "25 Gbit/s"}},
		{"one that takes no redirected frames", hashing, "n3.device",
			[]string{"no setting", "on, for gtpu4e", "takes none", "engine=af_xdp sends",
				"receive: no; for AF_XDP sockets that send: yes", "not known"}},
		{"an old kernel", netdev.Capabilities{}, "n3.device",
			[]string{"no setting", "knows no GTP-U", "takes none", "Linux 6.3 does", "Linux 6.3 does", "not known"}},
		{"N6, where there is no TEID", ice, "n6.device", []string{"8 that receive", "engine=xdp", "yes", "25 Gbit/s"}},
	} {
		list := capabilities(c.key, "eth1", c.nic, &scenario.Scenario{Network: scenario.Network{Queues: 1}})
		if len(list) != len(c.wants) {
			t.Fatalf("%s: %d findings, want %d", c.story, len(list), len(c.wants))
		}
		for i, want := range c.wants {
			if f := list[i]; !strings.Contains(f.Found+f.Set+f.Cost, want) {
				t.Errorf("%s: %+v, want %q", c.story, f, want)
			}
		}
	}
	if list := capabilities("n3.device", "eth1", ice,
		&scenario.Scenario{Network: scenario.Network{Queues: 65}}); !strings.Contains(list[0].Cost, "--set queues=64") {
		t.Errorf("%+v", list[0])
	}
}
