package host

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/text/wait"
)

// Instances of upflab that do not see the same /run, as in private mount namespaces, still
// share the kernel's settings. They find each other by abstract sockets in the first
// network namespace, which need no files and go with their process. Only sockets of root
// count: anybody can make one.

// wideName is what names of these sockets begin with.
const wideName = "upflab/sched_rt_runtime_us/"

// wideHolder is a run that needs the limit of real-time threads lifted.
type wideHolder struct {
	run string
	was int // the limit before the first of them
}

func (h wideHolder) name() string { return fmt.Sprintf("%s%s/%d", wideName, h.run, h.was) }

// hold shows all instances that the run needs the limit lifted, until the file is closed.
func (h wideHolder) hold() (*os.File, error) { return listenWide(h.name()) }

// wideHolders are the runs of other lists and of ours that need it, but for one.
func wideHolders(but string) (list []wideHolder) {
	table, _ := os.ReadFile(firstProcess() + "/net/unix")
	for line := range strings.Lines(string(table)) {
		_, rest, found := strings.Cut(strings.TrimSpace(line), " @"+wideName)
		run, number, _ := strings.Cut(rest, "/")
		was, err := strconv.Atoi(number)
		h := wideHolder{run, was}
		if found && err == nil && run != but && ofRoot(h.name()) {
			list = append(list, h)
		}
	}
	return list
}

// lockWide waits until no other instance changes the setting.
func lockWide() (*os.File, error) {
	const name, within = wideName + "lock", 10 * time.Second
	var f *os.File
	var err error
	began := time.Now()
	if !wait.Until(within, time.Millisecond, func() bool {
		f, err = listenWide(name)
		return !errors.Is(err, unix.EADDRINUSE) || !ofRoot(name) && time.Since(began) > within/2
	}) {
		return nil, fmt.Errorf("another upflab has been changing %s for %v", rtRuntime, within)
	}
	return f, ignoreInUse(err)
}

// ignoreInUse is nil for a lock that somebody without the right to it holds.
func ignoreInUse(err error) error {
	if errors.Is(err, unix.EADDRINUSE) {
		return nil
	}
	return err
}

func listenWide(name string) (*os.File, error) {
	f, err := wideSocket()
	if err != nil {
		return nil, err
	}
	fd := int(f.Fd())
	if err = unix.Bind(fd, &unix.SockaddrUnix{Name: "@" + name}); err == nil {
		err = unix.Listen(fd, 128)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("show other instances of upflab what this one needs: %w", err), f.Close())
	}
	return f, nil
}

// ofRoot reports whether a process of this user, which is root, listens at the name.
func ofRoot(name string) bool {
	f, err := wideSocket()
	if err != nil {
		return false
	}
	defer f.Close()
	fd := int(f.Fd())
	if unix.SetNonblock(fd, true) != nil || unix.Connect(fd, &unix.SockaddrUnix{Name: "@" + name}) != nil {
		return false
	}
	peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	return err == nil && int(peer.Uid) == os.Geteuid()
}

// firstProcess is the folder of a process that sees the files and the network of the machine, or
// of the container: process 1, or the kernel's own, which may be looked at where process 1 may do more
// than we. Ours, where neither may.
func firstProcess() string {
	for _, p := range []struct{ folder, name string }{{"/proc/1", ""}, {"/proc/2", "kthreadd"}} {
		name, _ := os.ReadFile(p.folder + "/comm")
		if _, err := os.Readlink(p.folder + "/ns/net"); err == nil && (p.name == "" || strings.TrimSpace(string(name)) == p.name) {
			return p.folder
		}
	}
	return "/proc/self"
}

// wideSocket is a socket in the first network namespace.
func wideSocket() (*os.File, error) {
	type result struct {
		fd  int
		err error
	}
	made := make(chan result)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread, which is in another namespace, ends
		made <- func() (r result) {
			ns, err := os.Open(firstProcess() + "/ns/net")
			if err != nil {
				return result{err: err}
			}
			defer ns.Close()
			if err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); err != nil {
				return result{err: fmt.Errorf("enter the first network namespace: %w", err)}
			}
			r.fd, r.err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
			return r
		}()
	}()
	r := <-made
	if r.err != nil {
		return nil, r.err
	}
	return os.NewFile(uintptr(r.fd), "unix socket"), nil
}

// readNumber reads a setting of the kernel that is one.
func readNumber(path string) (int, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(b)))
}

// writeNumber changes one.
func writeNumber(path string, n int) error {
	if err := os.WriteFile(path, []byte(strconv.Itoa(n)), 0); err != nil {
		return fmt.Errorf("set %s to %d: %w (root is needed)", path, n, err)
	}
	return nil
}
