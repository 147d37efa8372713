package telemetry_test

import (
	"os"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/telemetry"
)

func TestBPFMapBytes(t *testing.T) {
	sitetest.Privileged(t)
	before := telemetry.BPFMapBytes(os.Getpid())
	m, err := ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.Array, KeySize: 4, ValueSize: 1024, MaxEntries: 1024})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	again, err := m.Clone()
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if n := telemetry.BPFMapBytes(os.Getpid()) - before; n < 1<<20 || n > 2<<20 {
		t.Errorf("a map of 1 MiB, open twice, is counted as %d bytes", n)
	}
}

func TestRuns(t *testing.T) {
	sitetest.Privileged(t)
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Type: ebpf.XDP, License: "Apache-2.0",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 1), asm.Return()},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	info, err := p.Info()
	if err != nil {
		t.Fatal(err)
	}
	id, ok := info.ID()
	if !ok {
		t.Skip("this kernel does not report the ids of programs")
	}
	stats, err := ebpf.EnableStats(unix.BPF_STATS_RUN_TIME)
	if err != nil {
		t.Fatal(err)
	}
	defer stats.Close()
	if _, err := p.Run(&ebpf.RunOptions{Data: make([]byte, 64), Repeat: 10}); err != nil {
		t.Fatal(err)
	}
	if r, err := telemetry.Runs(id); err != nil || r.Count < 10 || r.NS == 0 {
		t.Errorf("10 runs are reported as %+v, %v", r, err)
	}
	if _, err := telemetry.Runs(1 << 31); err == nil {
		t.Error("a program that is not has no error")
	}
}
