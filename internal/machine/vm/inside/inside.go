package inside

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Run is what the first process does. It ends the guest, and returns only where it is none.
func Run() error {
	if os.Getpid() != 1 {
		return fmt.Errorf("`upflab %s` is what a guest of `upflab run --site vm` starts with, and nothing for a shell", Command)
	}
	l, err := begin()
	if err != nil {
		fmt.Fprintln(os.Stderr, "upflab:", err) // on the console
	} else {
		status, err := carryOut(l)
		if err != nil {
			l.report(Event{Failed: err.Error()})
		} else {
			l.report(Event{Status: &status})
		}
		l.drain()
	}
	unix.Sync()
	return unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
}

// begin gets as far as the line to the host.
func begin() (*line, error) {
	if err := mountAll([]mount{{kind: "devtmpfs", source: "dev", target: "/dev"}}); err != nil {
		return nil, err
	}
	return openLine()
}

func carryOut(l *line) (status int, err error) {
	go l.live()
	o, err := readOrder()
	if err != nil {
		return 0, err
	}
	for _, file := range o.Early {
		if err := load(filepath.Join(ModulesFolder, file)); err != nil {
			return 0, err
		}
	}
	if err := enterRoot(o); err != nil {
		return 0, fmt.Errorf("make the guest's root: %w", err)
	}
	if err := furnish(o); err != nil {
		return 0, err
	}
	if err := os.Setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"); err != nil {
		return 0, err
	}
	for _, name := range o.Load {
		if said, err := exec.Command("modprobe", name).CombinedOutput(); err != nil {
			return 0, fmt.Errorf("load the module %s: %w: %s", name, err, strings.TrimSpace(string(said)))
		}
	}
	up := Up{Kernel: o.Release}
	if up.NICs, err = network(o.NICs); err != nil {
		return 0, err
	}
	l.report(Event{Up: &up})
	return command(l, o)
}

func readOrder() (*Order, error) {
	b, err := os.ReadFile(OrderFile)
	if err != nil {
		return nil, err
	}
	var o Order
	if err := json.Unmarshal(b, &o); err != nil {
		return nil, fmt.Errorf("read %s: %w", OrderFile, err)
	}
	return &o, nil
}

// load gives the kernel a module.
func load(path string) error {
	b, err := os.ReadFile(path)
	if err == nil {
		err = unix.InitModule(b, "")
	}
	if err != nil && err != unix.EEXIST {
		return fmt.Errorf("load the module %s: %w", filepath.Base(path), err)
	}
	return nil
}

// mostFiles is how many files a process of the guest may have open.
const mostFiles = 1 << 20

// command runs the command to its end. The first process also waits for what lost its parent.
func command(l *line, o *Order) (status int, err error) {
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: mostFiles, Max: mostFiles}); err != nil {
		return 0, fmt.Errorf("allow %d open files: %w", mostFiles, err)
	}
	program, err := exec.LookPath(o.Args[0])
	if err != nil {
		return 0, err
	}
	text, write, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	out := write
	if o.MutesOutput {
		out = null
	}
	p, err := os.StartProcess(program, o.Args, &os.ProcAttr{
		Dir: o.Dir, Env: o.Env, Files: []*os.File{null, out, write},
		Sys: &unix.SysProcAttr{Setsid: true}})
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", program, err)
	}
	write.Close()
	go l.interrupts(func() { _ = p.Signal(unix.SIGINT) })
	copied := make(chan struct{})
	go func() { defer close(copied); _, _ = io.Copy(l, text) }()
	status, err = await(p.Pid)
	select { // what the command left behind may hold the pipe open
	case <-copied:
	case <-time.After(time.Second):
	}
	return status, err
}

// await waits for the end of a process, and of those that end before it.
func await(pid int) (status int, err error) {
	for {
		var s unix.WaitStatus
		ended, err := unix.Wait4(-1, &s, 0, nil)
		switch {
		case err == unix.EINTR || err == nil && ended != pid:
		case err != nil:
			return 0, fmt.Errorf("wait for the command: %w", err)
		case s.Signaled():
			return 128 + int(s.Signal()), nil
		default:
			return s.ExitStatus(), nil
		}
	}
}
