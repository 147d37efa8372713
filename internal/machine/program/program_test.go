package program

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// inNamespace gives what a shell script said, run as a UE's program is.
func inNamespace(t *testing.T, s Spec, script string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("needs root, for a network namespace")
		}
		t.Skip("needs root, for a network namespace")
	}
	claim, err := host.NewClaimIn(t.TempDir(), host.NewRunID())
	if err != nil {
		t.Fatal(err)
	}
	ns, err := netdev.New(host.NamespaceName(claim.Run, "a"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(ns.Close(), claim.Close()); err != nil {
			t.Error(err)
		}
	})
	if err := ns.SysctlIfThere("ipv4/ping_group_range", "0 2147483647"); err != nil {
		t.Fatal(err)
	}
	s.Claim, s.Namespace, s.Args = claim, ns, []string{"sh", "-c", script}
	out, err := Output(t.Context(), s)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// A UE's program runs as who called sudo, and cannot change networks or mounts; nor can root's.
func TestCommandHasNoCapabilities(t *testing.T) {
	const script = `id -u; id -G; echo $HOME; grep -E 'Cap(Eff|Bnd|Amb)' /proc/self/status
		for try in 'ip link set lo down' 'ip route add 192.0.2.0/24 dev lo' 'mount -t tmpfs none /mnt' 'nsenter -t 1 -n true'; do
			$try 2>/dev/null && echo "$try: done"
		done; true`
	nobody := User{Known: true, UID: 65534, GID: 65534, Groups: []int{65533}, Name: "nobody", Home: "/nowhere"}
	got := strings.Fields(inNamespace(t, Spec{User: nobody}, script))
	want := "65534 65534 65533 /nowhere CapEff: 0000000000000000 CapBnd: 0000000000002000 CapAmb: 0000000000000000"
	if strings.Join(got, " ") != want {
		t.Errorf("as nobody: %q, want %q", got, want)
	}
	got = strings.Fields(inNamespace(t, Spec{}, script))
	const raw = "CapEff: 0000000000002000 CapBnd: 0000000000002000 CapAmb: 0000000000000000" // CAP_NET_RAW is bit 13
	if text := strings.Join(got, " "); got[0] != "0" || !strings.HasSuffix(text, raw) {
		t.Errorf("as root: %q, want %q at the end", text, raw)
	}
	// The value that is there is written again, so that nothing changes where that works.
	const settings = `for file in /proc/sys/kernel/core_pattern /proc/sys/vm/swappiness; do
			cat $file > /dev/null && (cat $file > $file) 2>/dev/null && echo "$file: written"
		done; true`
	if text := inNamespace(t, Spec{}, settings); text != "" {
		t.Errorf("root without capabilities changes the machine: %q", text)
	}
	if text := inNamespace(t, Spec{Privileged: true}, script); !strings.Contains(text, "ip link set lo down: done") {
		t.Errorf("with all capabilities: %q", text)
	}
}

// Root without capabilities writes no file of /proc and /sys but those of processes, nor changes
// their modes, also from a user namespace that it makes; and what reads /proc works.
func TestCommandOnlyReadsTheKernel(t *testing.T) {
	const writable = `find /proc /sys '(' -path '/proc/[0-9]*' -o -path /sys/fs/cgroup ')' -prune -o \
			-not -type l -not -path /proc -writable -print 2>/dev/null
		for file in /proc/irq/default_smp_affinity /proc/sysrq-trigger /proc/acpi /proc/mtrr /proc/cpuinfo /proc/irq; do
			test -e $file && chmod --reference=$file $file 2>/dev/null && echo "$file: mode changed"
		done
		cat /proc/irq/default_smp_affinity 2>/dev/null | (cat > /proc/irq/default_smp_affinity) 2>/dev/null &&
			echo "interrupts moved"
		true`
	if text := inNamespace(t, Spec{}, writable); text != "" {
		t.Errorf("root without capabilities changes the machine: %.500s", text)
	}
	// A machine may refuse user namespaces.
	const inside = `unshare -Urmpf sh -c 'for path in /proc/irq /proc/sys /sys; do
			umount $path && echo "$path is bare"
			mount -o remount,bind,rw $path && echo "$path is writable"
		done
		mount -t proc proc /mnt && test -w /mnt/sys/vm/swappiness && echo "a new /proc is writable"' 2>/dev/null; true`
	if text := inNamespace(t, Spec{}, inside); text != "" {
		t.Errorf("in a user namespace: %q", text)
	}
	const works = `head -1 /proc/stat | cut -c1-3; ls /proc/self/fd > /dev/null && echo files
		echo 1000 > /proc/self/oom_score_adj && echo own
		ps -o pid= -p $$ | grep -q $$ && echo ps; grep -q lo: /proc/net/dev && echo net; cat /proc/sys/kernel/ostype`
	if text := strings.Fields(inNamespace(t, Spec{}, works)); strings.Join(text, " ") != "cpu files own ps net Linux" {
		t.Errorf("what reads /proc: %q", text)
	}
}

// Ping works all the same, whatever capabilities its file asks for.
func TestPingWithoutCapabilities(t *testing.T) {
	if _, err := exec.LookPath("ping"); err != nil {
		t.Skip("no ping is installed")
	}
	nobody := User{Known: true, UID: 65534, GID: 65534}
	if out := inNamespace(t, Spec{User: nobody}, "ping -c 1 -W 5 127.0.0.1 || ping -c 1 127.0.0.1"); !strings.Contains(out, "1 received") {
		t.Errorf("ping: %s", out)
	}
}

// The caller of sudo is found by what sudo sets.
func TestCaller(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("sudo makes root")
	}
	t.Setenv("SUDO_UID", "65534")
	u, err := Caller()
	if err != nil || !u.Known || u.UID != 65534 || u.Name != "nobody" {
		t.Errorf("%+v, %v", u, err)
	}
	for _, id := range []string{"", "0"} {
		t.Setenv("SUDO_UID", id)
		if u, err := Caller(); err != nil || u.Known {
			t.Errorf("SUDO_UID=%q: %+v, %v", id, u, err)
		}
	}
}
