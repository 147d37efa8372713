package deploy

import (
	"context"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/drivers"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/scenario"
)

func rootOnly(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("CI must run this as root")
	}
	t.Skip("needs root for network namespaces")
}

// TestEveryDriver: what is written of each UPF is whole, and has nothing of this machine.
func TestEveryDriver(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: `make test-all` runs it")
	}
	rootOnly(t)
	t.Setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin") // no UPF is there
	for name, wants := range map[string][]string{
		"builtin:xdp":  {`upf" "--config" "\$RUN/upf.yaml"`, "interface: @N3@"},
		"builtin:tun":  {`--config`, "kind: tun"},
		"eupf:native":  {`PROGRAM_eupf:-"eupf"`, `interface_name: \[@N3@, @N6@\]`, `--set external.dialect=eupf`, `"GIN_MODE=release"`},
		"eupf:generic": {`xdp_attach_mode: generic`},
		"open5gs:tun":  {`ip tuntap add dev ogstun mode tun`, `ip address add 10.45.0.1/16 dev ogstun`, `txqueuelen 4096`, `dev: ogstun`},
		"open5gs:tap": {`tuntap add dev ogstap mode tap`,
			`ip neighbour replace 169.254.0.1 lladdr 0e:00:00:00:00:01 dev "ogstap"`,
			`route 10.45.0.0/16 via 169.254.0.1 dev ogstap onlink`},
		"oai:simple": {`oai_upf`, `config.yaml`, `external.dialect=oai\b[^-]`},
		"oai:xdp":    {`oai_upf`, `config.yaml`, `external.dialect=oai-xdp`},
		"spgwu":      {`external.dialect=spgwu-tiny`, `PID_DIRECTORY = "@RUN@"`},
		"nextgcore": {`external.dialect=nextgcore`, `ip tuntap add dev ogstun mode tun`, `10.45.0.0/16 dev "?\$?\{?ogstun`,
			`"--gtpu-addr" "192.168.13.151"`, `/sys/class/net/ogstun/mtu`, `ip link set dev ogstun mtu 1600 #`},
		"free5gc:kernel": {`external.dialect=free5gc`, `upfcfg.yaml`},
		"calibrator":     {`upf.yaml`},
	} {
		t.Run(name, func(t *testing.T) {
			dir, w, err := write(t, name)
			if err != nil {
				t.Fatal(err)
			}
			all := ""
			for _, file := range w.Files {
				text, err := os.ReadFile(filepath.Join(dir, file))
				if err != nil {
					t.Fatal(err)
				}
				all += string(text)
			}
			for _, want := range append(wants, `setting "net/ipv4/ip_forward" '1'`,
				`setting "net/ipv4/conf/\$N4/rp_filter" '0'`, `mtu "\$N3" 1600`, `address 192.168.13.151/24 "\$N3"`,
				`route blackhole 10.45.0.0/16 metric 1073741824`, `route default via 192.168.16.152 dev \$N6`) {
				if !regexp.MustCompile(want).MatchString(all) {
					t.Errorf("there is no %s in\n%s", want, all)
				}
			}
			if here := regexp.MustCompile(`n[346]-[0-9a-z]{4,}|02:75:70:66|/run/upflab/|ipv6/conf/all`).FindString(all); here != "" {
				t.Errorf("%s is of this machine:\n%s", here, all)
			}
			if out, err := exec.Command("bash", "-n", filepath.Join(dir, ScriptName)).CombinedOutput(); err != nil {
				t.Errorf("the script: %v: %s", err, out)
			}
		})
	}
}

