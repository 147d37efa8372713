package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/vishvananda/netns"

	"github.com/upflab/upflab/internal/socket/ethtool"
)

// The namespaces of a lab made by hand, as a user would make one: a UPF's and
// that of everything around it.
const (
	upfNS  = "upflab-e2e-upf"
	peerNS = "upflab-e2e-peer"
)

// lab is held while there is one.
var lab sync.Mutex

// subnets are those of a lab's links, and the two ends' addresses.
type subnets struct {
	bits   int
	n3, n4 [2]string // peer, UPF
	n6     [2]string
}

// usual are the addresses that scenarios have when they name none.
var usual = subnets{24, [2]string{"192.168.13.131", "192.168.13.151"}, [2]string{"192.168.14.111", "192.168.14.151"},
	[2]string{"192.168.16.152", "192.168.16.151"}}

// sets are the addresses for a run.
func (s *subnets) sets() (args []string) {
	for key, value := range map[string]string{"n3.gnb": s.n3[0], "n3.upf": s.n3[1], "n4.smf": s.n4[0],
		"n4.upf": s.n4[1], "n6.dn": s.n6[0], "n6.upf": s.n6[1],
		"n3.prefix": fmt.Sprint(s.bits), "n4.prefix": fmt.Sprint(s.bits), "n6.prefix": fmt.Sprint(s.bits)} {
		args = append(args, "--set", key+"="+value)
	}
	return args
}

// makeLab makes both namespaces and N3, N4 and N6 between them, with the usual addresses.
func makeLab(t *testing.T) {
	t.Helper()
	makeLabAt(t, usual)
}

// makeLabAt is makeLab with other addresses.
func makeLabAt(t *testing.T, s subnets) {
	t.Helper()
	makePlainLab(t, s, vethTo)
	for _, link := range []string{"n3", "n4", "n6"} {
		offloads(t, peerNS, link)
		offloads(t, upfNS, link)
	}
}

// vethTo connects the namespaces by a veth pair as the kernel makes it.
func vethTo(t *testing.T, link string) {
	t.Helper()
	ip(t, fmt.Sprintf("-n %s link add %s mtu 1600 type veth peer name %s mtu 1600 netns %s", peerNS, link, link, upfNS))
}

// bridgeTo connects them through a bridge in a namespace of its own.
func bridgeTo(t *testing.T, link string) {
	t.Helper()
	const ns = "upflab-e2e-bridge"
	if link == "n3" {
		ip(t, "netns add "+ns)
		t.Cleanup(func() { ip(t, "netns delete "+ns) })
	}
	ip(t, fmt.Sprintf("-n %s link add br-%s mtu 1600 type bridge", ns, link))
	for side, end := range map[string]string{"p": peerNS, "u": upfNS} {
		ip(t, fmt.Sprintf("-n %s link add %s mtu 1600 type veth peer name %s%s mtu 1600 netns %s", end, link, side, link, ns))
		ip(t, fmt.Sprintf("-n %s link set %s%s master br-%s up", ns, side, link, link))
	}
	ip(t, fmt.Sprintf("-n %s link set br-%s up", ns, link))
}

// makePlainLab is makeLabAt without anything that helps an engine, and links of a kind.
func makePlainLab(t *testing.T, s subnets, connect func(t *testing.T, link string)) {
	t.Helper()
	lab.Lock()
	t.Cleanup(lab.Unlock)
	for _, ns := range []string{upfNS, peerNS} {
		ip(t, "netns add "+ns)
		t.Cleanup(func() { ip(t, "netns delete "+ns) })
		ip(t, "-n "+ns+" link set lo up")
		netnsExec(t, ns, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward")
	}
	for _, link := range []struct{ name, peer, upf string }{{"n3", s.n3[0], s.n3[1]}, {"n4", s.n4[0], s.n4[1]}, {"n6", s.n6[0], s.n6[1]}} {
		connect(t, link.name)
		for ns, address := range map[string]string{peerNS: link.peer, upfNS: link.upf} {
			ip(t, fmt.Sprintf("-n %s address add %s/%d dev %s", ns, address, s.bits, link.name))
			ip(t, fmt.Sprintf("-n %s link set %s up", ns, link.name))
		}
	}
	ip(t, "-n "+upfNS+" route add default via "+s.n6[0])
	ip(t, "-n "+peerNS+" route add 10.45.0.0/16 via "+s.n6[1])
}

// offloads makes sockets write checksums, which XDP programs do not, and gives
// the device NAPI, without which nothing can be redirected to it.
func offloads(t *testing.T, ns, device string) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread stays in the namespace and ends
		done <- setOffloads(ns, device)
	}()
	if err := <-done; err != nil {
		t.Fatalf("offloads of %s in %s: %v", device, ns, err)
	}
}

func setOffloads(ns, device string) error {
	handle, err := netns.GetFromName(ns)
	if err != nil {
		return err
	}
	defer handle.Close()
	if err := netns.Set(handle); err != nil {
		return err
	}
	return ethtool.SetFeatures(device, map[string]bool{"tx-checksum-ip-generic": false, "rx-gro": true})
}

func ip(t *testing.T, args string) {
	t.Helper()
	if out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil {
		t.Fatalf("ip %s: %v\n%s", args, err, out)
	}
}

// inNS is a command inside a namespace.
func inNS(ns string, args ...string) *exec.Cmd {
	return exec.Command("ip", append([]string{"netns", "exec", ns}, args...)...)
}

func netnsExec(t *testing.T, ns string, args ...string) {
	t.Helper()
	if out, err := inNS(ns, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v in %s: %v\n%s", args, ns, err, out)
	}
}

// startUPF runs `upflab upf` in its namespace until the test ends.
func startUPF(t *testing.T, mode string) *command {
	t.Helper()
	return startUPFAt(t, mode, usual)
}

// startUPFAt is startUPF in a lab with other addresses.
func startUPFAt(t *testing.T, mode string, s subnets) *command {
	t.Helper()
	return startDatapath(t, "mode: "+mode, s)
}

// startDatapath is startUPFAt with a datapath.
func startDatapath(t *testing.T, datapath string, s subnets) *command {
	t.Helper()
	file := filepath.Join(t.TempDir(), "upf.yaml")
	text := fmt.Sprintf(`n4: {address: %s}
n3: {interface: n3, address: %s}
n6: {interface: n6}
datapath: {%s}
ue_pool: [10.45.0.0/16]
`, s.n4[1], s.n3[1], datapath)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	upf := start(t, inNS(upfNS, program(), "upf", "--config", file))
	upf.says("ready")
	return upf
}
