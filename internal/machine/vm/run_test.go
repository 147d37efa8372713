package vm

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/machine/vm/inside"
)

// instead is a shell script in the place of QEMU: its console is file 4.
func instead(t *testing.T, script string) *QEMU {
	t.Helper()
	path := filepath.Join(t.TempDir(), "qemu")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return &QEMU{Path: path}
}

// bootedBy boots the kernel 6.1 of kernels by q, with a first program that is an ELF header alone.
func bootedBy(t *testing.T, q *QEMU, c Command) error {
	t.Helper()
	k, err := FindKernel("6.1", kernels(t))
	if err != nil {
		t.Fatal(err)
	}
	c.Program = filepath.Join(t.TempDir(), "program")
	f, err := os.Create(c.Program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	header := elf.Header64{Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', 2, 1, 1}, Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64),
		Version: 1, Ehsize: 64}
	if err := binary.Write(f, binary.LittleEndian, header); err != nil {
		t.Fatal(err)
	}
	c.Up = func(inside.Up) {}
	_, err = q.Run(t.Context(), Machine{Kernel: k, Accel: TCG, CPUs: 1, MemoryMiB: 512}, c)
	return err
}

// slow is a file that takes its time.
type slow struct{ strings.Builder }

func (s *slow) Write(b []byte) (int, error) {
	time.Sleep(50 * time.Millisecond)
	return s.Builder.Write(b)
}

// The console is read to its end: what a kernel printed last is in the error, and in the file for it.
func TestConsoleIsReadToItsEnd(t *testing.T) {
	q := instead(t, "i=0; while [ $i -lt 1000 ]; do echo line $i >&4; i=$((i+1)); done\necho 'Kernel panic - not syncing' >&4")
	var console slow
	err := bootedBy(t, q, Command{Console: &console})
	if err == nil || !strings.Contains(err.Error(), "ended while it booted; its console last showed:") || !strings.Contains(err.Error(), "Kernel panic") {
		t.Errorf("%v", err)
	}
	if text := console.String(); !strings.HasSuffix(text, "line 999\nKernel panic - not syncing\n") {
		t.Errorf("the file ends with %q", text[max(0, len(text)-60):])
	}
}

// Whether QEMU starts or not, no file is left open.
func TestNoFileIsLeftOpen(t *testing.T) {
	open := func() (list []string) {
		for fd := range 256 {
			if target, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); err == nil && (strings.HasPrefix(target, "pipe:") || strings.Contains(target, "memfd")) {
				list = append(list, target)
			}
		}
		return list
	}
	before := open()
	for name, q := range map[string]*QEMU{"ends": instead(t, "exit 0"), "cannot start": {Path: "/nonexistent/qemu"}} {
		if err := bootedBy(t, q, Command{}); err == nil {
			t.Errorf("%s: no error", name)
		}
		if after := open(); len(after) != len(before) {
			t.Errorf("%s: open before %q, after %q", name, before, after)
		}
	}
}
