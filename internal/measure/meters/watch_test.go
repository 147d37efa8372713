package meters

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/internal/machine/netdev"
)

// TestReceiveThreads: the kernel's threads that receive for the devices of a process's namespace are found by
// the devices' names. A name that a port of the tester has too, or a device of this namespace, tells nothing.
func TestReceiveThreads(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	upf, here := newNamespace(t, "upflab-test-receive"), newNamespace(t, "upflab-test-here")
	if err := upf.Netlink().LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "upfrecv0"}, PeerName: "upfrecv1"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"upfrecv1", "upfrecv0"} {
		link, err := upf.Netlink().LinkByName(name)
		if err != nil {
			t.Fatal(err)
		}
		p := netdev.Port{NS: upf, Name: name, Index: link.Attrs().Index}
		if err := errors.Join(p.SetGRO(true), upf.Netlink().LinkSetUp(link)); err != nil {
			t.Fatal(err)
		}
		if err := p.NAPI().SetThreaded(true); err != nil {
			t.Skip(err)
		}
	}
	theirs, ours := sleeper(t, upf), sleeper(t, here)
	find := func(here, pid int, testers ...string) []int {
		t.Helper()
		pids, err := receiveThreads(here, []int{pid}, testers)
		if err != nil {
			t.Error(err)
		}
		return pids
	}
	all := find(ours, theirs)
	if len(all) < 2 {
		t.Errorf("of a process beside the devices: %v", all)
	}
	if elsewhere := find(theirs, ours); len(elsewhere) > 0 {
		t.Errorf("of a process elsewhere: %v", elsewhere)
	}
	one := find(ours, theirs, "upfrecv1")
	if len(one) == 0 || len(one) >= len(all) {
		t.Errorf("with a port of the tester's of the same name: %v of %v", one, all)
	}
	if err := here.Netlink().LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "upfrecv1"}, PeerName: "other"}); err != nil {
		t.Fatal(err)
	}
	if got := find(ours, theirs); !slices.Equal(got, one) {
		t.Errorf("with a device of the same name in this namespace: %v, want %v", got, one)
	}
	if got := find(theirs, theirs); !slices.Equal(got, all) {
		t.Errorf("in the same namespace: %v, want %v", got, all)
	}
}

func newNamespace(t *testing.T, name string) *netdev.Namespace {
	t.Helper()
	ns, err := netdev.New(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ns.Close() })
	return ns
}

// sleeper gives a process in a namespace.
func sleeper(t *testing.T, ns *netdev.Namespace) (pid int) {
	t.Helper()
	cmd := exec.Command("sleep", "30")
	if err := ns.Do(cmd.Start); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd.Process.Pid
}