// write writes the files of a DUT; whatever happens, nothing else is left.
func write(t *testing.T, name string) (dir string, w Written, err error) {
	t.Helper()
	dir, claims := t.TempDir(), t.TempDir()
	s, err := scenario.Open("load-latency", []string{"qfi=8"}, false) // the only one of OAI's XDP
	if err != nil {
		t.Fatal(err)
	}
	target, err := drivers.Find(name, "test")
	if err != nil {
		t.Fatal(err)
	}
	claim, err := host.NewClaimIn(claims, host.NewRunID())
	if err != nil {
		t.Fatal(err)
	}
	w, err = Write(context.Background(), claim, Request{Target: target, Scenario: s, Name: s.Name, CPUs: []int{1}, Version: "test", Dir: dir})
	if err := claim.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob("/run/netns/upflab-" + claim.Run + "-*"); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	if left, _ := os.ReadDir(claims); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	return dir, w, err
}

// TestNothingToTake: DUTs that have no program, or need a running upflab.
func TestNothingToTake(t *testing.T) {
	rootOnly(t)
	dir, _, err := write(t, "wire")
	if err == nil || !strings.Contains(err.Error(), "no program of its own") {
		t.Errorf("wire: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v was written", left)
	}
}

// TestSilence: what a script for packet sockets takes from the kernel it gives back.
func TestSilence(t *testing.T) {
	rootOnly(t)
	for _, name := range []string{"nft", "ping"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
	a := netip.MustParseAddr
	s := &script{links: &site.Links{UPFN3: netdev.Port{Name: "n3-here", Addr: a("192.0.2.1"), Prefix: 24},
		GNB:   netdev.Port{Addr: a("192.0.2.2")},
		UPFN4: netdev.Port{Name: "n4-here", Addr: a("192.0.2.3")},
		UPFN6: netdev.Port{Name: "n6-here", Addr: a("192.0.2.4")}}, dir: "/nonexistent-dir", Silent: []string{"$N3"}}
	s.request.Target, s.request.Scenario = dut.Target{Driver: drivers.All("test")[0]}, &scenario.Scenario{}
	path := filepath.Join(t.TempDir(), ScriptName)
	if err := s.write(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, from, _ := strings.Cut(string(text), "silence() {")
	function, _, _ := strings.Cut(from, "\n# Neighbours")
	// In namespaces of this command alone: a ping is answered, then not, then again.
	try := `set -e; undo=(); fail() { echo "$*"; exit 1; }; N3=v0
		ip link add v0 type veth peer name v1; ip netns add p; ip link set v1 netns p; ip address add 192.0.2.1/24 dev v0; ip link set v0 up
		ip -n p address add 192.0.2.2/24 dev v1; ip -n p link set v1 up
		answered() { ip netns exec p ping -c 1 -W 1 192.0.2.1 >/dev/null; }
		for _ in {1..20}; do answered && break; done; answered || fail "no answer before"
		silence() {` + function + `
		answered && fail "an answer in the silence"
		for u in "${undo[@]}"; do eval "$u"; done
		for _ in {1..20}; do answered && break; done; answered || fail "no answer afterwards"`
	out, err := exec.Command("unshare", "--net", "--mount", "bash", "-c", "mount -t tmpfs tmpfs /run; "+try).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s\n%s", err, out, function)
	}
}

// TestDialects: each UPF's is one that external takes.
func TestDialects(t *testing.T) {
	for _, d := range drivers.All("test") {
		info := d.Info()
		for _, mode := range append(info.Modes, "") {
			if _, err := smf.Lookup(info.DialectOf(mode)); err != nil {
				t.Errorf("%s: %v", info.Name, err)
			}
		}
		for mode := range info.ModeDialects {
			if !slices.Contains(info.Modes, mode) {
				t.Errorf("%s has a dialect of mode %s, which it does not have", info.Name, mode)
			}
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{"sessions=10": "sessions=10",
		"thresholds=rx_pps >= 1M": "'thresholds=rx_pps >= 1M'", "a'b": `'a'\''b'`} {
		if got := quote(text); got != want {
			t.Errorf("%s: %s, not %s", text, got, want)
		}
	}
	if got := (device{Name: "t0", Kind: "tun", MultiQueue: true}).Add(); got != "tuntap add dev t0 mode tun multi_queue" {
		t.Error(got)
	}
}
