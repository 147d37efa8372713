package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// inNamespace makes the program see the processes of its own PID namespace only:
// what is mounted on /proc shows those of whoever mounts it.
const inNamespace = `mount -t proc proc /proc && exec "$0" "$@"`

// command is the program, by way of a shell where it has a PID namespace.
func (s Spec) command() (*exec.Cmd, error) {
	if !s.PIDNamespace && s.join == nil {
		return exec.Command(s.Args[0], s.Args[1:]...), nil
	}
	path, err := exec.LookPath(s.Args[0]) // the shell would tell only in the log
	if err != nil {
		return nil, err
	}
	args := append([]string{"-c", inNamespace, path}, s.Args[1:]...)
	return exec.Command("/bin/sh", args...), nil
}

// enterPIDs lets the calling thread's children be born in the PID namespace of p.
func (p *Process) enterPIDs() error {
	f, err := os.Open(fmt.Sprintf("/proc/%d/ns/pid", p.PID()))
	if err != nil {
		return fmt.Errorf("find the PID namespace of process %d: %w (has it ended?)", p.PID(), err)
	}
	defer f.Close()
	if err := unix.Setns(int(f.Fd()), unix.CLONE_NEWPID); err != nil {
		return fmt.Errorf("enter the PID namespace of process %d: %w", p.PID(), err)
	}
	return nil
}

// bpffs is where programs look for a BPF file system.
const bpffs = "/sys/fs/bpf"

// mount makes the file systems that the program needs, seen by it alone.
func (s Spec) mount() error {
	mounts := append([]Mount{{Type: "bpf", Target: bpffs}}, s.Mounts...)
	if s.Image == nil { // a container has its own
		mounts = append([]Mount{{Type: "sysfs", Target: "/sys"}}, mounts...)
	}
	for _, m := range mounts {
		if err := os.MkdirAll(m.Target, 0o755); err != nil {
			return fmt.Errorf("mount %s on %s: %w", m.Type, m.Target, err)
		}
		source := m.Source
		if source == "" {
			source = m.Type
		}
		var flags uintptr
		if m.Type == "" {
			flags = unix.MS_BIND
		}
		err := unix.Mount(source, m.Target, m.Type, flags, m.Options)
		if m.Type == "bpf" && errors.Is(err, unix.EPERM) {
			continue // in a user namespace: who needs BPF will say so
		}
		if err != nil {
			return fmt.Errorf("mount %s on %s: %w", source, m.Target, err)
		}
	}
	return nil
}
