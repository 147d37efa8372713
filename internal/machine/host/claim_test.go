package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/text/wait"
)

// sleeper starts a child in the namespace (nil: ours), in a group of its own.
func sleeper(t *testing.T, ns *netdev.Namespace, script string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	start := cmd.Start
	if ns != nil {
		start = func() error { return ns.Do(cmd.Start) }
	}
	if err := start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
		cmd.Wait()
	})
	return cmd
}

// ended waits until a process, a child of ours or not, has ended.
func ended(pid int) bool {
	return wait.Until(time.Second, 5*time.Millisecond, func() bool {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(b), ") Z ")
	})
}

// testClaim is a claim in a folder that nobody else cleans, with a namespace.
func testClaim(t *testing.T) (*Claim, *netdev.Namespace) {
	t.Helper()
	rootOnly(t)
	c, err := NewClaimIn(t.TempDir(), NewRunID())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Abandon() })
	name := namePrefix + c.Run + "-upf"
	if err := c.AddNamespace(name); err != nil {
		t.Fatal(err)
	}
	ns, err := netdev.New(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ns.Close() })
	return c, ns
}

func TestCleanStale(t *testing.T) {
	c, ns := testClaim(t)
	listed, bystander := sleeper(t, ns, "exec sleep 60"), sleeper(t, ns, "exec sleep 60")
	if err := c.AddProcess(listed.Process.Pid); err != nil {
		t.Fatal(err)
	}
	dir := c.dir

	if removed, err := CleanStaleIn(dir); err != nil || removed != nil {
		t.Fatalf("of a run that is alive it removed %v, %v", removed, err)
	}
	c.Abandon()
	removed, err := CleanStaleIn(dir)
	want := []string{fmt.Sprintf("process %d", listed.Process.Pid), "namespace " + ns.Name}
	if err != nil || !slices.Equal(removed, want) {
		t.Errorf("it removed %v, %v; want %v", removed, err, want)
	}
	if !ended(listed.Process.Pid) {
		t.Error("the run's process still runs")
	}
	if err := bystander.Process.Signal(syscall.Signal(0)); err != nil {
		t.Error("a process that the run does not own was ended")
	}
	for _, path := range []string{ns.Path(), listPath(c.dir, c.Run)} {
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left", path)
		}
	}
	if removed, err := CleanStaleIn(dir); err != nil || removed != nil {
		t.Errorf("a second time it removed %v, %v", removed, err)
	}
}

// A wrapper is killed with upflab; the program in it is not.
func TestCleanStaleEndsWhatAWrapperLeft(t *testing.T) {
	c, ns := testClaim(t)
	file := t.TempDir() + "/pid"
	wrapper := sleeper(t, ns, "sleep 60 & echo $! >"+file+"; wait")
	if err := c.AddProcess(wrapper.Process.Pid); err != nil {
		t.Fatal(err)
	}
	var inner int
	wait.Until(time.Second, 5*time.Millisecond, func() bool {
		b, _ := os.ReadFile(file)
		fmt.Sscan(string(b), &inner)
		return len(b) > 0
	})
	wrapper.Process.Kill()
	wrapper.Wait()
	c.Abandon()
	removed, err := CleanStaleIn(c.dir)
	if err != nil || !slices.Contains(removed, fmt.Sprintf("process %d", inner)) || !ended(inner) {
		t.Errorf("it removed %v, %v; process %d was left by the wrapper", removed, err, inner)
	}
}

// The number of a process that has ended may be another's by now.
func TestCleanStaleSparesReusedNumbers(t *testing.T) {
	c, ns := testClaim(t)
	other := sleeper(t, nil, "exec sleep 60")
	start, err := startTime(other.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	err = c.add(func(o *owned) { o.Processes = []process{{other.Process.Pid, start - 1}} })
	if err != nil {
		t.Fatal(err)
	}
	c.Abandon()
	removed, err := CleanStaleIn(c.dir)
	if want := []string{"namespace " + ns.Name}; err != nil || !slices.Equal(removed, want) {
		t.Errorf("it removed %v, %v; want %v", removed, err, want)
	}
	if err := other.Process.Signal(syscall.Signal(0)); err != nil {
		t.Error("a process that got the number later was ended")
	}
}

// A list that is damaged is not empty: what is on it is unknown, so nothing is undone,
// nothing removed, and somebody is told. Other lists are cleaned all the same.
func TestCleanStaleOfDamagedList(t *testing.T) {
	for _, text := range []string{"", `{"pid": 12, "names`, "\x00\x00"} {
		c, ns := testClaim(t)
		path := listPath(c.dir, c.Run)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		other, err := NewClaimIn(c.dir, "other")
		if err != nil {
			t.Fatal(err)
		}
		c.Abandon()
		other.Abandon()
		removed, err := CleanStaleIn(c.dir)
		for _, w := range []string{path, "damaged", ns.Name, "ip netns delete"} {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%q: the error %v does not say %q", text, err, w)
			}
		}
		if len(removed) != 0 {
			t.Errorf("%q: it removed %v", text, removed)
		}
		for path, want := range map[string]bool{path: true, ns.Path(): true, listPath(c.dir, "other"): false} {
			if _, err := os.Stat(path); (err == nil) != want {
				t.Errorf("%q: %s is there: %v, want %v", text, path, err == nil, want)
			}
		}
	}
}

