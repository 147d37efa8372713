// Package netdev works on network namespaces and the devices, addresses, routes
// and neighbours in them, by netlink, ethtool and sysfs. It keeps no record of what
// it changes; package host does.
package netdev

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// NamedDir is where iproute2 keeps named namespaces, so that `ip netns exec` works
// on ours.
const NamedDir = "/run/netns"

// Namespace is a network namespace.
type Namespace struct {
	Name string // "" for the one that upflab itself runs in
	ns   netns.NsHandle
	nl   *netlink.Handle
}

// New makes a named namespace and brings its loopback up.
func New(name string) (*Namespace, error) {
	if err := shareNamedDir(); err != nil {
		return nil, err
	}
	n := &Namespace{Name: name}
	err := onThread(func() error {
		ns, err := netns.NewNamed(name)
		n.ns = ns
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("make network namespace %s: %w (root or CAP_SYS_ADMIN is needed)", name, err)
	}
	if n.nl, err = netlink.NewHandleAt(n.ns, unix.NETLINK_ROUTE); err != nil {
		n.Close()
		return nil, fmt.Errorf("open netlink in %s: %w", name, err)
	}
	lo, err := n.nl.LinkByName("lo")
	if err == nil {
		err = n.nl.LinkSetUp(lo)
	}
	if err != nil {
		n.Close()
		return nil, fmt.Errorf("bring up lo in %s: %w", name, err)
	}
	return n, nil
}

// Current is the namespace of the calling thread; closing it removes nothing.
func Current() (*Namespace, error) {
	ns, err := netns.Get()
	if err != nil {
		return nil, fmt.Errorf("open the own network namespace: %w", err)
	}
	nl, err := netlink.NewHandle(unix.NETLINK_ROUTE) // entering a namespace takes CAP_SYS_ADMIN, also one's own
	if err != nil {
		ns.Close()
		return nil, fmt.Errorf("open netlink: %w", err)
	}
	return &Namespace{ns: ns, nl: nl}, nil
}

// Named opens a namespace that exists. Closing removes it; Release does not.
func Named(name string) (*Namespace, error) {
	ns, err := netns.GetFromName(name)
	if err != nil {
		return nil, fmt.Errorf("open network namespace %s: %w", name, err)
	}
	return open(name, ns)
}

func open(name string, ns netns.NsHandle) (*Namespace, error) {
	nl, err := netlink.NewHandleAt(ns, unix.NETLINK_ROUTE)
	if err != nil {
		ns.Close()
		return nil, fmt.Errorf("open netlink: %w", err)
	}
	return &Namespace{Name: name, ns: ns, nl: nl}, nil
}

// Path is the file that names the namespace, "" for the current one.
func (n *Namespace) Path() string {
	if n.Name == "" {
		return ""
	}
	return filepath.Join(NamedDir, n.Name)
}

// Inode is the number by which the kernel knows the namespace.
func (n *Namespace) Inode() (uint32, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(n.ns), &st); err != nil {
		return 0, fmt.Errorf("look at namespace %s: %w", n.Name, err)
	}
	return uint32(st.Ino), nil
}

// Netlink is a socket to the kernel in this namespace.
func (n *Namespace) Netlink() *netlink.Handle { return n.nl }

// FD is the namespace's file descriptor, as netlink takes it.
func (n *Namespace) FD() int { return int(n.ns) }

// Do runs f on a thread inside the namespace. The thread ends with f.
func (n *Namespace) Do(f func() error) error {
	return onThread(func() error {
		if err := n.Enter(); err != nil {
			return err
		}
		return f()
	})
}

// Enter moves the calling thread, which the caller has locked, into the
// namespace for good. To be in it already takes no right.
func (n *Namespace) Enter() error {
	if here, err := netns.Get(); err == nil {
		there := here.Equal(n.ns)
		here.Close()
		if there {
			return nil
		}
	}
	if err := netns.Set(n.ns); err != nil {
		return fmt.Errorf("enter namespace %s: %w", n.Name, err)
	}
	return nil
}

// doWithSysfs runs f inside the namespace with /sys showing its devices.
func (n *Namespace) doWithSysfs(f func() error) error {
	return n.Do(func() error {
		err := PrivateMounts()
		if n.Name == "" && errors.Is(err, unix.EPERM) {
			return f() // as in a pod with few capabilities, whose /sys is that of its namespace
		}
		if err != nil {
			return err
		}
		err = unix.Mount("sysfs", "/sys", "sysfs", 0, "")
		if err != nil && err != unix.EBUSY { // busy: /sys shows them already, as below `ip netns exec`
			return fmt.Errorf("mount sysfs for %s: %w", n.Name, err)
		}
		return f()
	})
}

// PrivateMounts gives the calling thread, which must end afterwards, a mount
// namespace of its own, so that nothing it mounts is seen elsewhere.
func PrivateMounts() error {
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("unshare mounts: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return rootNotMounted(err)
	}
	return nil
}

// rootNotMounted explains EINVAL: in a chroot whose folder is not a mount point, / is none
// either, and its mounts cannot be made private.
func rootNotMounted(err error) error {
	if errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("make mounts private: / is not a mount point, as in a chroot: before chroot, call "+
			"`mount --bind FOLDER FOLDER` with its folder: %w", err)
	}
	return fmt.Errorf("make mounts private: %w", err)
}

// onThread runs f on a locked thread that is thrown away afterwards, whatever
// f did to it.
func onThread(f func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the runtime ends the thread
		done <- f()
	}()
	return <-done
}

// Release closes the handles; the namespace stays.
func (n *Namespace) Release() {
	if n.nl != nil {
		n.nl.Close()
	}
	n.ns.Close()
}

// Close removes a named namespace and with it every device inside.
func (n *Namespace) Close() error {
	n.Release()
	if n.Name == "" {
		return nil
	}
	return Remove(n.Name)
}

// Remove unmounts and deletes a named namespace; one that is gone already is no
// error.
func Remove(name string) error {
	if err := removeConfig(name); err != nil {
		return fmt.Errorf("remove the files of namespace %s: %w", name, err)
	}
	path := filepath.Join(NamedDir, name)
	if err := unix.Unmount(path, unix.MNT_DETACH); err != nil && err != unix.EINVAL && err != unix.ENOENT {
		return fmt.Errorf("unmount %s: %w", path, err)
	}
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("remove namespace: %w", err)
	}
	return nil
}