// A list is replaced whole: whoever is killed while writing leaves the one before.
func TestListIsWrittenWhole(t *testing.T) {
	c, err := NewClaimIn(t.TempDir(), "abcde")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	before, err := os.Open(listPath(c.dir, c.Run))
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	if err := c.AddNamespace("upflab-abcde-upf"); err != nil {
		t.Fatal(err)
	}
	var o owned
	if err := json.NewDecoder(before).Decode(&o); err != nil || len(o.Namespaces) != 0 {
		t.Errorf("the list before was changed in place: %+v, %v", o, err)
	}
	if err := c.DropNamespace("upflab-abcde-upf"); err != nil {
		t.Fatal(err)
	}
}

// No other user can hold a lock: they cannot open it.
func TestLocksAreRootOnly(t *testing.T) {
	c, err := NewClaimIn(t.TempDir(), "abcde")
	if err != nil {
		t.Fatal(err)
	}
	settings, err := lockSettings(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{lockPath(c.dir, c.Run), settingsLock(c.dir)} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v; want mode 0600", path, info, err)
		}
	}
	if list, err := os.Open(listPath(c.dir, c.Run)); err == nil { // anybody may hold a lock on the list
		unix.Flock(int(list.Fd()), unix.LOCK_SH)
		defer list.Close()
	}
	c.Abandon()
	if err := settings.Close(); err != nil { // the clean-up waits for it
		t.Fatal(err)
	}
	if _, err := CleanStaleIn(c.dir); err != nil {
		t.Error(err)
	}
	if left := runsIn(c.dir); len(left) > 0 {
		t.Errorf("a lock on the list keeps %v from being cleaned", left)
	}
}

func TestStateDirOfSomebodyElse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	if err := errors.Join(os.Mkdir(dir, 0o777), os.Chmod(dir, 0o777)); err != nil {
		t.Fatal(err)
	}
	if _, err := NewClaimIn(dir, "abcde"); err == nil || !strings.Contains(err.Error(), "only user") {
		t.Errorf("a folder that everybody can write to: %v", err)
	}
}

// One step that fails keeps no other from being taken, and stays on the list.
func TestCleanStaleGoesOn(t *testing.T) {
	c, ns := testClaim(t)
	err := errors.Join(c.AddContainer([]string{filepath.Join(c.dir, "no-podman")}, "left", false),
		c.add(func(o *owned) {
			o.Devices = []device{{Name: "p9", As: "n3-x", In: "upflab-" + c.Run + "-gone", Home: 1}}
		}))
	if err != nil {
		t.Fatal(err)
	}
	c.Abandon()
	removed, err := CleanStaleIn(c.dir)
	if !slices.Equal(removed, []string{"namespace " + ns.Name}) {
		t.Errorf("it removed %v", removed)
	}
	for _, w := range []string{"container left", "device p9", "(inode 1) that it came from is gone"} {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("the error %v does not say %q", err, w)
		}
	}
	o, err := readOwned(c.dir, c.Run)
	if err != nil || len(o.Containers) != 1 || len(o.Devices) != 1 || len(o.Namespaces) != 0 {
		t.Errorf("the list has %+v, %v", o, err)
	}
}

func TestClaimIsExclusive(t *testing.T) {
	dir := t.TempDir()
	c, err := NewClaimIn(dir, "abcde")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewClaimIn(dir, "abcde"); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second claim of the same run: %v", err)
	}
	if info, err := os.Stat(listPath(c.dir, c.Run)); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("others cannot read the list: %v, %v", info.Mode(), err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if left := runsIn(dir); len(left) > 0 {
		t.Errorf("%v is left of a closed claim", left)
	}
}

// Runs that start while another one cleans up keep their claims.
func TestClaimsDuringCleaning(t *testing.T) {
	dir := t.TempDir()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				CleanStaleIn(dir)
			}
		}
	}()
	for i := range 200 {
		c, err := NewClaimIn(dir, fmt.Sprint("run", i))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(listPath(c.dir, c.Run)); err != nil {
			t.Fatalf("claim %d was taken away: %v", i, err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	<-stopped
}

func TestProcessesAreForgotten(t *testing.T) {
	c, err := NewClaimIn(t.TempDir(), "abcde")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.AddProcess(os.Getpid()); err != nil {
		t.Fatal(err)
	}
	if err := c.AddProcess(1 << 30); err != nil {
		t.Errorf("a process that has ended: %v", err)
	}
	if err := c.DropProcess(os.Getpid()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(listPath(c.dir, c.Run))
	if want := fmt.Sprintf(`{"pid":%d,"start":%d}`, os.Getpid(), c.owns.Start); err != nil || string(b) != want {
		t.Errorf("the list is %s, %v; want %s", b, err, want)
	}
}

// What could not be removed stays on the list; the list goes with its last entry.
func TestClaimKeepsWhatIsLeft(t *testing.T) {
	dir := t.TempDir()
	for left, own := range map[bool]func(*Claim) error{
		true:  func(c *Claim) error { return c.AddNamespace("upflab-left-upf") },
		false: func(c *Claim) error { return nil },
	} {
		c, err := NewClaimIn(dir, NewRunID())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(own(c), c.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(listPath(c.dir, c.Run)); (err == nil) != left {
			t.Errorf("something is left %v: %v", left, err)
		}
	}
}
